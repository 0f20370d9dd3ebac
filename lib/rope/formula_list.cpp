#include "lib/rope/formula_list.h"

#include <algorithm>
#include <cmath>

namespace ropewalk::rope {

FormulaList::FormulaList(const Suspect& suspect)
    : suspect_(suspect),
      expected_(suspect.expected),
      source_(suspect.recognised ? "the recognised formula" : "the configuration") {}

void FormulaList::add(const char* cause, int rank, const RopeFormula& formula, std::string text, std::string advice,
                      bool free_fit) {
  if (formula == expected_) return;
  Model model = model_of(formula, suspect_);
  if (model.frequencies.pairs() < suspect_.pairs) return;
  list_.push_back({cause, std::move(text), std::move(advice), rank, std::move(model), {}, free_fit, formula});
}

double FormulaList::measured(i64 pair) const {
  return pair >= 0 && pair < i64(suspect_.measured.size()) ? suspect_.measured[size_t(pair)] : NAN;
}

std::vector<i64> FormulaList::lengths() const {
  std::vector<i64> all = {2048, 4096, 8192, 16384, 32768, 65536, 131072};
  for (const i64 known : {expected_.max_positions, expected_.original_positions, suspect_.table_rows}) {
    for (const double times : {0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0}) {
      if (known > 0) all.push_back(std::max<i64>(1, i64(double(known) * times)));
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

double plain_number(double value) {
  if (!(value > 0) || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  const auto near = [&](double step, double reach) {
    const double rounded = std::round(value / step) * step;
    return std::abs(rounded - value) < reach * value ? rounded : 0;
  };
  for (const double step : {10 * unit, 5 * unit, 2.5 * unit, unit}) {
    if (const double found = near(step, 5e-3)) return found;
  }
  for (const double step : {unit / 2, unit / 4}) {
    if (const double found = near(step, 5e-4)) return found;
  }
  return value;
}

double rounded_to_digits(double value, int digits) {
  if (!(value > 0) || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, digits - 1 - std::floor(std::log10(value)));
  return std::round(value * unit) / unit;
}

double frequency_of(const Model& model, i64 pair) {
  return pair < model.frequencies.pairs() ? model.frequencies.frequency[size_t(pair)] : NAN;
}

}  // namespace ropewalk::rope
