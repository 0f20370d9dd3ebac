#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "lib/rope/alternatives.h"
#include "lib/rope/judge_cells.h"

namespace ropewalk::rope {
namespace {

using AxisMap = std::array<size_t, 3>;  // by whose position the columns of each axis turn

std::string text_of_map(const AxisMap& map) {
  if (map[0] == map[1] && map[1] == map[2])
    return fmt::format("all columns turn by the position on the {} axis; those of each axis should turn by its own",
                       axis_names[map[0]]);
  std::vector<std::string> moved;
  for (size_t axis = 0; axis < 3; ++axis) {
    if (map[axis] != axis) moved.push_back(fmt::format("those of {} by {}", axis_names[axis], axis_names[map[axis]]));
  }
  return fmt::format("columns turn by the position on another axis: {}", fmt::join(moved, ", "));
}

std::string sections_text(const RopeFormula& formula) {
  return fmt::format("{} {}", name_of(formula.axes), fmt::join(formula.sections, "+"));
}

}  // namespace

std::vector<Alternative> axis_alternatives(const Suspect& suspect, const CacheTable& table) {
  std::vector<Alternative> list;
  const GivenCells& cells = table.given_cells;
  const RopeFormula& formula = suspect.expected;
  const Model right = model_of(formula, suspect);
  if (cells.size() != 3 || right.frequencies.pairs() < suspect.pairs) return list;
  const auto add = [&](const char* cause, std::string text, const char* advice, int rank,
                       std::function<double(i64, i64)> pair_position) {
    Model model = right;
    model.pair_position = std::move(pair_position);
    list.push_back({cause, std::move(text), advice, rank, std::move(model), {}, false, {}});
  };
  const char* const own_axis = "let the columns of each axis turn by the position on that axis";
  for (size_t n = 0; n < 27; ++n) {
    const AxisMap map = {n / 9, n / 3 % 3, n % 3};
    if (map == AxisMap{0, 1, 2}) continue;
    const bool exchanged = map[0] != map[1] && map[1] != map[2] && map[0] != map[2];
    const bool one = map[0] == map[1] && map[1] == map[2];
    add("axes-exchanged", text_of_map(map), own_axis, exchanged || one ? 1 : 2, [=](i64 row, i64 pair) {
      return double(cells[map[size_t(reference::rope_axis(formula, pair))]][size_t(row)]);
    });
  }
  // Other columns for each axis: the sections in another order, or taking turns or not.
  std::vector<RopeFormula> others;
  RopeFormula other = formula;
  std::ranges::sort(other.sections);
  do {
    for (const RopeAxes axes : {RopeAxes::Sections, RopeAxes::InterleavedSections}) {
      if (formula.axes == RopeAxes::Ernie) continue;
      other.axes = axes;
      if (other != formula) others.push_back(other);
    }
  } while (std::ranges::next_permutation(other.sections).found);
  for (const RopeFormula& one : others) {
    add("axes-exchanged",
        fmt::format("the columns of the axes are those of {} in place of {}", sections_text(one),
                    sections_text(formula)),
        "share the columns out among the axes by the configuration's mrope_section", 2, positions_in(cells, one));
  }
  add("position-shift", "rows are positions from 0, not those that stand beside them in the file",
      "give the batch's positions to what looks its rows up", 2, [](i64 row, i64) { return double(row); });
  return list;
}

}  // namespace ropewalk::rope
