// Relations of attention to a cache, and of its parts.
#include <cmath>
#include <limits>

#include "lib/base/random.h"
#include "lib/families/attention/attention_pairs.h"
#include "lib/families/attention/attention_relations.h"
#include "lib/families/attention/cached_keys.h"
#include "lib/problem/attention.h"
#include "lib/problem/pages.h"

namespace ropewalk::attention {

using campaign::RelationScene;
using campaign::set_input;
using compare::Judgement;

namespace {

bool has_pages(const RelationScene& scene) { return is_forward(scene) && attention(scene).page_size > 0; }

// Every page goes to the slot that is as far from the pool's end as its own is from the beginning.
std::optional<Judgement> does_not_depend_on_pages(const RelationScene& scene, const std::string& output) {
  AttentionProblem moved = attention(scene);
  const i64 pages = pages_in_pool(moved);
  moved.block_table = block_table_of(moved);
  for (i64& page : moved.block_table) page = page < 0 || page >= pages ? page : pages - 1 - page;
  const auto run = scene.run(moved, {output}, [&](Launch& launch) {
    for (const char* name : {"k", "v"}) set_reversed(launch, scene, name, 0);
  });
  if (!run) return std::nullopt;
  Pairs pairs(scene, output);
  for (i64 n = 0; n < pairs.count(); ++n) pairs.compare_bits(n, run->front(), n);
  return pairs.judgement();
}

std::optional<Judgement> equals_rows_in_order(const RelationScene& scene, const std::string& output) {
  AttentionProblem contiguous = attention(scene);
  contiguous.page_size = contiguous.spare_pages = 0;
  contiguous.block_table.clear();
  const auto run = scene.run(contiguous, {output}, [&](Launch& launch) {
    for (const char* name : {"k", "v"}) {
      set_input(launch, name, keys_in_order(attention(scene), scene.launch(), name));
    }
  });
  return equal_outputs(scene, output, run);
}

// The same problem in two to five parts.
AttentionProblem split_from(const AttentionProblem& whole) {
  AttentionProblem split = whole;
  split.splits = 2 + i64(mix(whole.seed) % 4);
  return split;
}

bool is_whole(const RelationScene& scene) {
  const AttentionProblem& p = attention(scene);
  return is_forward(scene) && !p.varlen() && p.splits == 1 && scene.takes(split_from(p));
}

// The parts of one row, put together in double precision, and what they are off by then.
struct WholeRow {
  double lse = -HUGE_VAL, lse_bound = 0;
  std::vector<double> weights, errors;  // exp(lse of the part - lse), and their relative errors

