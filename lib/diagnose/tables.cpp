#include "lib/diagnose/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/diagnose/asked_rows.h"
#include "lib/diagnose/predicted.h"
#include "lib/diagnose/rotary_facts.h"
#include "lib/diagnose/touched.h"
#include "lib/diagnose/widths.h"
#include "lib/problem/rotary.h"

namespace ropewalk::diagnose {
namespace {

i64 rows_in(const LaunchTensor& table) { return element_count(table.shape) / std::max<i64>(table.shape.back(), 1); }

// Rows that the launch reads of a table without a row too many; all of them where nothing is known.
std::vector<i64> rows_read(const LaunchTensor& table, const Scene& scene) {
  std::vector<i64> rows = rows_asked_for(scene);
  if (!rows.empty() || rotary_problem(scene)) return rows;
  for (i64 row = 0; row < rows_in(table); ++row) rows.push_back(row);
  return rows;
}

bool are_past(const std::vector<i64>& predicted, const Outside& outside) {
  if (predicted.empty() || outside.past.empty()) return false;
  return outside.complete ? predicted == outside.past
                          : std::includes(predicted.begin(), predicted.end(), outside.past.begin(), outside.past.end());
}

// Elements past the end that reads of `columns` elements, each of `width` of the table's, touch in these rows.
std::vector<i64> past_of_wide_elements(const LaunchTensor& table, const std::vector<i64>& rows, i64 width) {
  std::vector<i64> past;
  const i64 columns = table.shape.back(), count = element_count(table.shape);
  for (const i64 row : rows) {
    for (i64 n = row * columns * width; n < (row + 1) * columns * width; ++n) {
      if (n >= count) past.push_back(n - count);
    }
  }
  return past;
}

// Where the rows of one hypothesis begin if they are `stride` elements apart, each with the table's columns.
std::vector<i64> offsets_of_rows(const LaunchTensor& table, const AskedRows& asked, i64 stride) {
  std::vector<i64> offsets;
  const i64 columns = table.shape.back();
  for (const RowSpan& span : asked.spans) {
    if ((span.end - span.first) * columns > most_elements_of_a_guess - i64(offsets.size())) return {};
    for (i64 row = span.first; row < span.end; ++row) {
      for (i64 column = 0; column < columns; ++column) offsets.push_back(row * stride + column);
    }
  }
  return offsets;
}

// The argument that has this value, "argument 6"; empty: none.
std::string argument_with(i64 value, const Scene& scene) {
  for (const ScalarInteger& scalar : scalar_integers(scene.launch)) {
    if (scalar.value == value) return scalar.source;
  }
  return "";
}

}  // namespace

std::optional<Cause> model_width_of_rows(const Finding& finding, const Scene& scene) {
  const LaunchTensor* table = tensor_of(finding, scene);
  if (!table || !is_table(*table) || !is_dense(*table) || table->shape.size() != 2 || rotary_problem(scene) ||
      finding.rule != Rule::OutOfBoundsRead)
    return std::nullopt;
  const i64 columns = table->shape.back();
  const Seen seen = seen_of(*table, scene);
  for (const LaunchTensor& tensor : scene.launch.tensors) {
    if (tensor.shape.size() < 3 || is_table(tensor) ||
        (tensor.shape.back() != columns && tensor.shape.back() / 2 != columns))
      continue;
    const i64 head_dim = tensor.shape.back(), heads = tensor.shape[tensor.shape.size() - 2], width = heads * head_dim;
    const std::string source = argument_with(width, scene);
    if (heads < 2 || source.empty()) continue;
    for (const AskedRows& asked : hypotheses_of(scene)) {
      const Prediction prediction = predict(*table, offsets_of_rows(*table, asked, columns * heads));
      if (!explains(prediction, seen)) continue;
      Cause cause = cause_of_model_width(fmt::format("width {} ({})", width, source), heads, head_dim);
      cause.evidence = {
          fmt::format("rows of {} have {} columns, and are read {} elements apart ({}): that leads to the {} "
                      "elements past the end that were touched, and to no other",
                      table->name, columns, columns * heads, asked.highest().text, seen.strays.size())};
      return cause;
    }
  }
  return std::nullopt;
}

std::optional<Cause> wrong_dtype_width(const Finding& finding, const Scene& scene) {
  const LaunchTensor* table = tensor_of(finding, scene);
  if (!table || !is_table(*table) || !is_dense(*table) || finding.rule != Rule::OutOfBoundsRead) return std::nullopt;
  const i64 size = size_of(table->dtype), width = i64(finding.access->bytes) / size;
  if (width < 2 || finding.access->bytes > 8) return std::nullopt;  // wider ones are vectors
  const Outside outside = outside_of(*table, finding, scene.launch);
  if (!outside.only_past() || !are_past(past_of_wide_elements(*table, rows_read(*table, scene), width), outside)) {
    return std::nullopt;
  }
  Cause cause;
  cause.id = "wrong-dtype-width";
  cause.text = fmt::format("{} is {}, with elements of {} bytes, and is read as elements of {}", table->name,
                           name_of(table->dtype), size, finding.access->bytes);
  cause.evidence = {fmt::format("each access takes {} bytes, and {}: where elements of {} bytes would lie",
                                finding.access->bytes, reach_text(*table, outside), finding.access->bytes)};
  cause.advice =
      fmt::format("choose the kernel by the dtype of {} as well, or convert {} first", table->name, table->name);
  return cause;
}

std::optional<Cause> wrong_sin_offset(const Finding& finding, const Scene& scene) {
  const LaunchTensor* table = tensor_of(finding, scene);
  if (!table || !is_table(*table) || !is_out_of_bounds(finding) || !is_dense(*table)) return std::nullopt;
  const bool is_packed = table->regions.size() == 2 || (table->shape.size() == 3 && table->shape[0] == 2);
  const i64 rows = rows_in(*table), half = rows / 2;
  if (!is_packed || rows % 2) return std::nullopt;
  const Outside outside = outside_of(*table, finding, scene.launch);
  std::vector<i64> asked = rows_asked_for(scene);
  if (asked.empty()) {
    for (i64 row = 0; row < half; ++row) asked.push_back(row);
  }
  const std::vector<i64> touched = rows_of(outside, *table);
  for (const ScalarInteger& scalar : scalar_integers(scene.launch)) {
    if (scalar.value <= half) continue;
    std::vector<i64> predicted;
    for (const i64 row : asked) {
      if (row + scalar.value >= rows) predicted.push_back(row + scalar.value);
    }
    const bool fits = outside.complete
                          ? touched == predicted
                          : std::includes(predicted.begin(), predicted.end(), touched.begin(), touched.end());
    if (touched.empty() || !outside.only_past() || !fits) continue;
    Cause cause;
    cause.id = "wrong-sin-offset";
    cause.text = fmt::format("sin is looked for from row {} of {} on ({}), and begins at row {}", scalar.value,
                             table->name, scalar.source, half);
    cause.evidence = {fmt::format("{} has {} rows, and rows {} to {} are touched: positions {} to {} from row {} on",
                                  table->name, rows, touched.front(), touched.back(), touched.front() - scalar.value,
                                  touched.back() - scalar.value, scalar.value)};
    cause.advice = fmt::format("pass the rows that this cache has ({}), not those of the longest one", half);
    return cause;
  }
  return std::nullopt;
}

std::optional<Cause> vector_too_wide(const Finding& finding, const Scene& scene) {
  const LaunchTensor* table = tensor_of(finding, scene);
  if (!table || !is_table(*table) || !is_dense(*table) || finding.rule != Rule::OutOfBoundsRead) return std::nullopt;
  const i64 elements = i64(finding.access->bytes) / size_of(table->dtype), columns = table->shape.back();
  const std::vector<i64> asked = rows_asked_for(scene);
  const bool all_there = !asked.empty() && asked.front() >= 0 && asked.back() < rows_in(*table);
  if (elements < 2 || columns % elements || !all_there) return std::nullopt;
  // A lane may need more than one access for its elements, each a finding of its own.
  if (i64(outside_of(*table, finding, scene.launch).past.size()) != elements) return std::nullopt;
  const Outside outside = outside_of(*table, scene);
  const i64 reach = outside.reach(), accesses = reach / elements;
  if (!outside.only_past() || outside.past.front() != 0 || i64(outside.past.size()) != reach) return std::nullopt;
  if (reach % elements || (accesses & (accesses - 1)) || accesses > 4 || columns % reach) return std::nullopt;
  // A row too many may be read by a thread that is past the last one; this one is not.
  if (finding.thread && scene.launch.block.y > 1 && columns == reach) {
    const RotaryProblem* problem = rotary_problem(scene);
    const i64 token = i64(finding.thread->thread[1]);
    if (problem->tokens < i64(scene.launch.block.y) && token >= problem->tokens) return std::nullopt;
  }
  Cause cause;
  cause.id = "vector-too-wide";
  cause.text = fmt::format("each lane reads {} elements of {} more than it has pairs for", reach, table->name);
  cause.evidence = {fmt::format("{}: {} of {} bytes behind row {}, whose {} columns are {} times as many",
                                reach_text(*table, outside), accesses == 1 ? "one access" : "accesses",
                                finding.access->bytes, rows_in(*table) - 1, columns, columns / reach)};
  cause.advice = "a lane that rotates n pairs needs n elements of cos and of sin: halve the width of their vectors";
  return cause;
}

}  // namespace ropewalk::diagnose
