// Rope caches in double precision, with the error that an honest float32 implementation may show at each position.
#pragma once
#include <span>
#include <vector>

#include "lib/problem/rope_formula.h"
#include "reference/rotary.h"

namespace ropewalk::reference {

// What a formula comes to for a table of so many rows: pair i of row p is attention x (cos, sin)(p x frequency[i]).
struct RopeFrequencies {
  std::vector<double> frequency;  // radians a position
  std::vector<double> error;      // relative, of an honest float32 computation of the frequency
  double attention = 1;

  i64 pairs() const { return i64(frequency.size()); }
};

// `rows`: rows of the table, which decide the base of dynamic rope and the set of longrope.
RopeFrequencies rope_frequencies(const RopeFormula& formula, i64 rows);

// The base whose powers the frequencies are: theta, or what (dynamic) NTK scaling makes of it.
double rope_base(const RopeFormula& formula, i64 rows);
// What yarn and longrope multiply cos and sin with.
double rope_attention(const RopeFormula& formula);
// The pairs between which yarn's ramp rises; equal where nothing is known of the trained length.
struct YarnRamp {
  double low = 0, high = 0;
};
YarnRamp yarn_ramp(const RopeFormula& formula);

// How far a float32 table may honestly be from the mathematics, rounded at last to `dtype`:
// |got - value| <= angle(pair) x position + constant + relative x |value|.
struct RopeBound {
  std::vector<double> angle;  // by pair, of one position; the sum of both is never more than 2 attention
  double constant = 0;
  double relative = 0;
  double attention = 1;

  RopeBound(const RopeFrequencies& frequencies, Dtype dtype);
  double at(i64 pair, double position, double value) const;
};

// The table itself: positions is [rows, axes_of(formula.axes)], cosine and sine are [rows, pairs]. With XPos the values
// are those of the query's table of `rows` rows.
void rope_table(const RopeFormula& formula, std::span<const double> positions, Dtype dtype, ExpectedValues cosine,
                ExpectedValues sine);

// The axis of the position that pair `pair` turns by.
i64 rope_axis(const RopeFormula& formula, i64 pair);
// What XPos multiplies row `position` of a table of `rows` rows with.
double xpos_scale(const RopeFormula& formula, i64 pair, double position, i64 rows);

}  // namespace ropewalk::reference
