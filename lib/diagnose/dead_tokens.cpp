#include "lib/diagnose/dead_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lib/diagnose/asked_rows.h"
#include "lib/diagnose/rotary_facts.h"
#include "lib/diagnose/touched.h"
#include "lib/problem/rotary.h"

namespace ropewalk::diagnose {
namespace {

// Rows of x, or of the tables, that tokens past the last sequence touch.
std::vector<i64> touched_by_dead_tokens(const RotaryProblem& problem, bool of_table) {
  std::vector<i64> rows;
  const i64 last = problem.sequences() - 1, start = problem.cu_seqlens[u64(last)];
  for (i64 token = problem.cu_seqlens.back(); token < problem.tokens; ++token) {
    const i64 position = token - start + problem.offset_of_sequence(last);
    if (!of_table) rows.push_back(token);
    if (of_table && position >= problem.table_rows()) rows.push_back(position);
  }
  return rows;
}

// Rows of the tensor that the finding touched and that are not its own.
std::vector<i64> strays_of(const Finding& finding, const LaunchTensor& tensor, bool of_table, const Launch& launch) {
  if (const auto statement = broken_statement(finding)) return {statement->value};
  if (of_table)
    return is_out_of_bounds(finding) ? rows_of(outside_of(tensor, finding, launch), tensor) : std::vector<i64>{};
  if (finding.rule != Rule::IndexOutOfField) return {};
  const i64 token_elements = tensor.shape.back() * tensor.shape[tensor.shape.size() - 2];
  std::set<i64> rows;
  for (const i64 element : finding.footprint.elements) rows.insert(element / token_elements);
  return {rows.begin(), rows.end()};
}

}  // namespace

std::optional<Cause> tokens_behind_sequences(const Finding& finding, const Scene& scene) {
  const RotaryProblem* problem = rotary_problem(scene);
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (!problem || !tensor || tensor->shape.size() < 2 || problem->cu_seqlens.size() < 2) return std::nullopt;
  const i64 owned = problem->cu_seqlens.back();
  if (owned >= problem->tokens || !std::is_sorted(problem->cu_seqlens.begin(), problem->cu_seqlens.end()))
    return std::nullopt;
  const bool of_table = is_table(*tensor), is_statement = broken_statement(finding).has_value();
  // Rows that are too wide run into such tokens too, and a cache that is too short is so for others.
  const std::vector<i64> asked = rows_asked_for(scene);
  if (!widths_fit(scene, *tensor) || (!asked.empty() && asked.back() >= problem->table_rows())) return std::nullopt;
  if (!of_table && (is_statement || tensor->shape.size() != 3)) return std::nullopt;
  const std::vector<i64> dead = touched_by_dead_tokens(*problem, of_table);
  const std::vector<i64> strays = strays_of(finding, *tensor, of_table, scene.launch);
  const bool complete = finding.footprint.complete && scene.launch.blocks.count == 0 && !is_statement;
  if (strays.empty() || !std::includes(dead.begin(), dead.end(), strays.begin(), strays.end())) return std::nullopt;
  if (complete && strays != dead) return std::nullopt;
  Cause cause;
  cause.id = "tokens-behind-sequences";
  cause.text = fmt::format("{} rows lie past the last sequence, which ends at row {}, and are taken for its tokens",
                           problem->tokens - owned, owned);
  cause.evidence = {fmt::format(
      "row{} {} to {} of {} {} touched: {}", strays.size() == 1 ? "" : "s", strays.front(), strays.back(), tensor->name,
      strays.size() == 1 ? "is" : "are",
      of_table ? "the positions of those tokens, counted from the last sequence's start" : "those rows and no other")};
  cause.advice = "leave rows from the last entry of cu_seqlens on alone";
  return cause;
}

}  // namespace ropewalk::diagnose
