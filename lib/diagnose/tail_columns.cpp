#include "lib/diagnose/tail_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lib/diagnose/rotary_facts.h"
#include "lib/diagnose/tiles.h"
#include "lib/diagnose/touched.h"
#include "lib/problem/rotary.h"

namespace ropewalk::diagnose {
namespace {

// Columns past the width that lanes [pairs, end) turn.
std::set<i64> columns_of_lanes(const RotaryProblem& problem, i64 end) {
  const bool half = problem.layout == RotaryLayout::Half;
  const i64 pairs = problem.width() / 2;
  std::set<i64> columns;
  for (i64 pair = pairs; pair < end; ++pair) {
    for (const i64 column : {half ? pair : 2 * pair, half ? pair + pairs : 2 * pair + 1}) {
      if (column >= problem.width() && column < problem.head_dim) columns.insert(column);
    }
  }
  return columns;
}

// The columns past the width of an output in place that are touched, by all findings; empty where other elements are
// touched as well, or not the same columns in every row: lanes are the same in all of them.
std::set<i64> columns_touched(const LaunchTensor& tensor, const RotaryProblem& problem, const Scene& scene) {
  std::map<i64, std::set<i64>> columns_of_row;
  std::set<i64> columns;
  bool complete = true;
  for (const Finding& finding : scene.findings) {
    if (tensor_of(finding, scene) != &tensor || broken_statement(finding)) continue;
    if (is_out_of_bounds(finding)) return {};
    if (finding.rule != Rule::IndexOutOfField) continue;
    for (const i64 element : finding.footprint.elements) {
      const i64 column = element % tensor.shape.back();
      if (element < 0 || element >= element_count(tensor.shape) || column < problem.width()) return {};
      columns.insert(column);
      columns_of_row[element / tensor.shape.back()].insert(column);
    }
    complete &= finding.footprint.complete;
  }
  const bool all_alike =
      std::all_of(columns_of_row.begin(), columns_of_row.end(), [&](const auto& row) { return row.second == columns; });
  const bool all_rows = scene.launch.blocks.count || i64(columns_of_row.size()) == rows_in_sequences(tensor, problem);
  return (all_alike && all_rows) || !complete ? columns : std::set<i64>{};
}

Cause cause_of_lanes(const LaunchTensor& tensor, const RotaryProblem& problem, const Tile& tile,
                     const std::set<i64>& columns) {
  const i64 pairs = problem.width() / 2;
  Cause cause;
  cause.id = "missing-column-mask";
  cause.text = fmt::format("lanes past the last of {} pairs are not masked: {} in {} are taken for {}", pairs, pairs,
                           tile.text, tile.padded);
  cause.evidence = {
      fmt::format("columns {} to {} of {} are touched, past the width of {}, and no other: those of {} "
                  "pairs",
                  *columns.begin(), *columns.rbegin(), tensor.name, problem.width(), tile.padded)};
  cause.advice = fmt::format("compare the lane with the number of pairs ({}) before every load and store", pairs);
  return cause;
}

Cause cause_of_distance(const RotaryProblem& problem, std::string evidence) {
  Cause cause;
  cause.id = "head-dim-for-rotary-dim";
  cause.text = fmt::format("the second column of a pair is {} away, half of head_dim, not {}, half of rotary_dim",
                           problem.head_dim / 2, problem.width() / 2);
  cause.evidence = {std::move(evidence)};
  cause.advice = "pair columns by half of rotary_dim; columns from rotary_dim on are left alone";
  return cause;
}

// Whether pairs may have been taken to be half of head_dim apart.
bool may_be_apart(const RotaryProblem& problem, const LaunchTensor& tensor) {
  return problem.layout == RotaryLayout::Half && problem.width() % 2 == 0 && problem.head_dim % 2 == 0 &&
         problem.width() < problem.head_dim && tensor.shape.back() == problem.head_dim;
}

}  // namespace

std::optional<Cause> tail_touched(const Finding& finding, const Scene& scene) {
  const RotaryProblem* problem = rotary_problem(scene);
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (!problem || !tensor || finding.rule != Rule::IndexOutOfField || broken_statement(finding)) return std::nullopt;
  if (is_table(*tensor) || tensor->shape.empty() || problem->width() % 2) return std::nullopt;
  // Where x and out are two, the columns of x past the width are read and those of out written, as they must be.
  if (!tensor->output || tensor->name == "out") return std::nullopt;
  const std::set<i64> touched = columns_touched(*tensor, *problem, scene);
  if (touched.empty()) return std::nullopt;
  const i64 pairs = problem->width() / 2;
  std::vector<Cause> causes;
  for (const Tile& tile : padded_columns(pairs, scene.launch)) {
    const bool fits = touched == columns_of_lanes(*problem, tile.padded);
    if (fits && causes.empty()) causes.push_back(cause_of_lanes(*tensor, *problem, tile, touched));
  }
  std::set<i64> apart;
  for (i64 column = problem->head_dim / 2; column < problem->head_dim / 2 + pairs; ++column) {
    if (column >= problem->width()) apart.insert(column);
  }
  if (may_be_apart(*problem, *tensor) && touched == apart) {
    causes.push_back(cause_of_distance(
        *problem, fmt::format("columns {} to {} of {} are touched, past the width of {}, and no other", *apart.begin(),
                              *apart.rbegin(), tensor->name, problem->width())));
  }
  if (causes.size() != 1) return std::nullopt;
  return std::move(causes.front());
}

std::optional<Cause> pair_distance(const Finding& finding, const Scene& scene) {
  const RotaryProblem* problem = rotary_problem(scene);
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (finding.rule != Rule::OutputNotWritten || !problem || !tensor || is_table(*tensor)) return std::nullopt;
  if (!may_be_apart(*problem, *tensor) || !finding.footprint.complete) return std::nullopt;
  const i64 head_dim = problem->head_dim, pairs = problem->width() / 2;
  const i64 end = std::min(problem->width(), head_dim / 2);
  std::vector<i64> skipped;
  for (i64 row = 0; row < element_count(tensor->shape) / head_dim; ++row) {
    for (i64 column = pairs; column < end; ++column) skipped.push_back(row * head_dim + column);
  }
  if (finding.footprint.elements != skipped) return std::nullopt;
  return cause_of_distance(
      *problem,
      fmt::format(
          "columns {} to {} of every row of {} are left out, and no other: pairs (0, {}) to ({}, {}) do not reach "
          "them",
          pairs, end - 1, tensor->name, head_dim / 2, pairs - 1, pairs - 1 + head_dim / 2));
}

}  // namespace ropewalk::diagnose
