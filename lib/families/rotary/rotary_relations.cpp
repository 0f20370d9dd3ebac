#include "lib/families/rotary/rotary_relations.h"

// Relations of rotary embeddings. Bounds are put together from those that are justified for each output element (b),
// and from the rounding of cos and sin to the table's format: with |dc|, |ds| <= d,
//   |c^2 + s^2 - 1| <= 2 sqrt(2) d + 2 d^2 <= 3 d + 2 d^2,
// and a pair rotated by the rounded table is off by at most sqrt(2) d of its length from one rotated by the angle
// itself.
#include <algorithm>
#include <cmath>

#include "lib/campaign/relation.h"
#include "lib/problem/rotary.h"

namespace ropewalk::rotary {

using campaign::BoundedOutput;
using campaign::RelationJudge;
using campaign::RelationScene;
using compare::Judgement;

namespace {

const RotaryProblem& rotary(const RelationScene& scene) { return scene.problem().get<RotaryProblem>(); }

bool builds_cache(const RelationScene& scene) {
  const i64 cosine = scene.launch().tensor_named("cos");
  return cosine >= 0 && scene.launch().tensors[u64(cosine)].output;
}
bool has_keys(const RelationScene& scene) { return scene.launch().tensor_named("q") >= 0; }
bool rotates(const RelationScene& scene) { return !builds_cache(scene); }
// A rotation whose steps are rounded keeps no norm within the bounds of its elements, which are 0.
bool turns(const RelationScene& scene) { return rotates(scene) && rotary(scene).rounding == RotaryRounding::Once; }
bool rotates_x(const RelationScene& scene) { return !builds_cache(scene) && !has_keys(scene); }

// What the output's rows are made of.
std::string source_of(const std::string& output) { return output == "out" ? "x" : output; }

// Largest error of rounding a number in [-1, 1] to the table's format, as a double power of two.
double table_error(const RotaryProblem& problem) {
  return problem.cache_dtype == Dtype::BF16 ? 0x1p-9 : problem.cache_dtype == Dtype::F16 ? 0x1p-12 : 0x1p-25;
}

// What c^2 + s^2 may be off from 1.
double square_error(const RotaryProblem& problem) {
  const double d = table_error(problem);
  return 3 * d + 2 * d * d + 0x1p-40;
}

// Calls visit(first, second) with the columns of every pair.
template <class Visit>
void each_pair(const RotaryProblem& problem, Visit visit) {
  const i64 pairs = problem.width() / 2;
  const bool half = problem.layout == RotaryLayout::Half;
  for (i64 pair = 0; pair < pairs; ++pair) visit(half ? pair : 2 * pair, half ? pair + pairs : 2 * pair + 1);
}

std::optional<Judgement> keeps_norms(const RelationScene& scene, const std::string& output) {
  const RotaryProblem& problem = rotary(scene);
  const BoundedOutput out = scene.output(output);
  const std::vector<double> x = scene.input(source_of(output));
  RelationJudge judge(scene.tensor(output));
  for (i64 row = 0; row < i64(x.size()); row += problem.head_dim) {
    each_pair(problem, [&](i64 first, i64 second) {
      const u64 a = u64(row + first), b = u64(row + second);
      const double got = out.value[a] * out.value[a] + out.value[b] * out.value[b];
      const double expected = x[a] * x[a] + x[b] * x[b];
      // |got^2 - exact^2| <= b (2 |got| + b) for each of the two.
      const double bound = out.bound[a] * (2 * std::abs(out.value[a]) + out.bound[a]) +
                           out.bound[b] * (2 * std::abs(out.value[b]) + out.bound[b]) +
                           square_error(problem) * expected;
      judge.compare(i64(a), got, expected, bound);
    });
  }
  return judge.judgement();
}

bool has_tail(const RelationScene& scene) { return rotates(scene) && rotary(scene).width() < rotary(scene).head_dim; }

std::optional<Judgement> leaves_tails(const RelationScene& scene, const std::string& output) {
  const RotaryProblem& problem = rotary(scene);
  const BoundedOutput out = scene.output(output);
  const std::vector<double> x = scene.input(source_of(output));
  RelationJudge judge(scene.tensor(output));
  for (i64 n = 0; n < i64(x.size()); ++n) {
    if (n % problem.head_dim < problem.width() || std::isinf(out.bound[u64(n)])) continue;
    judge.compare(n, out.value[u64(n)], x[u64(n)], 0);
  }
  return judge.judgement();
}

// Turned back: z = R' (R x + e) + e', so that z - x = (c^2 + s^2 - 1) x + R' e + e'.
std::optional<Judgement> is_undone(const RelationScene& scene, const std::string& output) {
  RotaryProblem back = rotary(scene);
  back.backward = !back.backward;
  const BoundedOutput out = scene.output(output);
  const std::string source = source_of(output);
  const auto again = scene.run(back, {output}, [&](Launch& launch) {
    std::vector<double> rotated = out.value;
    for (u64 n = 0; n < rotated.size(); ++n) rotated[n] = std::isinf(out.bound[n]) ? 0 : rotated[n];
    campaign::set_input(launch, source, rotated);
  });
  if (!again) return std::nullopt;
  const std::vector<double> x = scene.input(source);
  const double d = table_error(back), square = square_error(back);
  RelationJudge judge(scene.tensor(output));
  const auto compare = [&](u64 n, double error) {
    judge.compare(i64(n), again->front().value[n], x[n], square * std::abs(x[n]) + error + again->front().bound[n]);
  };
  for (i64 row = 0; row < i64(x.size()); row += back.head_dim) {
    each_pair(back, [&](i64 first, i64 second) {
      const u64 a = u64(row + first), b = u64(row + second);
      const double error = (1 + d) * (out.bound[a] + out.bound[b]);
      compare(a, error);
      compare(b, error);
    });
  }
  return judge.judgement();
}

// The products <R(p) x, R(q) y> of rows that follow each other, with all positions moved on by the same number.
std::optional<Judgement> depends_on_distance(const RelationScene& scene, const std::string& output) {
  constexpr i64 shift = 5;
  RotaryProblem moved = rotary(scene);
  moved.cache_rows = 0;
  moved.offset += shift;
  for (i64& offset : moved.offsets) offset += shift;
  for (i64& position : moved.positions) position += shift;
  const auto far = scene.run(moved, {output});
  if (!far) return std::nullopt;
  const BoundedOutput near = scene.output(output);
  const std::vector<double> x = scene.input(source_of(output));
  const double d = table_error(moved);
  const i64 head_dim = moved.head_dim, rows = i64(x.size()) / head_dim;
  const i64 heads = scene.tensor(output).shape[scene.tensor(output).shape.size() - 2];
  RelationJudge judge(scene.tensor(output));
  // Rows past the last sequence are not rotated.
  const i64 rotated = moved.varlen() ? std::min(rows, moved.cu_seqlens.back() * heads) : rows;
  for (i64 row = 0; row + heads < rotated; ++row) {
    double got = 0, expected = 0, bound = 0;
    const auto add = [&](const BoundedOutput& of, u64 a, u64 b, double& sum) {
      sum += of.value[a] * of.value[b];
      bound += std::abs(of.value[a]) * of.bound[b] + std::abs(of.value[b]) * of.bound[a] + of.bound[a] * of.bound[b] +
               0x1p-50 * std::abs(of.value[a] * of.value[b]);
    };
    each_pair(moved, [&](i64 first, i64 second) {
      const u64 a1 = u64(row * head_dim + first), a2 = u64(row * head_dim + second);
      const u64 b1 = a1 + u64(heads * head_dim), b2 = a2 + u64(heads * head_dim);
      for (const auto& [a, b] : {std::pair{a1, b1}, std::pair{a2, b2}}) {
        add(far->front(), a, b, got);
        add(near, a, b, expected);
      }
      // Each of the four rotated pairs is off by sqrt(2) d of its length.
      const double lengths = std::hypot(x[a1], x[a2]) * std::hypot(x[b1], x[b2]);
      bound += 2 * (2 * 1.4143 * d + 2 * d * d + 0x1p-40) * lengths;
    });
    judge.compare(row * head_dim, got, expected, std::isnan(bound) ? HUGE_VAL : bound);
  }
  return judge.judgement();
}

std::optional<Judgement> follows_permutation(const RelationScene& scene, const std::string& output,
                                             const RotaryProblem& permuted, u64 dimension) {
  const std::string source = source_of(output);
  const std::vector<u64> other = campaign::reversed(scene.tensor(output).shape, dimension);
  const std::vector<double> x = scene.input(source);
  const auto run = scene.run(permuted, {output}, [&](Launch& launch) {
    std::vector<double> rotated(x.size());
    for (u64 n = 0; n < x.size(); ++n) rotated[other[n]] = x[n];
    campaign::set_input(launch, source, rotated);
  });
  if (!run) return std::nullopt;
  const BoundedOutput out = scene.output(output);
  RelationJudge judge(scene.tensor(output));
  for (u64 n = 0; n < x.size(); ++n) {
    judge.compare(i64(n), out.value[n], run->front().value[other[n]], out.bound[n] + run->front().bound[other[n]]);
  }
  return judge.judgement();
}

std::optional<Judgement> keeps_heads_apart(const RelationScene& scene, const std::string& output) {
  return follows_permutation(scene, output, rotary(scene), scene.tensor(output).shape.size() - 2);
}

bool has_heads(const RelationScene& scene) { return rotates(scene) && rotary(scene).heads > 1; }
bool has_batch(const RelationScene& scene) {
  return rotates_x(scene) && !rotary(scene).varlen() && rotary(scene).batch > 1;
}
bool is_varlen(const RelationScene& scene) { return rotates_x(scene) && rotary(scene).varlen(); }

std::optional<Judgement> keeps_sequences_apart(const RelationScene& scene, const std::string& output) {
  RotaryProblem permuted = rotary(scene);
  std::reverse(permuted.offsets.begin(), permuted.offsets.end());
  return follows_permutation(scene, output, permuted, 0);
}

std::optional<Judgement> equals_single_sequences(const RelationScene& scene, const std::string& output) {
  const RotaryProblem& problem = rotary(scene);
  const BoundedOutput out = scene.output(output);
  const std::vector<double> x = scene.input(source_of(output));
  const i64 token = problem.heads * problem.head_dim;
  RelationJudge judge(scene.tensor(output));
  for (i64 sequence = 0; sequence < problem.sequences(); ++sequence) {
    const i64 tokens = problem.tokens_of_sequence(sequence), first = problem.cu_seqlens[u64(sequence)] * token;
    if (tokens == 0) continue;
    RotaryProblem single = problem;
    single.batch = 1;
    single.tokens = tokens;
    single.cu_seqlens.clear();
    single.offsets.clear();
    single.offset = problem.offset_of_sequence(sequence);
    single.cache_rows = problem.table_rows();
    const auto run = scene.run(single, {output}, [&](Launch& launch) {
      campaign::set_input(launch, source_of(output), {x.begin() + first, x.begin() + first + tokens * token});
    });
    if (!run) return std::nullopt;
    for (i64 n = 0; n < tokens * token; ++n) {
      const u64 here = u64(first + n);
      judge.compare(first + n, out.value[here], run->front().value[u64(n)],
                    out.bound[here] + run->front().bound[u64(n)]);
    }
  }
  return judge.judgement();
}

// cos^2 + sin^2 = 1, within what both may be off.
std::optional<Judgement> is_on_the_circle(const RelationScene& scene, const std::string& output) {
  const BoundedOutput cosine = scene.output("cos"), sine = scene.output("sin");
  RelationJudge judge(scene.tensor(output));
  for (u64 n = 0; n < cosine.value.size(); ++n) {
    const double c = cosine.value[n], s = sine.value[n], dc = cosine.bound[n], ds = sine.bound[n];
    judge.compare(i64(n), c * c + s * s, 1, dc * (2 * std::abs(c) + dc) + ds * (2 * std::abs(s) + ds) + 0x1p-50);
  }
  return judge.judgement();
}

}  // namespace

const std::vector<campaign::Relation>& rotary_relations() {
  static const std::vector<campaign::Relation> relations = {
      {"rotation keeps the norm of each pair", turns, keeps_norms},
      {"columns behind rotary_dim stay as they are", has_tail, leaves_tails},
      {"backward undoes forward", turns, is_undone},
      {"<R(p) x, R(q) y> depends on p - q alone", turns, depends_on_distance},
      {"heads do not depend on each other", has_heads, keeps_heads_apart},
      {"sequences do not depend on each other", has_batch, keeps_sequences_apart},
      {"varlen equals its sequences one by one", is_varlen, equals_single_sequences},
      {"cos^2 + sin^2 = 1", builds_cache, is_on_the_circle}};
  return relations;
}

}  // namespace ropewalk::rotary
