#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "lib/rope/judge_table.h"
#include "lib/rope/measure.h"

namespace ropewalk::rope {
namespace {

constexpr double common_thetas[] = {1e4, 5e5, 1e6, 1e5, 1e7, 5e6, 8e6, 2e6, 1.5e5, 2.5e5, 1e8, 1e3, 2e4};

RopeFormula plain_formula(double theta, i64 pairs) {
  RopeFormula formula;
  formula.theta = theta;
  formula.head_dim = formula.rotary_dim = 2 * pairs;
  return formula;
}

double plain_theta(double theta) {
  for (const double common : common_thetas) {
    if (std::abs(theta - common) < 0.02 * common) return common;
  }
  return theta;
}

// The bases that the first pairs and the last pair point to, and those that are common.
std::vector<double> theta_candidates(const std::vector<double>& measured, i64 pairs) {
  std::vector<double> thetas;
  if (i64(measured.size()) >= pairs && pairs > 1 && measured[0] > 0) {
    for (const i64 pair : {std::max<i64>(1, pairs / 16), pairs - 1}) {
      const double w = measured[size_t(pair)];
      const double theta = std::pow(measured[0] / w, double(pairs) / double(pair));
      if (!(w > 0) || !(theta > 1.5) || theta > 1e15) continue;
      thetas.push_back(plain_theta(theta));
      thetas.push_back(theta);
    }
  }
  thetas.insert(thetas.end(), std::begin(common_thetas), std::end(common_thetas));
  std::vector<double> distinct;
  for (const double theta : thetas) {
    if (std::find(distinct.begin(), distinct.end(), theta) == distinct.end()) distinct.push_back(theta);
  }
  return distinct;
}

// Adds the formula and every scaling of it that the frequencies point to.
void add_candidates(const RopeFormula& plain, Suspect suspect, std::vector<Alternative>& list) {
  suspect.expected = plain;
  // Of formulas that fit alike the one with numbers that people write is meant.
  const bool fitted = plain_theta(plain.theta) != plain.theta || plain.theta != std::round(plain.theta);
  const auto add = [&](RopeFormula formula, int rank) {
    rank += fitted ? 1 : 0;
    list.push_back({"", "", "", rank, model_of(formula, suspect), {}, false, formula});
    if (suspect.measured_attention > 0.2 &&
        std::abs(suspect.measured_attention - reference::rope_attention(formula)) > 2e-3) {
      formula.attention_factor = suspect.measured_attention;
      list.push_back({"", "", "", rank + 2, model_of(formula, suspect), {}, false, formula});
    }
  };
  add(plain, 0);
  for (const Alternative& one : formula_alternatives(suspect)) {
    if (one.cause == "scaling-unexpected" && one.formula) add(*one.formula, one.rank);
  }
}

// The default formula whose frequencies lie nearest to the measured ones.
RopeFormula nearest_plain(const Suspect& suspect) {
  double best = INFINITY;
  RopeFormula nearest = plain_formula(1e4, suspect.pairs);
  for (const double theta : common_thetas) {
    const RopeFormula formula = plain_formula(theta, suspect.pairs);
    const reference::RopeFrequencies frequencies = reference::rope_frequencies(formula, suspect.table_rows);
    std::vector<double> distances;
    for (size_t pair = 0; pair < suspect.measured.size() && pair < frequencies.frequency.size(); ++pair) {
      const double w = suspect.measured[pair];
      distances.push_back(w > 0 ? std::min(1.0, std::abs(std::log(w / frequencies.frequency[pair]))) : 1.0);
    }
    if (distances.empty()) break;
    const auto middle = distances.begin() + i64(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    if (*middle < best) {
      best = *middle;
      nearest = formula;
    }
  }
  return nearest;
}

// Whether default formulas of several bases fit: such a table, as one of position 0 alone, tells nothing of its own.
bool fits_any_base(const std::vector<Alternative>& list, const std::function<bool(const Alternative&)>& fits) {
  std::set<double> thetas;
  for (const Alternative& one : list) {
    if (!one.formula || one.formula->type != RopeType::Default || !fits(one)) continue;
    if (std::ranges::find(common_thetas, one.formula->theta) != std::end(common_thetas))
      thetas.insert(one.formula->theta);
  }
  return thetas.size() > 1;
}

Suspect unknown_suspect(i64 pairs, i64 rows) {
  Suspect suspect;
  suspect.expected = plain_formula(1e4, pairs);
  suspect.recognised = true;
  suspect.pairs = pairs;
  suspect.table_rows = rows;
  return suspect;
}

}  // namespace

Recognised recognise(const CacheTable& table) {
  const auto is_telling = [&](i64 row) {
    bool zeros = true;
    for (const Plane& plane : table.planes) {
      for (i64 column = 0; column < plane.columns; ++column) {
        if (!std::isfinite(plane.at(row, column))) return false;
        zeros &= plane.at(row, column) == 0;
      }
    }
    return !zeros;
  };
  Suspect suspect = unknown_suspect(table.pairs(), table.rows);
  suspect.rounding = rounding_of(table);
  const TableSample sample = sample_of(table, telling_rows(table.rows, 96)).filtered(is_telling);
  suspect.measured_attention = measured_attention(sample);
  const double attention = suspect.measured_attention > 0.2 ? suspect.measured_attention : 1;
  suspect.measured = measured_frequencies(sample, attention, suspect.rounding.coarser());
  std::vector<Alternative> list;
  for (const double theta : theta_candidates(suspect.measured, suspect.pairs)) {
    add_candidates(plain_formula(theta, suspect.pairs), suspect, list);
  }
  fit_and_sort(list, sample, suspect.rounding);
  Recognised result{std::nullopt, nearest_plain(suspect)};
  if (list.empty()) return result;
  const auto fits = [](const Alternative& one) { return one.fit.share > 0.999; };
  if (fits(list.front()) && !fits_any_base(list, fits)) result.formula = list.front().formula;
  if (list.front().fit.share > 0.9 && list.front().formula) result.nearest = *list.front().formula;
  return result;
}

Recognised recognise(const FrequencyTensor& tensor) {
  Suspect suspect = unknown_suspect(i64(tensor.values.size()), 0);
  suspect.measured = tensor.values;
  std::vector<Alternative> list;
  for (const double theta : theta_candidates(suspect.measured, suspect.pairs)) {
    add_candidates(plain_formula(theta, suspect.pairs), suspect, list);
  }
  Recognised result{std::nullopt, nearest_plain(suspect)};
  const double unit = tensor.dtype == Dtype::F16 ? 0x1p-10 : tensor.dtype == Dtype::BF16 ? 0x1p-7 : 0;
  const auto fits = [&](const Alternative& one) {
    for (size_t pair = 0; pair < tensor.values.size(); ++pair) {
      const double w = one.model.frequencies.frequency[pair];
      const double allowed =
          w * (one.model.frequencies.error[pair] + unit) + (tensor.dtype == Dtype::F16 ? 0x1p-24 : 0);
      if (!(std::abs(tensor.values[pair] - w) <= allowed)) return false;
    }
    return true;
  };
  const bool unique = !fits_any_base(list, fits);
  double best = INFINITY;
  for (const Alternative& one : list) {
    if (double(one.rank) >= best || !fits(one)) continue;
    best = double(one.rank);
    if (unique)
      result.formula = one.formula;
    else if (one.formula)
      result.nearest = *one.formula;
  }
  return result;
}

}  // namespace ropewalk::rope
