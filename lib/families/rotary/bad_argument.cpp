#include "lib/families/rotary/bad_argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/diagnose/observed.h"
#include "lib/diagnose/rotary_facts.h"
#include "lib/diagnose/widths.h"
#include "lib/families/rotary/rotation.h"
#include "lib/problem/rotary.h"

namespace ropewalk::rotary {
namespace {

Cause cause_of(const char* id, const std::string& text, const std::string& advice) {
  return {id, text, {text}, advice};
}

struct PositionRange {
  i64 lowest = 0, highest = 0;
};

PositionRange positions_of(const RotaryProblem& problem) {
  PositionRange range{problem.positions.empty() ? INT64_MAX : problem.positions.front(), INT64_MIN};
  for (const i64 position : problem.positions) {
    range = {std::min(range.lowest, position), std::max(range.highest, position)};
  }
  if (!problem.positions.empty()) return range;
  for (i64 sequence = 0; sequence < problem.sequences(); ++sequence) {
    const i64 tokens = problem.tokens_of_sequence(sequence), first = problem.offset_of_sequence(sequence);
    if (tokens > 0) range = {std::min(range.lowest, first), std::max(range.highest, first + tokens - 1)};
  }
  return range;
}

// All that is wrong with a problem, each with its cause.
std::vector<Cause> faults_of(const RotaryProblem& problem) {
  std::vector<Cause> causes;
  const i64 width = problem.width(), rows = problem.table_rows();
  if (width > problem.head_dim) causes.push_back(diagnose::cause_of_width(problem));
  if (width % 2) causes.push_back(diagnose::cause_of_odd_width(width, fmt::format("rotary_dim {}", width)));
  const PositionRange positions = positions_of(problem);
  if (positions.lowest < 0) {
    causes.push_back(cause_of("negative-position", fmt::format("position {} is asked for", positions.lowest),
                              "reject negative offsets and positions before the launch"));
  }
  if (positions.highest >= rows) {
    causes.push_back(
        cause_of("cache-too-short",
                 fmt::format("position {} is asked for, and cos and sin have {} rows", positions.highest, rows),
                 fmt::format("build cos and sin with at least {} rows, or reject such positions before the launch",
                             positions.highest + 1)));
  }
  if (problem.varlen() && problem.cu_seqlens.back() > problem.tokens) {
    causes.push_back(
        cause_of("varlen-total-over-rows",
                 fmt::format("cu_seqlens end at {}, and x has {} rows", problem.cu_seqlens.back(), problem.tokens),
                 fmt::format("the last entry of cu_seqlens must be the number of rows ({})", problem.tokens)));
  }
  if (problem.batch_of_keys() != problem.batch) {
    causes.push_back(cause_of("unequal-batches",
                              fmt::format("q has {} batches and k has {}", problem.batch, problem.batch_of_keys()),
                              "reject q and k of unequal batches before the launch"));
  }
  return causes;
}

// Whether every known element is as the rotation says, and how many there are.
bool is_reproduced(const Rotation& rotation, const diagnose::Observed& seen, const std::vector<bool>& among) {
  const diagnose::Expected expected = rotation.expected();
  u64 compared = 0;
  for (u64 n = 0; n < seen.value.size(); ++n) {
    if (!seen.known[n] || !among[n] || std::isinf(expected.bound[n])) continue;
    if (std::abs(seen.value[n] - expected.value[n]) > expected.bound[n]) return false;
    ++compared;
  }
  return compared > 0;
}

// Adds what the output shows of rows whose positions the cache has not.
void look_at_output(Cause& cause, const RotaryProblem& problem, const diagnose::Scene& scene) {
  const i64 number = scene.launch.tensor_named(problem.inplace ? "x" : "out");
  if (number < 0) return;
  const LaunchTensor& output = scene.launch.tensors[u64(number)];
  const auto seen = diagnose::observed(output, scene);
  const auto right = seen ? rotation_of(output, problem, scene.launch) : std::nullopt;
  if (!right) return;
  const i64 rows = problem.table_rows();
  const u64 row_elements = u64(right->heads * problem.head_dim);
  std::vector<bool> outside(seen->value.size());
  bool all_known = true, unchanged = true;
  for (u64 n = 0; n < outside.size(); ++n) {
    const i64 position = right->positions[n / row_elements];
    outside[n] = position < 0 || position >= rows;
    all_known &= !outside[n] || seen->known[n];
    unchanged &= !outside[n] || seen->value[n] == right->x[n];
  }
  if (!all_known) return;
  if (unchanged) {
    cause.evidence.push_back(
        fmt::format("rows of {} at positions outside of the {} rows are as they were in x: taken for "
                    "cos 1 and sin 0",
                    output.name, rows));
    return;
  }
  Rotation wrapped = *right;
  for (i64& position : wrapped.positions) position = position < 0 ? position : position % rows;
  if (!is_reproduced(wrapped, *seen, outside)) return;
  cause.id = "position-wrap";
  cause.text = fmt::format("{}, where positions wrap", cause.text);
  cause.evidence.push_back(
      fmt::format("rows of {} at positions from {} on are rotated as those from 0 on", output.name, rows));
}

}  // namespace

std::optional<Cause> bad_argument(const Finding& finding, const diagnose::Scene& scene) {
  const RotaryProblem* problem = diagnose::rotary_problem(scene);
  if (finding.rule != Rule::BadArgumentAccepted || !problem) return std::nullopt;
  std::vector<Cause> causes = faults_of(*problem);
  if (causes.size() != 1) return std::nullopt;
  if (causes.front().id == "cache-too-short") look_at_output(causes.front(), *problem, scene);
  return std::move(causes.front());
}

}  // namespace ropewalk::rotary
