// A hypothesis about how a table came to be, that can be compared with the table.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/problem/rope_formula.h"
#include "lib/rope/sample.h"
#include "reference/rope_table.h"

namespace ropewalk {

// What the hypothesis predicts for each row and pair.
struct Model {
  RopeFrequencies frequencies;
  std::function<double(i64)> position;  // of a row; empty: the row itself
  std::optional<Dtype> product;         // position x frequency was rounded to it
  // Angles that were not made by a product: angle(row, pair). Empty: the product.
  std::function<double(i64, i64)> angle;
  bool swapped = false;          // cos stands where sin should
  std::optional<Trig> both_are;  // the one function that stands in both places
  double sin_sign = 1;
  double cos_factor = 1, sin_factor = 1;  // beside the attention factor

  double angle_at(i64 row, i64 pair) const;
};

// How well a model explains a sample.
struct Fit {
  double share = 0;     // of the values that are within the bound of the model, 0 to 1
  double residual = 2;  // root of the mean square error; values that are no numbers count as 2
};

// `dtype`: what the table was rounded to at last.
Fit fit_of(const Model& model, const TableSample& sample, Dtype dtype);

// The part, 0 to 1, of the values that `own` does not explain and that the model does: a model with a small part of
// them fits only because `own` fits as well. 1 where `own` explains all.
double share_repaired(const Model& model, const Model& own, const TableSample& sample, Dtype dtype);
constexpr double repairs = 0.9;

// The largest error of the sample as a part of its bound; 1 is at the bound.
double largest_part(const Model& model, const TableSample& sample, Dtype dtype);

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
  double repaired = 1;                 // share_repaired, of those that fit
};

// The shape of an explanation that is good enough to be reported.
constexpr double explains = 0.985;
inline bool explained(const Fit& fit) { return fit.share >= explains; }

// Fits all to the sample and puts the best first: those that explain it before the others, then by rank, then by
// residual.
void fit_and_sort(std::vector<Alternative>& alternatives, const TableSample& sample, Dtype dtype);

}  // namespace ropewalk
