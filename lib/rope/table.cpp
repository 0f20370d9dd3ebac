#include "lib/rope/table.h"

#include <algorithm>

namespace ropewalk::rope {

std::string_view name_of(ColumnLayout layout) {
  switch (layout) {
    case ColumnLayout::Plain:
      return "one column a pair";
    case ColumnLayout::RepeatedHalf:
      return "repeated in halves (NeoX)";
    case ColumnLayout::RepeatedPairs:
      return "repeated in neighbours (GPT-J)";
    case ColumnLayout::CosSinHalves:
      return "[cos | sin] halves";
    case ColumnLayout::CosSinPairs:
      return "(cos, sin) pairs";
    case ColumnLayout::SinCosHalves:
      return "[sin | cos] halves";
    case ColumnLayout::RepeatedByAxis:
      return "repeated in halves of each axis (Gemma 4's tower)";
    case ColumnLayout::BothRepeatedHalf:
      return "[cos | sin] halves, each repeated in halves";
  }
  return "";
}

i64 Plane::pair_of(i64 column) const {
  switch (layout) {
    case ColumnLayout::Plain:
      return column;
    case ColumnLayout::RepeatedHalf:
    case ColumnLayout::CosSinHalves:
    case ColumnLayout::SinCosHalves:
      return column % (columns / 2);
    case ColumnLayout::RepeatedPairs:
    case ColumnLayout::CosSinPairs:
      return column / 2;
    case ColumnLayout::RepeatedByAxis:
      return column / (columns / 2) * (columns / 4) + column % (columns / 4);
    case ColumnLayout::BothRepeatedHalf:
      return column % (columns / 4);
  }
  return column;
}

Trig Plane::trig_of(i64 column) const {
  if (layout == ColumnLayout::CosSinHalves || layout == ColumnLayout::BothRepeatedHalf)
    return column < columns / 2 ? Trig::Cos : Trig::Sin;
  if (layout == ColumnLayout::SinCosHalves) return column < columns / 2 ? Trig::Sin : Trig::Cos;
  if (layout == ColumnLayout::CosSinPairs) return column % 2 == 0 ? Trig::Cos : Trig::Sin;
  return trig;
}

i64 Plane::column_of(i64 pair, Trig function) const {
  switch (layout) {
    case ColumnLayout::Plain:
    case ColumnLayout::RepeatedHalf:
      return function == trig ? pair : -1;
    case ColumnLayout::RepeatedPairs:
      return function == trig ? 2 * pair : -1;
    case ColumnLayout::RepeatedByAxis:
      return function == trig ? pair / (columns / 4) * (columns / 2) + pair % (columns / 4) : -1;
    case ColumnLayout::CosSinHalves:
    case ColumnLayout::BothRepeatedHalf:
      return pair + (function == Trig::Sin ? columns / 2 : 0);
    case ColumnLayout::SinCosHalves:
      return pair + (function == Trig::Cos ? columns / 2 : 0);
    case ColumnLayout::CosSinPairs:
      return 2 * pair + (function == Trig::Sin ? 1 : 0);
  }
  return -1;
}

i64 positions_of(const PositionRuns& runs) {
  i64 most = 0;
  for (const PositionRun& run : runs) most = std::max(most, run.first_position + run.rows);
  return most;
}

std::string CacheTable::tensors() const {
  std::string names;
  for (const Plane& plane : planes) names += (names.empty() ? "" : ", ") + plane.tensor;
  return names;
}

}  // namespace ropewalk::rope
