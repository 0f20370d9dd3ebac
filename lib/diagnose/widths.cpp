#include "lib/diagnose/widths.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "lib/diagnose/rotary_facts.h"
#include "lib/diagnose/touched.h"
#include "lib/problem/rotary.h"

namespace ropewalk::diagnose {
namespace {

// The column of the gap past the end of a row that the finding touched: head_dim is the first of them.
std::optional<i64> gap_column(const Finding& finding, const LaunchTensor& tensor) {
  if (finding.rule != Rule::IndexOutOfField || broken_statement(finding)) return std::nullopt;
  if (!finding.access->byte_offset || *finding.access->byte_offset < 0) return std::nullopt;
  const i64 offset = *finding.access->byte_offset / size_of(tensor.dtype);
  bool inside = false;
  const std::vector<i64> index = index_at_offset(tensor.shape, tensor.strides, offset, &inside);
  if (inside || index.back() + 1 != tensor.shape.back()) return std::nullopt;
  return index.back() + offset - offset_of(tensor.strides, index);
}

// Why what the finding touched is what columns [head_dim, columns) of rows are; empty: it is not.
std::string overrun_evidence(const Finding& finding, const Scene& scene, const LaunchTensor& tensor, i64 columns) {
  const i64 head_dim = tensor.shape.back(), over = columns - head_dim;
  if (const auto column = gap_column(finding, tensor)) {
    if (*column >= columns) return "";
    return fmt::format("column {} past the end of a row of {} is touched: rows have {} columns, and the width has {}",
                       *column, tensor.name, head_dim, columns);
  }
  if (const auto statement = broken_statement(finding)) {
    const bool fits = statement->bound == head_dim && statement->value >= head_dim && statement->value < columns;
    if (!fits) return "";
    return fmt::format("column {} of {} is touched: rows have {} columns, and the width has {}", statement->value,
                       tensor.name, head_dim, columns);
  }
  if (!is_out_of_bounds(finding)) return "";
  const Outside outside = outside_of(tensor, scene);
  // A width that was only inferred from a table's shape must fit to the element.
  const bool exact = (outside.complete && outside.exact) || !rotary_problem(scene);
  if (!outside.only_past() || outside.reach() > over || (exact && outside.reach() != over)) return "";
  return fmt::format("{}; the last row can overrun by {} - {} = {}", reach_text(tensor, outside), columns, head_dim,
                     over);
}

// A write that other rows make too. Only where the problem says that rows overlap.
std::string race_evidence(const Finding& finding, const LaunchTensor& tensor, i64 columns) {
  if (finding.rule != Rule::GlobalRace) return "";
  const i64 head_dim = tensor.shape.back();
  return fmt::format("rows of {} columns lie {} apart in {}: an element belongs to {} of them", columns, head_dim,
                     tensor.name, (columns + head_dim - 1) / head_dim);
}

// Without a problem: of all tensors with heads of that width, for q has others than k.
std::vector<i64> head_counts(const Scene& scene, i64 head_dim) {
  if (const RotaryProblem* problem = rotary_problem(scene)) return {problem->heads, problem->key_heads};
  std::vector<i64> counts;
  for (const LaunchTensor& tensor : scene.launch.tensors) {
    const Shape& shape = tensor.shape;
    if (shape.size() >= 3 && shape.back() == head_dim && !is_table(tensor)) counts.push_back(shape[shape.size() - 2]);
  }
  return counts;
}

// Without a problem: arguments that are the width of a model with such heads.
std::vector<RotaryWidth> model_widths(const Scene& scene, i64 head_dim) {
  std::vector<RotaryWidth> widths;
  if (rotary_problem(scene) || !is_rotary(scene)) return widths;
  const std::vector<i64> counts = head_counts(scene, head_dim);
  for (const ScalarInteger& scalar : scalar_integers(scene.launch)) {
    const bool is_one =
        std::ranges::any_of(counts, [&](i64 count) { return count >= 2 && scalar.value == count * head_dim; });
    if (is_one) widths.push_back({scalar.value, fmt::format("width {} ({})", scalar.value, scalar.source)});
  }
  return widths;
}

Cause cause_of_width(const RotaryWidth& width, i64 columns, i64 head_dim, const std::vector<i64>& heads) {
  for (const i64 count : heads) {
    if (count >= 2 && columns == count * head_dim) return cause_of_model_width(width.source, count, head_dim);
  }
  Cause cause;
  cause.id = "width-over-head-dim";
  cause.text = fmt::format("{} is larger than head_dim {}: rows run into their neighbours", width.source, head_dim);
  cause.advice = fmt::format("pass a rotary_dim of at most {}, and reject larger ones before the launch", head_dim);
  return cause;
}

// Without problem and tables: the one integer argument that is a width by which so many accesses break the statement.
std::optional<Cause> width_among_arguments(const Finding& finding, const LaunchTensor& tensor, const Scene& scene) {
  const auto statement = broken_statement(finding);
  const i64 accesses = i64(finding.occurrences.accesses);
  if (is_rotary(scene) || !statement || statement->dimension != "head_dim" || accesses == 0) return std::nullopt;
  std::optional<ScalarInteger> width;
  for (const ScalarInteger& scalar : scalar_integers(scene.launch)) {
    const i64 over = scalar.value - statement->bound;
    if (statement->value < statement->bound || scalar.value <= statement->value || accesses % over != 0) continue;
    if (width && width->value != scalar.value) return std::nullopt;
    width = scalar;
  }
  if (!width) return std::nullopt;
  const i64 over = width->value - statement->bound;
  const RotaryWidth source{width->value, fmt::format("width {} ({})", width->value, width->source)};
  Cause cause = cause_of_width(source, width->value, statement->bound, head_counts(scene, statement->bound));
  cause.evidence = {
      fmt::format("column {} of {} is touched, which has {}", statement->value, tensor.name, statement->bound),
      fmt::format("{} accesses break the statement: {} - {} = {} in each of {} rows", accesses, width->value,
                  statement->bound, over, accesses / over)};
  return cause;
}

}  // namespace

Cause cause_of_model_width(const std::string& source, i64 heads, i64 head_dim) {
  Cause cause;
  cause.id = "model-width-for-head-dim";
  cause.text =
      fmt::format("{} = {} heads x {}: the model width was passed where head_dim was meant", source, heads, head_dim);
  cause.advice =
      fmt::format("build the rotary embedding with dim = head_dim ({}), not dim = heads x head_dim", head_dim);
  return cause;
}

Cause cause_of_width(const RotaryProblem& problem) {
  const RotaryWidth width{problem.width(), fmt::format("rotary_dim {}", problem.width())};
  Cause cause = cause_of_width(width, width.columns, problem.head_dim, {problem.heads, problem.key_heads});
  cause.evidence = {fmt::format("{}, and head_dim is {}", width.source, problem.head_dim)};
  return cause;
}

std::optional<Cause> width_over_head_dim(const Finding& finding, const Scene& scene) {
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (!tensor || tensor->shape.size() < 2 || is_table(*tensor)) return std::nullopt;
  const RotaryProblem* problem = rotary_problem(scene);
  const i64 head_dim = tensor->shape.back();
  if (problem && (problem->head_dim != head_dim || problem->width() <= head_dim)) return std::nullopt;
  std::vector<RotaryWidth> widths = possible_widths(scene);
  if (is_out_of_bounds(finding)) std::ranges::copy(model_widths(scene, head_dim), std::back_inserter(widths));
  for (const RotaryWidth& width : widths) {
    // Without a problem, half a pair too many is what an odd width leaves behind.
    if (width.columns <= head_dim || (!problem && width.columns == head_dim + 1)) continue;
    std::string evidence = overrun_evidence(finding, scene, *tensor, width.columns);
    if (evidence.empty() && problem) evidence = race_evidence(finding, *tensor, width.columns);
    if (evidence.empty()) continue;
    const i64 columns = problem ? problem->width() : width.columns;
    Cause cause = cause_of_width(width, columns, head_dim, head_counts(scene, head_dim));
    cause.evidence = {
        fmt::format("{}, and head_dim is {}: {} columns too many", width.source, head_dim, columns - head_dim),
        std::move(evidence)};
    return cause;
  }
  return width_among_arguments(finding, *tensor, scene);
}

Cause cause_of_odd_width(i64 width, const std::string& source) {
  Cause cause;
  cause.id = "odd-rotary-dim";
  cause.text = fmt::format("{} is odd: {} pairs of columns take {}, one more than there are", source, (width + 1) / 2,
                           width + 1);
  cause.advice =
      fmt::format("pass an even rotary_dim ({} or {}), and reject odd ones before the launch", width - 1, width + 1);
  cause.evidence = {fmt::format("{} is odd", source)};
  return cause;
}

namespace {

// A table of width / 2 columns that is written as if it had (width + 1) / 2: the rows drift apart by one column each.
std::string table_evidence(const Finding& finding, const Scene& scene, const LaunchTensor& tensor, i64 width) {
  const i64 columns = tensor.shape.back(), rows = element_count(tensor.shape) / std::max<i64>(columns, 1);
  if (columns != width / 2) return "";
  if (const auto statement = broken_statement(finding)) {
    if (statement->bound != columns || statement->value != columns) return "";
    return fmt::format("column {} of {} is touched, which has {} columns = {} / 2 rounded down", columns, tensor.name,
                       columns, width);
  }
  if (!is_out_of_bounds(finding)) return "";
  const Outside outside = outside_of(tensor, scene);
  if (!outside.only_past() || outside.reach() > rows || (outside.complete && outside.reach() != rows)) return "";
  return fmt::format("{}: {} rows with one column too many overrun by {}", reach_text(tensor, outside), rows, rows);
}

}  // namespace

std::optional<Cause> odd_rotary_dim(const Finding& finding, const Scene& scene) {
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (!tensor || tensor->shape.size() < 2) return std::nullopt;
  const i64 head_dim = tensor->shape.back();
  const RotaryProblem* problem = rotary_problem(scene);
  for (const RotaryWidth& width : possible_widths(scene)) {
    const i64 odd = problem ? problem->width() : width.columns - 1;
    if (odd % 2 == 0) continue;
    std::string evidence;
    if (is_table(*tensor)) {
      if (problem) evidence = table_evidence(finding, scene, *tensor, odd);
    } else if (odd == head_dim) {
      evidence = overrun_evidence(finding, scene, *tensor, odd + 1);
    } else if (problem && odd < head_dim && finding.rule == Rule::GlobalRace && finding.access->index &&
               finding.access->index->back() == odd) {
      evidence = fmt::format(
          "column {} of {}, the first past the width, is written as the other half of a pair and "
          "as a column that is not rotated",
          odd, tensor->name);
    }
    if (evidence.empty()) continue;
    Cause cause = cause_of_odd_width(odd, problem ? width.source : fmt::format("head_dim {}", head_dim));
    cause.evidence = {std::move(evidence)};
    return cause;
  }
  return std::nullopt;
}

}  // namespace ropewalk::diagnose
