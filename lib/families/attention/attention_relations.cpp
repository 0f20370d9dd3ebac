#include "lib/families/attention/attention_relations.h"

// Relations of attention, forward and backward. Two launches that must agree may differ by the sum of what is justified
// for each of them.
#include <algorithm>
#include <cmath>

#include "lib/families/attention/attention_pairs.h"
#include "lib/problem/attention.h"

namespace ropewalk::attention {

using campaign::Relation;
using campaign::RelationScene;
using campaign::set_input;
using compare::Judgement;

namespace {

std::optional<Judgement> scales_with_values(const RelationScene& scene, const std::string& output) {
  ElementValues v = scene.input("v");
  for (double& value : v) value *= 2;  // exact
  const auto run = scene.run(scene.problem(), {output}, [&](Launch& launch) { set_input(launch, "v", v); });
  if (!run) return std::nullopt;
  Pairs pairs(scene, output);
  for (i64 n = 0; n < pairs.count(); ++n) pairs.compare(n, run->front(), n, output.starts_with("out") ? 2 : 1);
  return pairs.judgement();
}

// All tensors with one dimension reversed, counted from the last one: 1 is the heads' of q, k and v.
std::optional<Judgement> follows_permutation(const RelationScene& scene, const std::string& output, bool heads) {
  const auto dimension_of = [&](const std::string& name) {
    const u64 dimensions = scene.tensor(name).shape.size();
    return heads && dimensions > 1 ? dimensions - 2 : 0;
  };
  const auto run = scene.run(scene.problem(), {output}, [&](Launch& launch) {
    for (const char* name : {"q", "k", "v", "dout", "slopes", "sinks", "out_partial", "lse_partial"}) {
      const bool by_head = name == std::string("slopes") || name == std::string("sinks");
      if (!has(scene, name) || scene.tensor(name).output || (by_head && !heads)) continue;
      set_reversed(launch, scene, name, dimension_of(name));
    }
  });
  if (!run) return std::nullopt;
  const std::vector<u64> other = campaign::reversed(scene.tensor(output).shape, dimension_of(output));
  Pairs pairs(scene, output);
  for (i64 n = 0; n < pairs.count(); ++n) pairs.compare(n, run->front(), i64(other[u64(n)]));
  return pairs.judgement();
}

bool has_heads(const RelationScene& scene) { return attention(scene).heads > 1; }
std::optional<Judgement> keeps_heads_apart(const RelationScene& scene, const std::string& output) {
  return follows_permutation(scene, output, true);
}

bool has_batch(const RelationScene& scene) {
  return has(scene, "q") && is_plain(attention(scene)) && attention(scene).batch > 1;
}
std::optional<Judgement> keeps_sequences_apart(const RelationScene& scene, const std::string& output) {
  return follows_permutation(scene, output, false);
}

bool shares_heads(const RelationScene& scene) {
  return is_forward(scene) && attention(scene).heads_of_keys() < attention(scene).heads;
}

std::optional<Judgement> equals_repeated_heads(const RelationScene& scene, const std::string& output) {
  AttentionProblem repeated = attention(scene);
  const i64 heads = repeated.heads, key_heads = repeated.heads_of_keys();
  repeated.key_heads = 0;
  const auto run = scene.run(repeated, {output}, [&](Launch& launch) {
    for (const auto& [name, columns] : {std::pair{"k", repeated.head_dim}, {"v", repeated.columns_of_values()}}) {
      const ElementValues values = scene.input(name);
      ElementValues all;
      for (i64 token = 0; token < i64(values.size()) / (key_heads * columns); ++token) {
        for (i64 head = 0; head < heads; ++head) {
          const auto row = values.begin() + (token * key_heads + head / (heads / key_heads)) * columns;
          all.insert(all.end(), row, row + columns);
        }
      }
      set_input(launch, name, all);
    }
  });
  return equal_outputs(scene, output, run);
}

bool has_prefix(const RelationScene& scene) {
  const AttentionProblem& p = attention(scene);
  return is_forward(scene) && p.causal != Causal::None && is_plain(p) && p.query_tokens == p.key_tokens &&
         p.query_tokens > 1;
}

std::optional<Judgement> equals_its_prefix(const RelationScene& scene, const std::string& output) {
  const AttentionProblem& p = attention(scene);
  AttentionProblem shorter = p;
  const i64 all = p.query_tokens, some = (all + 1) / 2;
  shorter.query_tokens = shorter.key_tokens = some;
  const auto run = scene.run(shorter, {output}, [&](Launch& launch) {
    for (const char* name : {"q", "k", "v"}) {
      const ElementValues values = scene.input(name);
      set_input(launch, name, tokens_of(values, p.batch, all, 0, some, i64(values.size()) / (p.batch * all)));
    }
  });
  if (!run) return std::nullopt;
  Pairs pairs(scene, output);
  // out is [B, Tq, ...], lse [B, H, Tq].
  const bool is_lse = output == "lse";
  const i64 inner = is_lse ? 1 : pairs.count() / (p.batch * all), outer = pairs.count() / (all * inner);
  for (i64 n = 0; n < outer; ++n) {
    for (i64 m = 0; m < some * inner; ++m) pairs.compare(n * all * inner + m, run->front(), n * some * inner + m);
  }
  return pairs.judgement();
}

bool can_hide_a_key(const RelationScene& scene) {
  const AttentionProblem& p = attention(scene);
  return is_forward(scene) && p.causal == Causal::TopLeft && is_plain(p) && p.query_tokens <= p.key_tokens;
}

std::optional<Judgement> ignores_a_masked_key(const RelationScene& scene, const std::string& output) {
  const AttentionProblem& p = attention(scene);
  AttentionProblem longer = p;
  ++longer.key_tokens;
  const auto run = scene.run(longer, {output}, [&](Launch& launch) {
    for (const char* name : {"k", "v"}) {
      const ElementValues values = scene.input(name);
      const i64 sequence = i64(values.size()) / p.batch, token = sequence / p.key_tokens;
      ElementValues all;
      for (i64 n = 0; n < p.batch; ++n) {
        const auto start = values.begin() + n * sequence;
        all.insert(all.end(), start, start + sequence);
        all.insert(all.end(), start, start + token);  // the first key once more, behind what any query sees
      }
      set_input(launch, name, all);
    }
  });
  return equal_outputs(scene, output, run);
}

bool is_varlen(const RelationScene& scene) { return is_forward(scene) && attention(scene).varlen(); }

std::optional<Judgement> equals_single_sequences(const RelationScene& scene, const std::string& output) {
  const AttentionProblem& p = attention(scene);
  Pairs pairs(scene, output);
  const i64 rows = p.query_tokens, inner = output == "lse" ? 1 : pairs.count() / rows;
  for (i64 sequence = 0; sequence < p.sequences(); ++sequence) {
    const i64 queries = p.queries_of(sequence), keys = p.keys_of(sequence);
    const i64 first = p.first_query_of(sequence), first_key = p.first_key_of(sequence);
    if (queries == 0 || keys == 0) continue;
    const auto run = scene.run(p.single(sequence), {output}, [&](Launch& launch) {
      const i64 value_dim = p.columns_of_values(), key_heads = p.heads_of_keys();
      set_input(launch, "q", tokens_of(scene.input("q"), 1, 0, first, queries, p.heads * p.head_dim));
      set_input(launch, "k", tokens_of(scene.input("k"), 1, 0, first_key, keys, key_heads * p.head_dim));
      set_input(launch, "v", tokens_of(scene.input("v"), 1, 0, first_key, keys, key_heads * value_dim));
      if (p.sink) set_input(launch, "sinks", scene.input("sinks"));
    });
    if (!run) return std::nullopt;
    for (i64 n = 0; n < queries * inner && output == "out"; ++n) pairs.compare(first * inner + n, run->front(), n);
    for (i64 n = 0; n < queries * p.heads && output == "lse"; ++n) {
      pairs.compare(n / queries * rows + first + n % queries, run->front(), n);
    }
  }
  return pairs.judgement();
}

}  // namespace

const std::vector<Relation>& attention_relations() {
  static const std::vector<Relation> relations = [] {
    std::vector<Relation> all = {
        {"v times 2 is out times 2", is_forward, scales_with_values},
        {"heads do not depend on each other", has_heads, keeps_heads_apart},
        {"sequences do not depend on each other", has_batch, keeps_sequences_apart},
        {"heads that share keys equal heads with the same keys", shares_heads, equals_repeated_heads},
        {"causal: the first tokens do not depend on the others", has_prefix, equals_its_prefix},
        {"a key that nobody sees changes nothing", can_hide_a_key, ignores_a_masked_key},
        {"varlen equals its sequences one by one", is_varlen, equals_single_sequences}};
    for (const Relation& relation : cache_relations()) all.push_back(relation);
    return all;
  }();
  return relations;
}

}  // namespace ropewalk::attention
