#include "lib/diagnose/strides.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "lib/diagnose/asked_rows.h"
#include "lib/diagnose/attention_facts.h"
#include "lib/diagnose/mixed_strides.h"
#include "lib/diagnose/predicted.h"
#include "lib/diagnose/rotary_facts.h"
#include "lib/diagnose/touched.h"
#include "lib/problem/rotary.h"

namespace ropewalk::diagnose {
namespace {

// A guess: the strides that the kernel used, and whose they are.
struct Guess {
  Strides strides;
  std::vector<i64> rows;  // that are asked for; empty: all
  std::string text;       // "the strides of x: [96, 24, 1] instead of [64, 16, 1]"
};

// Rows of cos and sin that were taken to be as wide as a head, or half of it.
std::vector<Guess> table_guesses(const LaunchTensor& table, const RotaryProblem& problem, const Scene& scene) {
  std::vector<Guess> guesses;
  for (const auto& [stride, what] :
       {std::pair{problem.head_dim / 2, "half of head_dim"}, std::pair{problem.head_dim, "head_dim"}}) {
    if (table.shape.size() != 2 || stride == table.strides[0]) continue;
    guesses.push_back({{stride, 1},
                       rows_asked_for(scene),
                       fmt::format("rows of {} ({}) columns, and has {}", stride, what, table.shape[1])});
  }
  return guesses;
}

std::vector<Guess> guesses_for(const LaunchTensor& tensor, const Scene& scene) {
  const Launch& launch = scene.launch;
  const RotaryProblem* problem = rotary_problem(scene);
  if (problem && is_table(tensor)) return table_guesses(tensor, *problem, scene);
  std::vector<Guess> guesses;
  // Rows past the last sequence are nobody's, and no thread goes there.
  std::vector<i64> rows;
  if (problem && tensor.shape.size() >= 3) {
    const i64 in_sequences = rows_in_sequences(tensor, *problem);
    if (in_sequences * tensor.shape.back() < element_count(tensor.shape)) rows.resize(u64(in_sequences));
    std::iota(rows.begin(), rows.end(), 0);
  }
  const auto add_from = [&](const Strides& other, const std::string& whose) {
    for (MixedStrides& mixed : mixed_strides(tensor, other, whose)) {
      guesses.push_back({std::move(mixed.strides), rows, std::move(mixed.text)});
    }
  };
  for (const LaunchTensor& other : launch.tensors) {
    if (&other == &tensor || other.shape.size() != tensor.shape.size() || is_table(other)) continue;
    add_from(other.strides, "strides of " + other.name);
  }
  if (!is_dense(tensor)) add_from(contiguous_strides(tensor.shape), "strides of a tensor without gaps");
  return guesses;
}

// Columns that a kernel may go through in one loop: all of a row, those that are rotated, those that are not.
std::vector<std::pair<i64, i64>> column_ranges(const LaunchTensor& tensor, const Scene& scene) {
  const i64 columns = tensor.shape.back();
  const RotaryProblem* problem = rotary_problem(scene);
  if (!problem || is_table(tensor) || problem->width() >= columns) return {{0, columns}};
  return {{0, columns}, {0, problem->width()}, {problem->width(), columns}};
}

}  // namespace

std::optional<Cause> wrong_stride(const Finding& finding, const Scene& scene) {
  if (!has_sound_lists(scene)) return std::nullopt;  // rows that lists lead to are reached by any stride
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (!tensor || (!is_stray(finding) && finding.rule != Rule::OutputNotWritten)) return std::nullopt;
  // The rows of a cache are where its table and lengths say; misread_pages knows these.
  if (is_of_cache(*tensor, scene)) return std::nullopt;
  if (tensor->shape.size() < 2 || element_count(tensor->shape) > most_elements_of_a_guess) return std::nullopt;
  if (rotary_problem(scene) && !widths_fit(scene, *tensor)) return std::nullopt;
  const Seen seen = seen_of(*tensor, scene);
  if (seen.strays.empty()) return std::nullopt;
  for (const Guess& guess : guesses_for(*tensor, scene)) {
    for (const auto& [first, last] : column_ranges(*tensor, scene)) {
      const Prediction prediction = predict(*tensor, {tensor->shape, guess.strides, first, last, guess.rows});
      if (!explains(prediction, seen)) continue;
      Cause cause;
      cause.id = "wrong-stride";
      cause.text = fmt::format("{} is indexed with {}", tensor->name, guess.text);
      // In a tensor with gaps all elements of a gap are reported as the one before it, so that they cannot be counted.
      cause.evidence = {
          is_dense(*tensor)
              ? fmt::format("{} of the {} elements outside of {}'s own that these strides reach were touched, and "
                            "no other",
                            seen.strays.size(), prediction.strays.size(), tensor->name)
              : fmt::format(
                    "what was touched outside of {}'s own elements, between its rows and past its end, is where "
                    "these strides lead, and no other",
                    tensor->name)};
      if (!seen.unwritten.empty()) {
        cause.evidence.push_back(fmt::format("{} elements are never written; these strides leave out {}",
                                             seen.unwritten.size(), prediction.untouched.size()));
      }
      cause.advice = fmt::format("pass the strides of {} itself, each tensor its own", tensor->name);
      return cause;
    }
  }
  return std::nullopt;
}

}  // namespace ropewalk::diagnose
