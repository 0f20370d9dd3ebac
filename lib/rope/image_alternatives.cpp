#include <fmt/format.h>

#include <numbers>

#include "lib/rope/alternatives.h"

namespace ropewalk::rope {
namespace {

constexpr double pi = std::numbers::pi;

struct OtherCount {
  const char* text;
  CellCoordinate coordinate;
};

// Ways to count cells beside the right one.
std::vector<OtherCount> other_counts(CellCount right) {
  if (right == CellCount::FromZero)
    return {{"cells are counted from 1 in place of 0", [](i64 cell, i64) { return double(cell + 1); }}};
  if (right == CellCount::FromOne)
    return {{"cells are counted from 0 in place of 1", [](i64 cell, i64) { return double(cell); }}};
  const auto centre = [](i64 cell, i64 cells) { return (2 * double(cell) + 1) / double(cells) - 1; };
  return {{"coordinates are those of the cells' first corners in place of their centres",
           [](i64 cell, i64 cells) { return 2 * pi * (2 * double(cell) / double(cells) - 1); }},
          {"coordinates go from -1 in the first cell to 1 in the last, in place of the cells' centres",
           [](i64 cell, i64 cells) { return cells < 2 ? 0 : 2 * pi * (2 * double(cell) / double(cells - 1) - 1); }},
          {"coordinates are not multiplied by 2 pi", centre},
          {"coordinates are multiplied by pi in place of 2 pi",
           [=](i64 cell, i64 cells) { return pi * centre(cell, cells); }},
          {"coordinates go from 0 to 1 in place of -1 to 1",
           [](i64 cell, i64 cells) { return 2 * pi * (double(cell) + 0.5) / double(cells); }},
          {"coordinates are the numbers of the cells, in place of centres between -1 and 1 times 2 pi",
           [](i64 cell, i64) { return double(cell); }}};
}

std::string text_of(RopeAxes axes) {
  switch (axes) {
    case RopeAxes::VisionInterleaved:
      return "frequencies of even number belong to one axis, those of odd number to the other";
    case RopeAxes::VisionAlternating:
      return "the axes take turns, column by column, with the same frequencies";
    default:
      return "both axes have the same frequencies";
  }
}

}  // namespace

std::vector<RopeFormula> other_image_axes(const RopeFormula& formula) {
  std::vector<RopeFormula> others;
  for (const RopeAxes axes : {RopeAxes::Vision, RopeAxes::VisionInterleaved, RopeAxes::VisionAlternating}) {
    RopeFormula other = formula;
    other.axes = axes;
    if (axes != formula.axes) others.push_back(other);
  }
  return others;
}

Alternative with_image_axes(const RopeFormula& other, const Suspect& suspect) {
  Model model = model_of(other, suspect);
  if (suspect.image) model.pair_position = positions_in(*suspect.image, other);
  return {"axis-frequencies",
          fmt::format("{}; the model is one of those where {}", text_of(other.axes), text_of(suspect.expected.axes)),
          "share the frequencies out among the axes as the model's own program does",
          1,
          std::move(model),
          {},
          false,
          {}};
}

std::vector<Alternative> image_alternatives(const Suspect& suspect) {
  std::vector<Alternative> list;
  const RopeFormula& formula = suspect.expected;
  const ImageGrid& grid = *suspect.image;
  Model model = model_of(formula, suspect);
  const auto add = [&](const char* cause, std::string text, const char* advice,
                       std::function<double(i64, i64)> pair_position) {
    model.pair_position = std::move(pair_position);
    list.push_back({cause, std::move(text), advice, 1, model, {}, false, {}});
  };
  ImageGrid exchanged = grid;
  exchanged.width_first = !grid.width_first;
  add("axes-exchanged",
      fmt::format("the two axes are exchanged: the first half of the pairs turns by the {}, in place of the {}",
                  exchanged.width_first ? "width" : "height", grid.width_first ? "width" : "height"),
      "let the columns of each axis turn by the position on that axis", positions_in(exchanged, formula));
  for (const OtherCount& other : other_counts(grid.count))
    add("cell-coordinates", other.text, "count the cells of an image as the model's own program does",
        positions_in(grid, formula, other.coordinate));
  for (const RopeFormula& other : other_image_axes(formula)) list.push_back(with_image_axes(other, suspect));
  return list;
}

}  // namespace ropewalk::rope
