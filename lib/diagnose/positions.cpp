#include "lib/diagnose/positions.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/diagnose/asked_rows.h"
#include "lib/diagnose/rotary_facts.h"
#include "lib/diagnose/touched.h"
#include "lib/problem/rotary.h"

namespace ropewalk::diagnose {
namespace {

// Rows of cos or sin that a finding touched outside of the table.
struct OutsideRows {
  const LaunchTensor* table = nullptr;
  std::vector<i64> rows;  // sorted
  bool complete = true;   // all that were touched
  i64 table_rows = 0, columns = 0;
};

std::optional<OutsideRows> outside_rows(const Finding& finding, const Scene& scene) {
  const LaunchTensor* table = tensor_of(finding, scene);
  if (!table || !is_table(*table) || table->shape.back() == 0) return std::nullopt;
  OutsideRows out{table, {}, true, element_count(table->shape) / table->shape.back(), table->shape.back()};
  if (const auto statement = broken_statement(finding)) {
    if (statement->dimension != "rows" || statement->bound != out.table_rows) return std::nullopt;
    out.rows = {statement->value};
    out.complete = false;
    return out;
  }
  if (finding.rule != Rule::OutOfBoundsRead || !is_dense(*table)) return std::nullopt;
  const Outside outside = outside_of(*table, finding, scene.launch);
  out.rows = rows_of(outside, *table);
  // A position reads its whole row.
  const i64 elements = i64(outside.past.size() + outside.before.size());
  if (outside.complete && elements != i64(out.rows.size()) * out.columns) return std::nullopt;
  out.complete = outside.complete;
  if (out.rows.empty()) return std::nullopt;
  return out;
}

std::string touched_text(const OutsideRows& outside) {
  const std::vector<i64>& rows = outside.rows;
  const std::string which = rows.size() == 1
                                ? fmt::format("row {} is", rows.front())
                                : fmt::format("{} rows from {} to {} are", rows.size(), rows.front(), rows.back());
  return fmt::format("{} has {} rows, and {} touched", outside.table->name, outside.table_rows, which);
}

}  // namespace

std::optional<Cause> cache_too_short(const Finding& finding, const Scene& scene) {
  const auto outside = outside_rows(finding, scene);
  if (!outside || outside->rows.back() < outside->table_rows) return std::nullopt;
  const auto asked = hypothesis_that_explains(outside->rows, outside->table_rows, outside->complete, scene);
  if (!asked) return std::nullopt;
  const RowSpan& highest = asked->highest();
  const std::string& name = outside->table->name;
  Cause cause;
  cause.id = "cache-too-short";
  cause.text = fmt::format("{} asks for row {} of {}, which has {} rows", highest.text, highest.end - 1, name,
                           outside->table_rows);
  cause.evidence = {
      fmt::format("{}: {} asks for rows up to {}", touched_text(*outside), highest.text, highest.end - 1)};
  if (finding.access->bytes_past_end) {
    cause.evidence.push_back(fmt::format(
        "the first access is {} bytes past the end: row {}", *finding.access->bytes_past_end,
        outside->table_rows + *finding.access->bytes_past_end / (outside->columns * size_of(outside->table->dtype))));
  }
  cause.advice =
      fmt::format("build cos and sin with at least {} rows, or reject larger positions before the launch", highest.end);
  return cause;
}

std::optional<Cause> negative_position(const Finding& finding, const Scene& scene) {
  const auto outside = outside_rows(finding, scene);
  if (!outside || outside->rows.front() >= 0) return std::nullopt;
  const auto asked = hypothesis_that_explains(outside->rows, outside->table_rows, outside->complete, scene);
  if (!asked) return std::nullopt;
  const RowSpan& lowest = asked->lowest();
  const std::string& name = outside->table->name;
  const i64 row_bytes = outside->columns * size_of(outside->table->dtype);
  Cause cause;
  cause.id = "negative-position";
  cause.text = fmt::format("{} asks for row {} of {}, before its start", lowest.text, lowest.first, name);
  cause.evidence = {fmt::format("{}: {} begins at row {}", touched_text(*outside), lowest.text, lowest.first)};
  if (finding.access->bytes_before_start) {
    cause.evidence.push_back(fmt::format("the first access is {} bytes before the start, and a row has {} bytes",
                                         *finding.access->bytes_before_start, row_bytes));
  }
  cause.advice = "reject negative offsets and positions before the launch (padding on the left needs a mask)";
  return cause;
}

std::optional<Cause> position_not_restarted(const Finding& finding, const Scene& scene) {
  const RotaryProblem* problem = rotary_problem(scene);
  if (!problem || problem->sequences() < 2 || problem->cu_seqlens.empty() || !problem->positions.empty() ||
      !std::is_sorted(problem->cu_seqlens.begin(), problem->cu_seqlens.end())) {
    return std::nullopt;
  }
  const auto outside = outside_rows(finding, scene);
  const std::vector<i64> asked = rows_asked_for(scene);
  if (!outside || (!asked.empty() && asked.back() >= outside->table_rows)) return std::nullopt;
  std::vector<i64> rows;
  for (i64 sequence = 0; sequence < problem->sequences(); ++sequence) {
    const i64 end = problem->cu_seqlens[u64(sequence) + 1];
    for (i64 row = problem->cu_seqlens[u64(sequence)]; row < end; ++row) {
      const i64 position = row + problem->offset_of_sequence(sequence);
      if (position >= outside->table_rows) rows.push_back(position);
    }
  }
  sort_unique(rows);
  if (!std::includes(rows.begin(), rows.end(), outside->rows.begin(), outside->rows.end())) return std::nullopt;
  if (outside->complete && outside->rows != rows) return std::nullopt;
  return Cause{"position-not-restarted",
               "positions go on from one sequence to the next",
               {fmt::format("{}: rows of x count on to {}, those of the longest sequence are {}",
                            touched_text(*outside), rows.back(), longest_sequence(problem->cu_seqlens))},
               "count positions from the start of each sequence, its entry of cu_seqlens"};
}

std::optional<Cause> varlen_total_over_rows(const Finding& finding, const Scene& scene) {
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (!tensor || !is_out_of_bounds(finding) || is_table(*tensor) || tensor->shape.size() < 2) return std::nullopt;
  const Integers bounds = sequence_bounds(scene, tensor);
  if (bounds.values.empty() || bounds.name == tensor->name) return std::nullopt;
  const auto largest = std::max_element(bounds.values.begin(), bounds.values.end());
  // [rows, H, D], [B, T, H, D] with B x T rows, or [rows, D]; lse is [H, rows].
  const bool is_lse = tensor->name == "lse";
  const u64 row_dimension = is_lse                      ? tensor->shape.size() - 1
                            : tensor->shape.size() <= 3 ? 0
                                                        : tensor->shape.size() - 3;
  const i64 row_stride = tensor->strides[row_dimension];
  i64 rows = 1;
  for (u64 d = is_lse ? row_dimension : 0; d <= row_dimension; ++d) rows *= tensor->shape[d];
  const Outside outside = outside_of(*tensor, scene);
  const i64 over = (*largest - rows) * row_stride;
  // Where rows have gaps, the last one's is not touched.
  const i64 reach = outside.exact ? outside.reach() : (outside.reach() + row_stride - 1) / row_stride * row_stride;
  if (*largest <= rows || !outside.only_past() || reach > over) return std::nullopt;
  if (outside.complete && reach != over) return std::nullopt;
  Cause cause;
  cause.id = "varlen-total-over-rows";
  cause.text = fmt::format("{}[{}] is {}, and {} has {} rows", bounds.name, largest - bounds.values.begin(), *largest,
                           tensor->name, rows);
  cause.evidence = {fmt::format("{}; {} rows too many x {} elements a row = {}", reach_text(*tensor, outside),
                                *largest - rows, row_stride, over)};
  cause.advice = fmt::format("the last entry of {} must be the number of rows ({}); reject others before the launch",
                             bounds.name, rows);
  return cause;
}

}  // namespace ropewalk::diagnose
