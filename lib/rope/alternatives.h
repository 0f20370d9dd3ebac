// What may have happened to a table, as models that can be fitted.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/rope/image_grid.h"
#include "lib/rope/model.h"

namespace ropewalk::rope {

// What is known when alternatives are made.
struct Suspect {
  RopeFormula expected;
  i64 table_rows = 0;                   // that decide dynamic and longrope: the rows of all shards together
  i64 pairs = 0;                        // of the table
  i64 model_width = 0;                  // 0: not known
  Rounding rounding;                    // what it was rounded to at last
  bool recognised = false;              // the formula was read off the tables, nobody gave it
  std::function<double(i64)> position;  // of a row, as it should be; empty: the row itself
  // The same of a row's pair; empty: all pairs stand at `position`.
  std::function<double(i64, i64)> pair_position;
  std::optional<ImageGrid> image;  // whose cells `pair_position` tells; empty: none
  std::vector<double> measured;    // frequencies, NaN where they could not be read; empty: none
  double measured_attention = 0;   // 0: not known
};

// Bases that many models have.
inline constexpr double common_thetas[] = {1e4, 1e5,   5e5,   1e6,   2e6, 5e6, 8e6, 1e7,
                                           1e8, 2.5e5, 1.5e5, 1.6e5, 1e3, 2e4, 4e4, 1e9};

// The formula by itself, for so many rows.
Model model_of(const RopeFormula& formula, const Suspect& suspect);

// Another theta, type, factor, width, set or attention factor.
std::vector<Alternative> formula_alternatives(const Suspect& suspect);
// The right theta and type with exponents over another width, such as the model's: theta^(-2 i / width).
std::vector<Alternative> exponent_alternatives(const Suspect& suspect);
// ", or the exponents are over 128 in place of 64", where that comes to the same as this theta; empty: it does not.
std::string other_reading(const Suspect& suspect, double theta);
// What is left where no parameter that is tried fits: frequencies bent as only a scaling bends them.
std::optional<Alternative> bent_alternative(const Suspect& suspect);
// Another attention factor alone, which formula_alternatives has too.
std::vector<Alternative> attention_alternatives(const Suspect& suspect);
// The right formula in short formats, or by repeated addition or multiplication. `last_row`: the largest that is asked.
std::vector<Alternative> precision_alternatives(const Suspect& suspect, i64 last_row);
// Each row made of the one before, turned by row 1, in float32.
std::vector<Alternative> turn_alternatives(const Suspect& suspect, const CacheTable& table, i64 last_row);
// The right formula at other positions.
std::vector<Alternative> position_alternatives(const Suspect& suspect, const TableSample& sample, i64 first_wrong_row,
                                               const CacheTable& table);
// Of positions of three axes: what each is of.
inline constexpr const char* axis_names[] = {"time", "height", "width"};
// The right formula where rows have positions of several axes, and columns turn by those of another axis.
std::vector<Alternative> axis_alternatives(const Suspect& suspect, const CacheTable& table);
// The formula at other cells of an image, and with the frequencies of other towers. The suspect has an image.
std::vector<Alternative> image_alternatives(const Suspect& suspect);
// The formula as other towers share the frequencies out among the axes, and what is said of a table that has one.
std::vector<RopeFormula> other_image_axes(const RopeFormula& formula);
Alternative with_image_axes(const RopeFormula& other, const Suspect& suspect);
// Where the rows stand that are at other positions than their own, from the first wrong one on, if each of the sample
// stands at some position by the right formula: "rows 300 to 305 at 299, 299, ..."; empty: it does not, or no such row.
std::string positions_text(const Suspect& suspect, const TableSample& sample, i64 first_wrong_row,
                           const CacheTable& table);
// The right frequencies in another order. `wrong_pairs`: whose values are wrong.
std::vector<Alternative> order_alternatives(const Suspect& suspect, const std::vector<i64>& wrong_pairs);
// A factor on one of the two functions alone.
std::vector<Alternative> one_sided_alternatives(const Suspect& suspect, const TableSample& sample);
// cos and sin exchanged, one of them in both places, the sign of sin. `both`: the table has both functions.
std::vector<Alternative> function_alternatives(const Suspect& suspect, bool both);

}  // namespace ropewalk::rope
