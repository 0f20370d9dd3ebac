#include <fmt/format.h>

#include <limits>

#include "lib/diagnose/mixed_strides.h"
#include "lib/diagnose/output_hypothesis.h"
#include "lib/diagnose/rotary_facts.h"
#include "lib/diagnose/tiles.h"
#include "lib/families/rotary/rotation.h"
#include "lib/problem/rotary.h"

namespace ropewalk::rotary {

using diagnose::anything;
using diagnose::Expected;

namespace {

// The element, row-major, that begins at an offset of the storage; -1: none.
i64 element_at(const LaunchTensor& tensor, i64 offset) {
  bool inside = false;
  const std::vector<i64> index = index_at_offset(tensor.shape, tensor.strides, offset, &inside);
  return inside && offset >= 0 ? offset_of(contiguous_strides(tensor.shape), index) : -1;
}

// Every element is stored where another tensor's strides have it. Nothing is expected where nothing is stored, or two
// elements are.
Expected scattered(const LaunchTensor& output, const Strides& strides, const Expected& right) {
  Expected out{right.value, std::vector<double>(right.bound.size(), anything)};
  std::vector<u8> writers(right.value.size());
  for (i64 n = 0; n < i64(right.value.size()); ++n) {
    const i64 at = element_at(output, offset_of(strides, index_of(output.shape, n)));
    if (at < 0) continue;
    out.value[u64(at)] = right.value[u64(n)];
    out.bound[u64(at)] = ++writers[u64(at)] == 1 ? right.bound[u64(n)] : anything;
  }
  return out;
}

// Rows are rotated in place, but at the offsets that other strides give: what lies there is rotated by the angles
// of the row that was meant, and what no row reaches stays as it was. Nothing is expected where two rows meet.
Expected rotated_elsewhere(const LaunchTensor& output, const Strides& strides, const Rotation& right) {
  const i64 count = i64(right.x.size()), columns = output.shape.back();
  std::vector<i64> at(right.x.size(), -1);
  std::vector<u8> rows_here(right.x.size());
  for (i64 n = 0; n < count; ++n) {
    if (n % columns >= right.problem.width()) continue;
    at[u64(n)] = element_at(output, offset_of(strides, index_of(output.shape, n)));
    if (at[u64(n)] >= 0 && rows_here[u64(at[u64(n)])] < 2) ++rows_here[u64(at[u64(n)])];
  }
  Rotation elsewhere = right;
  for (u64 n = 0; n < at.size(); ++n) {
    const bool alone = at[n] >= 0 && rows_here[u64(at[n])] == 1;
    elsewhere.x[n] = alone ? right.x[u64(at[n])] : std::numeric_limits<double>::quiet_NaN();
  }
  const Expected rotated = elsewhere.expected();
  Expected out{right.x, std::vector<double>(right.x.size())};
  for (u64 n = 0; n < at.size(); ++n) {
    if (at[n] < 0) continue;
    out.value[u64(at[n])] = rotated.value[n];
    out.bound[u64(at[n])] = rows_here[u64(at[n])] == 1 ? rotated.bound[n] : anything;
  }
  return out;
}

// Columns past the width are taken from where out's strides have them in x.
Expected tail_by_other_strides(const LaunchTensor& x, const LaunchTensor& output, const Rotation& rotation,
                               const Expected& right) {
  Expected out = right;
  const i64 columns = output.shape.back();
  for (i64 n = 0; n < i64(out.value.size()); ++n) {
    if (n % columns < rotation.problem.width()) continue;
    const i64 at = element_at(x, offset_of(output.strides, index_of(output.shape, n)));
    out.bound[u64(n)] = at < 0 ? anything : 0;
    if (at >= 0) out.value[u64(n)] = rotation.x[u64(at)];
  }
  return out;
}

// Pairs past the last are rotated by cos 0 and sin 0, as masked loads give them, up to the end of a tile of lanes.
Expected tail_of_zeros(const RotaryProblem& problem, i64 lanes, const Expected& right) {
  Expected out = right;
  const bool half = problem.layout == RotaryLayout::Half;
  for (u64 n = 0; n < out.value.size(); ++n) {
    const i64 column = i64(n) % problem.head_dim;
    const i64 pair = half ? column - problem.width() / 2 : column / 2;
    if (column >= problem.width() && pair < lanes) out.value[n] = 0;
  }
  return out;
}

}  // namespace

std::vector<diagnose::OutputHypothesis> offset_hypotheses(const LaunchTensor& output, const RotaryProblem& problem,
                                                          const diagnose::Scene& scene) {
  const auto rotation = rotation_of(output, problem, scene.launch);
  if (!rotation) return {};
  const Expected right = rotation->expected();
  std::vector<diagnose::OutputHypothesis> hypotheses;
  for (const LaunchTensor& other : scene.launch.tensors) {
    if (&other == &output || other.shape.size() != output.shape.size() || diagnose::is_table(other)) continue;
    if (other.strides == output.strides) continue;
    const char* const advice = "pass the strides of each tensor for itself";
    const bool in_place = output.name != "out";
    for (const diagnose::MixedStrides& mixed :
         diagnose::mixed_strides(output, other.strides, "strides of " + other.name)) {
      hypotheses.push_back(
          {"wrong-stride", fmt::format("{} is {} by {}", output.name, in_place ? "gone through" : "stored", mixed.text),
           advice,
           in_place ? rotated_elsewhere(output, mixed.strides, *rotation) : scattered(output, mixed.strides, right)});
    }
    if (other.shape != output.shape || problem.inplace || problem.width() >= problem.head_dim) continue;
    hypotheses.push_back(
        {"wrong-stride",
         fmt::format("columns past the width are read from {} by the strides of {}", other.name, output.name), advice,
         tail_by_other_strides(other, output, *rotation, right)});
  }
  if (problem.width() >= problem.head_dim) return hypotheses;
  for (const diagnose::Tile& tile : diagnose::padded_columns(problem.width() / 2, scene.launch)) {
    hypotheses.push_back({"missing-column-mask",
                          fmt::format("lanes past the last of {} pairs are not masked: {} are taken for {}",
                                      problem.width() / 2, tile.text, tile.padded),
                          "compare the lane with the number of pairs before every load and store",
                          tail_of_zeros(problem, tile.padded, right)});
  }
  return hypotheses;
}

}  // namespace ropewalk::rotary
