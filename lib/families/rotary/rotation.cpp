#include "lib/families/rotary/rotation.h"

#include <algorithm>
#include <cmath>

#include "lib/compare/elements.h"
#include "lib/problem/rotary.h"
#include "reference/rotary.h"

namespace ropewalk::rotary {

using compare::initial_values;

namespace {

const LaunchTensor* tensor_named(const Launch& launch, const char* name) {
  const i64 number = launch.tensor_named(name);
  return number < 0 ? nullptr : &launch.tensors[u64(number)];
}

std::vector<i64> positions_of(const RotaryProblem& problem, i64 token_rows) {
  std::vector<i64> positions(u64(token_rows), -1);
  if (!problem.positions.empty()) {
    for (u64 n = 0; n < positions.size() && n < problem.positions.size(); ++n) positions[n] = problem.positions[n];
    return positions;
  }
  u64 row = 0;
  for (i64 sequence = 0; sequence < problem.sequences(); ++sequence) {
    for (i64 token = 0; token < problem.tokens_of_sequence(sequence) && row < positions.size(); ++token, ++row) {
      positions[row] = problem.offset_of_sequence(sequence) + token;
    }
  }
  return positions;
}

bool read_tables(const Launch& launch, Rotation& rotation) {
  if (const LaunchTensor* both = tensor_named(launch, "cos_sin")) {
    const std::vector<double> values = initial_values(*both);
    const auto half = values.begin() + i64(values.size() / 2);
    rotation.cosine.assign(values.begin(), half);
    rotation.sine.assign(half, values.end());
    return true;
  }
  const LaunchTensor *cosine = tensor_named(launch, "cos"), *sine = tensor_named(launch, "sin");
  if (!cosine || !sine || cosine->output) return false;
  rotation.cosine = initial_values(*cosine);
  rotation.sine = initial_values(*sine);
  return true;
}

}  // namespace

std::optional<Rotation> rotation_of(const LaunchTensor& output, const RotaryProblem& problem, const Launch& launch) {
  constexpr i64 most_elements = i64(1) << 20;
  const LaunchTensor* x = output.name == "out" ? tensor_named(launch, "x") : &output;
  if (!x || x->shape != output.shape || x->shape.size() < 3 || problem.width() % 2) return std::nullopt;
  if (problem.table_rows() * problem.pairs() > most_elements) return std::nullopt;
  Rotation rotation;
  rotation.problem = problem;
  rotation.heads = x->shape[x->shape.size() - 2];
  if (!read_tables(launch, rotation)) return std::nullopt;
  rotation.x = initial_values(*x);
  rotation.positions = positions_of(problem, element_count(x->shape) / (rotation.heads * x->shape.back()));
  return rotation;
}

diagnose::Expected Rotation::expected() const {
  RotaryProblem rows = problem;
  rows.batch = 1;
  rows.tokens = i64(positions.size());
  const i64 pairs = rows.width() / 2, table_rows = i64(cosine.size()) / std::max<i64>(pairs, 1);
  const u64 row_elements = u64(heads * rows.head_dim);
  diagnose::Expected out{std::vector<double>(x.size()), std::vector<double>(x.size())};
  const auto has_row = [&](i64 position) { return position >= 0 && position < table_rows; };
  std::vector<i64> rows_read = positions;
  for (i64& position : rows_read) position = has_row(position) ? position : 0;
  reference::rotary_at_positions(rows, heads, x.data(), rows_read.data(), {cosine.data(), sine.data()},
                                 {out.value.data(), out.bound.data()});
  for (u64 n = 0; n < out.value.size(); ++n) {
    if (!has_row(positions[n / row_elements]) || std::isnan(out.value[n])) out.bound[n] = diagnose::anything;
  }
  return out;
}

}  // namespace ropewalk::rotary
