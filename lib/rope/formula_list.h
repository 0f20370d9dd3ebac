// What the alternatives that are formulas have in common.
#pragma once
#include <string>
#include <vector>

#include "lib/rope/alternatives.h"

namespace ropewalk::rope {

// Gathers formulas beside the expected one. Ranks: 1 one thing left out or taken for another that the configuration
// names itself; 2 one well-known number; 3 a well-known number of a parameter of minor weight; 4 a number that was
// fitted.
class FormulaList {
 public:
  explicit FormulaList(const Suspect& suspect);
  std::vector<Alternative> taken() { return std::move(list_); }

 protected:
  // What is the expected formula, or has too few pairs for the table, is left out.
  void add(const char* cause, int rank, const RopeFormula& formula, std::string text, std::string advice,
           bool free_fit = false);
  // A frequency of the table; NaN: it could not be read.
  double measured(i64 pair) const;
  // Lengths that a model may have been trained for.
  std::vector<i64> lengths() const;

  const Suspect& suspect_;
  const RopeFormula& expected_;
  const char* const source_;  // who says what is expected
  std::vector<Alternative> list_;
};

// The nearest number that people write: a round one within half a percent, else three digits that are very near.
double plain_number(double value);
// With so many significant digits.
double rounded_to_digits(double value, int digits);
// NaN: the formula has no such pair.
double frequency_of(const Model& model, i64 pair);

// Another factor or type of the scaling.
std::vector<Alternative> scaling_alternatives(const Suspect& suspect);
// The right type and factor with other parameters beside them, or the other way around.
std::vector<Alternative> parameter_alternatives(const Suspect& suspect);
// A scaling that nobody asked for, or one more.
std::vector<Alternative> unexpected_alternatives(const Suspect& suspect);

}  // namespace ropewalk::rope
