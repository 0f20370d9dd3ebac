#include "lib/rope/model.h"

#include <algorithm>
#include <cmath>

namespace ropewalk::rope {

double Model::position_at(i64 row, i64 pair) const {
  if (pair_position) return pair_position(row, pair);
  return position ? position(row) : double(row);
}

double Model::angle_at(i64 row, i64 pair) const {
  if (angle) return angle(row, pair);
  const double product_value = position_at(row, pair) * frequencies.frequency[size_t(pair)];
  if (!product) return product_value;
  u8 bytes[8];
  store_from_double(bytes, *product, product_value);
  return load_as_double(bytes, *product);
}

double Model::value_at(i64 row, i64 pair, Trig trig) const {
  if (value) return value(row, pair, trig);
  // Which function stands there, and by the factor of which place.
  Trig shown = both_are.value_or(trig);
  if (swapped) shown = shown == Trig::Cos ? Trig::Sin : Trig::Cos;
  const double angle = angle_at(row, pair);
  return shown == Trig::Cos ? frequencies.attention * std::cos(angle) * cos_factor
                            : frequencies.attention * std::sin(angle) * sin_sign * sin_factor;
}

double Model::bound_at(const reference::RopeBound& bound, i64 row, i64 pair, Trig trig, double value) const {
  // A factor on one function is one product more, and grows its errors.
  const double factor = trig == Trig::Cos ? cos_factor : sin_factor;
  const double grown = factor == 1 ? 1.0 : 2 * std::max(1.0, std::abs(factor));
  const double position = position_at(row, pair);
  return grown * (bound.at(pair, position, value) +
                  position_error * frequencies.attention * frequencies.frequency[size_t(pair)] +
                  step_error * std::sqrt(std::abs(position)));
}

namespace {

// Calls see(row, pair, function, got, expected, bound) for each value of the sample.
template <class See>
void compare(const Model& model, const TableSample& sample, const Rounding& rounding, const See& see) {
  const RopeBounds bounds(model.frequencies, rounding);
  for (size_t n = 0; n < sample.rows.size(); ++n) {
    const i64 row = sample.rows[n];
    for (i64 pair = 0; pair < sample.pairs; ++pair) {
      for (const Trig trig : {Trig::Cos, Trig::Sin}) {
        if (!(trig == Trig::Cos ? sample.has_cos : sample.has_sin)) continue;
        const double value = model.value_at(row, pair, trig);
        see(row, pair, trig, (trig == Trig::Cos ? sample.cosine : sample.sine)[sample.at(n, pair)], value,
            model.bound_at(bounds.of(trig), row, pair, trig, value));
      }
    }
  }
}

double square(double error) { return error <= 2 ? error * error : 4; }

}  // namespace

Fit fit_of(const Model& model, const TableSample& sample, const Rounding& rounding) {
  if (model.frequencies.pairs() < sample.pairs || sample.rows.empty()) return {};
  i64 good = 0, count = 0;
  double squares = 0;
  compare(model, sample, rounding, [&](i64, i64, Trig, double got, double expected, double allowed) {
    const double error = std::abs(got - expected);
    ++count;
    good += error <= allowed;
    squares += square(error);
  });
  return {double(good) / double(count), std::sqrt(squares / double(count))};
}

std::vector<WrongPlace> wrong_places(const Model& right, const TableSample& sample, const Rounding& rounding) {
  std::vector<WrongPlace> wrong;
  if (right.frequencies.pairs() < sample.pairs) return wrong;
  compare(right, sample, rounding, [&](i64 row, i64 pair, Trig trig, double got, double expected, double allowed) {
    if (!(std::abs(got - expected) <= allowed)) wrong.push_back({row, pair, trig, got, expected});
  });
  return wrong;
}

Repair repair_of(const Model& model, const std::vector<WrongPlace>& wrong, const Rounding& rounding) {
  if (wrong.empty()) return {};
  const RopeBounds bounds(model.frequencies, rounding);
  i64 good = 0;
  double own = 0, right = 0;
  for (const WrongPlace& one : wrong) {
    if (one.pair >= model.frequencies.pairs()) return {0, 1};
    const double value = model.value_at(one.row, one.pair, one.trig), error = std::abs(one.got - value);
    good += error <= model.bound_at(bounds.of(one.trig), one.row, one.pair, one.trig, value);
    own += square(error);
    right += square(std::abs(one.got - one.right));
  }
  return {double(good) / double(wrong.size()), right > 0 ? std::sqrt(own / right) : 1};
}

double largest_part(const Model& model, const TableSample& sample, const Rounding& rounding) {
  double largest = 0;
  compare(model, sample, rounding, [&](i64, i64, Trig, double got, double expected, double allowed) {
    largest = std::max(largest, std::abs(got - expected) / allowed);
  });
  return largest;
}

void fit_and_sort(std::vector<Alternative>& alternatives, const TableSample& sample, const Rounding& rounding) {
  // A few rows tell most of them apart, and only those that are near are compared with all rows.
  const size_t step = sample.rows.size() / 24 + 1;
  std::vector<i64> few;
  for (size_t n = 0; n < sample.rows.size(); n += step) few.push_back(sample.rows[n]);
  const TableSample coarse = sample.filtered([&](i64 row) { return std::binary_search(few.begin(), few.end(), row); });
  for (Alternative& one : alternatives) one.fit = fit_of(one.model, coarse, rounding);
  std::stable_sort(alternatives.begin(), alternatives.end(),
                   [](const Alternative& a, const Alternative& b) { return a.fit.residual < b.fit.residual; });
  for (size_t n = 0; n < alternatives.size(); ++n) {
    if (n < 6 || alternatives[n].fit.share > 0.8) alternatives[n].fit = fit_of(alternatives[n].model, sample, rounding);
  }
  std::stable_sort(alternatives.begin(), alternatives.end(), [](const Alternative& a, const Alternative& b) {
    const bool first = explained(a.fit), second = explained(b.fit);
    if (first != second) return first;
    if (first && a.rank != b.rank) return a.rank < b.rank;
    return a.fit.residual < b.fit.residual;
  });
}

}  // namespace ropewalk::rope
