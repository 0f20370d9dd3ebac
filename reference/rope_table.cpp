#include "reference/rope_table.h"

#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "reference/rounding.h"

namespace ropewalk::reference {

// Position x frequency is rounded once, and a position from 2^24 on before it; here that is allowed at all positions,
// with the reference's own product and frequency (2^-50). cos and sin are right to 2 units in the last place (CUDA C++
// Programming Guide): four times the error of rounding, a unit below 1 being 2^-24. The attention factor is rounded,
// and so is its product; then comes the rounding to the table's own dtype.
RopeBound::RopeBound(const RopeFrequencies& frequencies, Dtype dtype) : attention(std::abs(frequencies.attention)) {
  for (size_t i = 0; i < frequencies.frequency.size(); ++i) {
    angle.push_back(attention * std::abs(frequencies.frequency[i]) *
                    (frequencies.error[i] + 2 * f32_roundoff + 0x1p-50));
  }
  const Rounding rounding = dtype == Dtype::F64 ? Rounding{0x1p-53, 0x1p-1074, HUGE_VAL} : Rounding::of(dtype);
  // Rounding::relative is of the power of two below a value, so of the value itself it is no more than that.
  const bool rounds_again = dtype != Dtype::F32 && dtype != Dtype::F64;
  relative = (attention == 1 ? 0 : 2 * f32_roundoff) + (rounds_again ? rounding.relative : 0);
  constant = attention * 0x1p-23 + (rounds_again ? 2 * rounding.least : 0);
}

double RopeBound::at(i64 pair, double position, double value) const {
  const double moved = std::min(angle[size_t(pair)] * std::abs(position), 2 * attention);
  return moved + constant + relative * std::min(std::abs(value) + moved, attention);
}

i64 rope_axis(const RopeFormula& formula, i64 pair) {
  const std::vector<i64>& sections = formula.sections;
  switch (formula.axes) {
    case RopeAxes::One:
      return 0;
    case RopeAxes::Sections:
    case RopeAxes::Series: {
      i64 end = 0;
      for (size_t axis = 0; axis < sections.size(); ++axis) {
        end += sections[axis];
        if (pair < end) return i64(axis);
      }
      return 0;
    }
    case RopeAxes::InterleavedSections:
      for (i64 axis = 1; axis < 3 && axis < i64(sections.size()); ++axis) {
        if (pair % 3 == axis && pair < 3 * sections[size_t(axis)]) return axis;
      }
      return 0;
    case RopeAxes::Ernie:
      // Sections are [h, w, t]; axes are numbered time, height, width.
      if (!sections.empty() && pair < 2 * sections[0]) return pair % 2 == 0 ? 1 : 2;
      return 0;
    case RopeAxes::Vision:
      return pair < formula.pairs() / 2 ? 0 : 1;
    case RopeAxes::VisionInterleaved:
      return pair % 2;
    case RopeAxes::VisionAlternating:
      return 1 - pair % 2;
  }
  return 0;
}

double xpos_scale(const RopeFormula& formula, i64 pair, double position, i64 rows) {
  const double d = double(formula.rotary_dim);
  const double zeta = (2.0 * double(pair) + 0.4 * d) / (1.4 * d);
  return std::pow(zeta, (position - double(rows / 2)) / *formula.xpos_scale_base);
}

void rope_table(const RopeFormula& formula, std::span<const double> positions, Dtype dtype, ExpectedValues cosine,
                ExpectedValues sine) {
  const i64 axes = axes_of(formula.axes);
  if (positions.size() % u64(axes) != 0) throw InternalError("positions do not come in rows of the formula's axes");
  const i64 rows = i64(positions.size()) / axes, pairs = formula.pairs();
  const RopeFrequencies frequencies = rope_frequencies(formula, rows);
  const RopeBound bound(frequencies, dtype);
  for (i64 row = 0; row < rows; ++row) {
    for (i64 pair = 0; pair < pairs; ++pair) {
      const double position = positions[size_t(row * axes + rope_axis(formula, pair))];
      const double angle = position * frequencies.frequency[size_t(pair)];
      double scale = 1, scale_error = 0;
      if (formula.xpos_scale_base) {
        scale = xpos_scale(formula, pair, position, rows);
        // The base and the exponent are rounded, and pow is right to 4 units in the last place.
        scale_error = f32_roundoff * (12 + 4 * std::abs(std::log(scale)));
      }
      const i64 at = row * pairs + pair;
      const auto put = [&](double value, ExpectedValues out) {
        out.value[at] = scale * value;
        out.bound[at] = scale * (bound.at(pair, position, value) + scale_error * std::abs(value));
      };
      put(frequencies.attention * std::cos(angle), cosine);
      put(frequencies.attention * std::sin(angle), sine);
    }
  }
}

}  // namespace ropewalk::reference
