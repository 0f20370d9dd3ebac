#include "lib/rope/model.h"

#include <algorithm>
#include <cmath>

namespace ropewalk {

double Model::angle_at(i64 row, i64 pair) const {
  if (angle) return angle(row, pair);
  const double at = position ? position(row) : double(row);
  const double product_value = at * frequencies.frequency[size_t(pair)];
  if (!product) return product_value;
  u8 bytes[8];
  store_from_double(bytes, *product, product_value);
  return load_as_double(bytes, *product);
}

namespace {

// Calls see(got, expected, bound) for each value of the sample.
template <class See>
void compare(const Model& model, const TableSample& sample, Dtype dtype, const See& see) {
  const RopeBound bound(model.frequencies, dtype);
  for (size_t n = 0; n < sample.rows.size(); ++n) {
    const i64 row = sample.rows[n];
    const double position = model.position ? model.position(row) : double(row);
    for (i64 pair = 0; pair < sample.pairs; ++pair) {
      const double angle = model.angle_at(row, pair);
      double c = model.frequencies.attention * std::cos(angle) * model.cos_factor;
      double s = model.frequencies.attention * std::sin(angle) * model.sin_sign * model.sin_factor;
      if (model.swapped) std::swap(c, s);
      if (model.both_are) (*model.both_are == Trig::Cos ? s : c) = *model.both_are == Trig::Cos ? c : s;
      // A factor on one function is one product more, and grows its errors.
      const auto grown = [](double factor) { return factor == 1 ? 1.0 : 2 * std::max(1.0, std::abs(factor)); };
      const double c_bound = grown(model.cos_factor) * bound.at(pair, position, c);
      const double s_bound = grown(model.sin_factor) * bound.at(pair, position, s);
      if (sample.has_cos) see(sample.cosine[sample.at(n, pair)], c, c_bound);
      if (sample.has_sin) see(sample.sine[sample.at(n, pair)], s, s_bound);
    }
  }
}

}  // namespace

Fit fit_of(const Model& model, const TableSample& sample, Dtype dtype) {
  if (model.frequencies.pairs() < sample.pairs || sample.rows.empty()) return {};
  i64 good = 0, count = 0;
  double squares = 0;
  compare(model, sample, dtype, [&](double got, double expected, double allowed) {
    const double error = std::abs(got - expected);
    ++count;
    good += error <= allowed;
    squares += error <= 2 ? error * error : 4;
  });
  return {double(good) / double(count), std::sqrt(squares / double(count))};
}

double share_repaired(const Model& model, const Model& own, const TableSample& sample, Dtype dtype) {
  if (model.frequencies.pairs() < sample.pairs || own.frequencies.pairs() < sample.pairs) return 1;
  std::vector<bool> wrong;
  compare(own, sample, dtype, [&](double got, double expected, double allowed) {
    wrong.push_back(!(std::abs(got - expected) <= allowed));
  });
  i64 count = 0, good = 0;
  size_t n = 0;
  compare(model, sample, dtype, [&](double got, double expected, double allowed) {
    if (!wrong[n++]) return;
    ++count;
    good += std::abs(got - expected) <= allowed;
  });
  return count ? double(good) / double(count) : 1;
}

double largest_part(const Model& model, const TableSample& sample, Dtype dtype) {
  double largest = 0;
  compare(model, sample, dtype, [&](double got, double expected, double allowed) {
    largest = std::max(largest, std::abs(got - expected) / allowed);
  });
  return largest;
}

void fit_and_sort(std::vector<Alternative>& alternatives, const TableSample& sample, Dtype dtype) {
  // A few rows tell most of them apart, and only those that are near are compared with all rows.
  const size_t step = sample.rows.size() / 24 + 1;
  std::vector<i64> few;
  for (size_t n = 0; n < sample.rows.size(); n += step) few.push_back(sample.rows[n]);
  const TableSample coarse = sample.filtered([&](i64 row) { return std::binary_search(few.begin(), few.end(), row); });
  for (Alternative& one : alternatives) one.fit = fit_of(one.model, coarse, dtype);
  std::stable_sort(alternatives.begin(), alternatives.end(),
                   [](const Alternative& a, const Alternative& b) { return a.fit.residual < b.fit.residual; });
  for (size_t n = 0; n < alternatives.size(); ++n) {
    if (n < 6 || alternatives[n].fit.share > 0.8) alternatives[n].fit = fit_of(alternatives[n].model, sample, dtype);
  }
  std::stable_sort(alternatives.begin(), alternatives.end(), [](const Alternative& a, const Alternative& b) {
    const bool first = explained(a.fit), second = explained(b.fit);
    if (first != second) return first;
    if (first && a.rank != b.rank) return a.rank < b.rank;
    return a.fit.residual < b.fit.residual;
  });
}

}  // namespace ropewalk
