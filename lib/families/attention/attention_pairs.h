// What relations of attention have in common.
#pragma once
#include <string>
#include <vector>

#include "lib/campaign/relation.h"
#include "lib/problem/attention.h"

namespace ropewalk::attention {

using ElementValues = std::vector<double>;

inline const AttentionProblem& attention(const campaign::RelationScene& scene) {
  return scene.problem().get<AttentionProblem>();
}

inline bool has(const campaign::RelationScene& scene, const std::string& name) {
  return scene.launch().tensor_named(name) >= 0;
}
inline bool is_forward(const campaign::RelationScene& scene) { return !has(scene, "dq") && has(scene, "q"); }
// Whether k and v are rows of tokens, of which every sequence of a batch has all.
inline bool is_plain(const AttentionProblem& p) {
  return !p.varlen() && p.key_lengths.empty() && p.page_size == 0 && p.splits == 1;
}

// Of each of `sequences`, `stride` tokens apart, tokens [first, first + count) of `token` numbers.
inline ElementValues tokens_of(const ElementValues& values, i64 sequences, i64 stride, i64 first, i64 count,
                               i64 token) {
  ElementValues some;
  for (i64 sequence = 0; sequence < sequences; ++sequence) {
    const auto start = values.begin() + (sequence * stride + first) * token;
    some.insert(some.end(), start, start + count * token);
  }
  return some;
}

// Gives a related launch the scene's input with one dimension, counted from the first one, reversed.
inline void set_reversed(Launch& launch, const campaign::RelationScene& scene, const std::string& name, u64 dimension) {
  const ElementValues values = scene.input(name);
  const std::vector<u64> other = campaign::reversed(scene.tensor(name).shape, dimension);
  ElementValues permuted(values.size());
  for (u64 n = 0; n < values.size(); ++n) permuted[other[n]] = values[n];
  campaign::set_input(launch, name, permuted);
}

// Holds output element n against element `other` of another run, for all n that are compared.
class Pairs {
 public:
  Pairs(const campaign::RelationScene& scene, const std::string& output)
      : here_(scene.output(output)), judge_(scene.tensor(output)) {}
  void compare(i64 n, const campaign::BoundedOutput& there, i64 other, double factor = 1) {
    judge_.compare(n, here_.value[u64(n)] * factor, there.value[u64(other)],
                   here_.bound[u64(n)] * factor + there.bound[u64(other)]);
  }
  // The same where both must have the same bits.
  void compare_bits(i64 n, const campaign::BoundedOutput& there, i64 other) {
    judge_.compare(n, here_.value[u64(n)], there.value[u64(other)], 0);
  }
  // Element n against a value that is off by this much.
  void compare(i64 n, double value, double bound) {
    judge_.compare(n, here_.value[u64(n)], value, here_.bound[u64(n)] + bound);
  }
  i64 count() const { return i64(here_.value.size()); }
  const compare::Judgement& judgement() const { return judge_.judgement(); }

 private:
  const campaign::BoundedOutput here_;
  campaign::RelationJudge judge_;
};

// Holds an output against that of the related run, element by element; nothing where there was no run.
inline std::optional<compare::Judgement> equal_outputs(const campaign::RelationScene& scene, const std::string& output,
                                                       const std::optional<std::vector<campaign::BoundedOutput>>& run) {
  if (!run) return std::nullopt;
  Pairs pairs(scene, output);
  for (i64 n = 0; n < pairs.count(); ++n) pairs.compare(n, run->front(), n);
  return pairs.judgement();
}

}  // namespace ropewalk::attention