  WholeRow(const campaign::BoundedOutput& parts, i64 count, i64 stride, i64 row, std::optional<double> sink) {
    double largest = sink.value_or(-HUGE_VAL), sum = 0;
    const auto at = [&](i64 part) { return u64(part * stride + row); };
    for (i64 part = 0; part < count; ++part) {
      largest = std::max(largest, parts.value[at(part)]);
      lse_bound = std::max(lse_bound, parts.bound[at(part)]);
    }
    if (largest == -HUGE_VAL) {
      weights.assign(u64(count), 0);
      errors = weights;
      return;
    }
    if (sink) sum = std::exp(*sink - largest);
    for (i64 part = 0; part < count; ++part) sum += std::exp(parts.value[at(part)] - largest);
    lse = largest + std::log(sum);
    for (i64 part = 0; part < count; ++part) {
      weights.push_back(std::exp(parts.value[at(part)] - lse));
      errors.push_back(std::expm1(parts.bound[at(part)] + lse_bound));
    }
  }
};

std::optional<Judgement> equals_its_parts(const RelationScene& scene, const std::string& output) {
  const AttentionProblem& p = attention(scene);
  const AttentionProblem split = split_from(p);
  const auto run = scene.run(split, {"out_partial", "lse_partial"});
  if (!run) return std::nullopt;
  const campaign::BoundedOutput &out = run->front(), &lse = run->back();
  const ElementValues sinks = p.sink ? scene.input("sinks") : ElementValues{};
  Pairs pairs(scene, output);
  const i64 rows = p.batch * p.query_tokens * p.heads, columns = p.columns_of_values();
  for (i64 row = 0; row < rows; ++row) {
    const i64 head = row % p.heads, query = row / p.heads % p.query_tokens, sequence = row / p.heads / p.query_tokens;
    const i64 lse_at = (sequence * p.heads + head) * p.query_tokens + query;
    const WholeRow whole(lse, split.splits, rows, lse_at,
                         p.sink ? std::optional<double>(sinks[u64(head)]) : std::nullopt);
    if (output == "lse") {
      pairs.compare(lse_at, whole.lse, whole.lse_bound);
      continue;
    }
    for (i64 column = 0; column < columns; ++column) {
      double value = 0, bound = 0;
      for (i64 part = 0; part < split.splits; ++part) {
        const u64 at = u64((part * rows + row) * columns + column);
        const double weight = whole.weights[u64(part)], error = whole.errors[u64(part)];
        if (weight == 0) continue;
        value += weight * out.value[at];
        bound += weight * ((1 + error) * out.bound[at] + error * std::abs(out.value[at]));
      }
      pairs.compare(row * columns + column, value, bound);
    }
  }
  return pairs.judgement();
}

bool has_last_queries(const RelationScene& scene) {
  const AttentionProblem& p = attention(scene);
  return is_forward(scene) && !p.varlen() && p.ranks == 1 && p.query_tokens > 1 && p.causal != Causal::TopLeft;
}

// The last queries see the same keys at the same distance where they come alone: a prefill's last chunk.
std::optional<Judgement> equals_its_last_queries(const RelationScene& scene, const std::string& output) {
  const AttentionProblem& p = attention(scene);
  AttentionProblem last = p;
  const i64 all = p.query_tokens, first = all / 2, some = all - first;
  last.query_tokens = some;
  const auto run = scene.run(last, {output}, [&](Launch& launch) {
    set_input(launch, "q", tokens_of(scene.input("q"), p.batch, all, first, some, p.heads * p.head_dim));
  });
  if (!run) return std::nullopt;
  Pairs pairs(scene, output);
  // out is [..., Tq, H, Dv], lse [..., H, Tq].
  const i64 inner = output.starts_with("lse") ? 1 : p.heads * p.columns_of_values();
  for (i64 n = 0; n < pairs.count() / (all * inner); ++n) {
    for (i64 m = 0; m < some * inner; ++m) {
      pairs.compare((n * all + first) * inner + m, run->front(), n * some * inner + m);
    }
  }
  return pairs.judgement();
}

bool has_lengths(const RelationScene& scene) {
  const AttentionProblem& p = attention(scene);
  return is_forward(scene) && !p.key_lengths.empty() && p.splits == 1 && p.page_size == 0;
}

std::optional<Judgement> equals_shorter_caches(const RelationScene& scene, const std::string& output) {
  const AttentionProblem& p = attention(scene);
  Pairs pairs(scene, output);
  const i64 part = pairs.count() / p.batch, room = p.key_tokens;
  for (i64 sequence = 0; sequence < p.batch; ++sequence) {
    AttentionProblem single = p;
    single.batch = 1;
    single.key_tokens = p.keys_of(sequence);
    single.key_lengths.clear();
    if (single.key_tokens == 0) continue;
    const auto run = scene.run(single, {output}, [&](Launch& launch) {
      const auto cut = [&](const char* name, i64 of_sequence, i64 tokens) {
        const ElementValues all = scene.input(name);
        const i64 token = i64(all.size()) / (p.batch * of_sequence);
        const auto start = all.begin() + sequence * of_sequence * token;
        set_input(launch, name, ElementValues(start, start + tokens * token));
      };
      cut("q", p.query_tokens, p.query_tokens);
      cut("k", room, single.key_tokens);
      cut("v", room, single.key_tokens);
    });
    if (!run) return std::nullopt;
    for (i64 n = 0; n < part; ++n) pairs.compare(sequence * part + n, run->front(), n);
  }
  return pairs.judgement();
}

bool is_merge(const RelationScene& scene) { return !has(scene, "q") && has(scene, "out_partial"); }

std::optional<Judgement> does_not_depend_on_order(const RelationScene& scene, const std::string& output) {
  const auto run = scene.run(scene.problem(), {output}, [&](Launch& launch) {
    for (const char* name : {"out_partial", "lse_partial"}) set_reversed(launch, scene, name, 0);
  });
  return equal_outputs(scene, output, run);
}

std::optional<Judgement> ignores_an_empty_part(const RelationScene& scene, const std::string& output) {
  AttentionProblem more = attention(scene);
  ++more.splits;
  const auto run = scene.run(more, {output}, [&](Launch& launch) {
    const double poison = std::numeric_limits<double>::quiet_NaN();
    for (const auto& [name, value] : {std::pair{"out_partial", poison}, {"lse_partial", -HUGE_VAL}}) {
      ElementValues values = scene.input(name);
      values.resize(values.size() + values.size() / u64(attention(scene).splits), value);
      set_input(launch, name, values);
    }
  });
  return equal_outputs(scene, output, run);
}

}  // namespace

std::vector<campaign::Relation> cache_relations() {
  return {{"pages in other slots hold the same keys", has_pages, does_not_depend_on_pages},
          {"keys in pages equal keys in a row", has_pages, equals_rows_in_order},
          {"the parts of the keys come to the whole", is_whole, equals_its_parts},
          {"the last queries alone equal those of all", has_last_queries, equals_its_last_queries},
          {"a longer cache equals one that is as long as its keys", has_lengths, equals_shorter_caches},
          {"parts are merged in any order", is_merge, does_not_depend_on_order},
          {"a part without keys changes nothing", is_merge, ignores_an_empty_part}};
}

}  // namespace ropewalk::attention
