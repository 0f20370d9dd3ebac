// A hypothesis about how a table came to be, that can be compared with the table.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/problem/rope_formula.h"
#include "lib/rope/sample.h"
#include "reference/rope_table.h"

namespace ropewalk::rope {

// What the hypothesis predicts for each row and pair.
struct Model {
  reference::RopeFrequencies frequencies;
  std::function<double(i64)> position;  // of a row; empty: the row itself
  std::optional<Dtype> product;         // position x frequency was rounded to it
  // Angles that were not made by a product: angle(row, pair). Empty: the product.
  std::function<double(i64, i64)> angle;
  // cos and sin that were not made of an angle: value(row, pair, function). Empty: of the angle.
  std::function<double(i64, i64, Trig)> value;
  double step_error = 0;  // of each of as many steps as the position counts, whose errors have any sign

  bool swapped = false;          // cos stands where sin should
  std::optional<Trig> both_are;  // the one function that stands in both places
  double sin_sign = 1;
  double cos_factor = 1, sin_factor = 1;  // beside the attention factor

  double position_error = 0;  // how far an honest position may be from it

  // Where a pair of a row stands, of columns that share several axes. Empty: all pairs at `position`.
  std::function<double(i64, i64)> pair_position;

  double position_at(i64 row, i64 pair) const;
  double angle_at(i64 row, i64 pair) const;
  // What the hypothesis predicts for cos or sin of a row and pair.
  double value_at(i64 row, i64 pair, Trig trig) const;
  // How far an honest value may be from it.
  double bound_at(const reference::RopeBound& bound, i64 row, i64 pair, Trig trig, double value) const;
};

// How well a model explains a sample.
struct Fit {
  double share = 0;     // of the values that are within the bound of the model, 0 to 1
  double residual = 2;  // root of the mean square error; values that are no numbers count as 2
};

// `rounding`: what the table was rounded to at last.
Fit fit_of(const Model& model, const TableSample& sample, const Rounding& rounding);

// An element that is not what it should be: what a cause has to explain.
struct WrongPlace {
  i64 row = 0, pair = 0;
  Trig trig = Trig::Cos;
  double got = 0, right = 0;
};
// Those of a sample, by the right model.
std::vector<WrongPlace> wrong_places(const Model& right, const TableSample& sample, const Rounding& rounding);

// What a model makes of the wrong elements. One that explains few of them, or leaves them as far away as the right one
// does, fits only because the right one fits as well.
struct Repair {
  double share = 1;  // of the wrong elements that are within the bound of the model, 0 to 1
  double left = 0;   // the root of their mean square error, as a part of the one by the right model
};
Repair repair_of(const Model& model, const std::vector<WrongPlace>& wrong, const Rounding& rounding);
// Honest errors are spread over their bound, so that their root mean square is 1/sqrt(3) of it, and wrong elements are
// beyond the bound of the right model.
inline bool repairs(const Repair& repair) { return repair.share >= 0.9 && repair.left <= 0.65; }

// The largest error of the sample as a part of its bound; 1 is at the bound.
double largest_part(const Model& model, const TableSample& sample, const Rounding& rounding);

// One explanation among others. `rank` orders explanations that fit equally well: the one that supposes least is first.
struct Alternative {
  std::string cause;  // id; empty: as it should be
  std::string text;   // "theta 500000 in place of 10000"
  std::string advice;
  int rank = 0;
  Model model;
  Fit fit;
  bool free_fit = false;               // a parameter was fitted to the data
  std::optional<RopeFormula> formula;  // where the explanation is a formula
  Repair repair = {};                  // of those that fit
};

// The shape of an explanation that is good enough to be reported.
constexpr double explains = 0.985;
inline bool explained(const Fit& fit) { return fit.share >= explains; }

// Fits all to the sample and puts the best first: those that explain it before the others, then by rank, then by
// residual.
void fit_and_sort(std::vector<Alternative>& alternatives, const TableSample& sample, const Rounding& rounding);

}  // namespace ropewalk::rope
