#include "lib/rope/measure.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reference/rounding.h"

namespace ropewalk::rope {
namespace {

constexpr double turn = 2 * std::numbers::pi;

// The angle, moved by whole turns, that is nearest to `to`.
double nearest_turn(double angle, double to) { return angle + turn * std::round((to - angle) / turn); }

double roundoff(Dtype dtype) {
  return dtype == Dtype::F64 ? 0x1p-24 : std::max(reference::Rounding::of(dtype).relative, 0x1p-24);
}

// Phase of a pair near `expected`, from what functions there are.
double phase_near(const TableSample& sample, size_t n, i64 pair, double attention, double expected) {
  const double c = sample.has_cos ? sample.cosine[sample.at(n, pair)] / attention : 0;
  const double s = sample.has_sin ? sample.sine[sample.at(n, pair)] / attention : 0;
  if (sample.has_cos && sample.has_sin) return nearest_turn(std::atan2(s, c), expected);
  // Of one function alone two angles are possible; the nearer one is meant.
  const double first = sample.has_cos ? std::acos(std::clamp(c, -1.0, 1.0)) : std::asin(std::clamp(s, -1.0, 1.0));
  const double second = sample.has_cos ? -first : std::numbers::pi - first;
  const double a = nearest_turn(first, expected), b = nearest_turn(second, expected);
  return std::abs(a - expected) <= std::abs(b - expected) ? a : b;
}

// The mean of the lengths that are near to one, of pairs whose cos and sin are both large: short formats round cos of
// all small angles alike, and these to both sides. nullopt where there are few.
std::optional<double> mean_length_near(const TableSample& sample, double length) {
  constexpr i64 enough = 64;
  double sum = 0;
  i64 count = 0;
  for (size_t n = 0; n < sample.rows.size(); ++n) {
    for (i64 pair = 0; pair < sample.pairs; ++pair) {
      const size_t element = sample.at(n, pair);
      const double smaller = std::min(std::abs(sample.cosine[element]), std::abs(sample.sine[element]));
      const double own = sample.length_at(n, pair);
      if (!(smaller > 0.3 * length) || !(std::abs(own - length) < 0.01 * length)) continue;
      sum += own;
      ++count;
    }
  }
  return count < enough ? std::nullopt : std::optional(sum / double(count));
}

}  // namespace

double measured_attention(const TableSample& sample) {
  if (!sample.has_cos || !sample.has_sin) return 0;
  std::vector<double> lengths;
  for (size_t n = 0; n < sample.rows.size(); ++n) {
    for (i64 pair = 0; pair < sample.pairs; ++pair) {
      const double length = sample.length_at(n, pair);
      if (!std::isnan(length)) lengths.push_back(length);
    }
  }
  if (lengths.empty()) return 0;
  const auto middle = lengths.begin() + i64(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return mean_length_near(sample, *middle).value_or(*middle);
}

TableSample rotated_back(const TableSample& sample) {
  TableSample out = sample;
  if (!sample.has_cos || !sample.has_sin) return {};
  for (size_t n = 0; n < sample.rows.size(); ++n) {
    for (i64 pair = 0; pair < sample.pairs; ++pair) {
      const double c = sample.cosine[sample.at(n, pair)], s = sample.sine[sample.at(n, pair)];
      const double length = sample.length_at(0, pair);
      const double c0 = sample.cosine[sample.at(0, pair)] / length, s0 = sample.sine[sample.at(0, pair)] / length;
      out.cosine[sample.at(n, pair)] = c * c0 + s * s0;
      out.sine[sample.at(n, pair)] = s * c0 - c * s0;
    }
  }
  return out;
}

double share_on_circle(const TableSample& sample, double attention) {
  i64 good = 0, count = 0;
  for (size_t n = 0; n < sample.rows.size(); ++n) {
    for (i64 pair = 0; pair < sample.pairs; ++pair) {
      ++count;
      good += std::abs(sample.length_at(n, pair) - attention) < 0.01 * attention;
    }
  }
  return count ? double(good) / double(count) : 0;
}

double share_on_ellipse(const TableSample& sample) {
  // x c^2 + y s^2 = 1, by least squares.
  double cc = 0, cs = 0, ss = 0, c = 0, s = 0;
  const auto each = [&](const auto& see) {
    for (size_t n = 0; n < sample.cosine.size() && n < sample.sine.size(); ++n)
      see(sample.cosine[n] * sample.cosine[n], sample.sine[n] * sample.sine[n]);
  };
  i64 count = 0, good = 0;
  each([&](double a, double b) {
    ++count;
    if (!std::isfinite(a) || !std::isfinite(b)) return;
    cc += a * a;
    cs += a * b;
    ss += b * b;
    c += a;
    s += b;
  });
  const double determinant = cc * ss - cs * cs;
  if (!(determinant > 1e-6 * cc * ss) || !std::isfinite(determinant)) return 0;
  const double x = (c * ss - s * cs) / determinant, y = (s * cc - c * cs) / determinant;
  each([&](double a, double b) { good += std::abs(x * a + y * b - 1) < 0.02; });
  return double(good) / double(count);
}

std::vector<double> measured_frequencies(const TableSample& sample, double attention, Dtype dtype) {
  const double noise = 2 * roundoff(dtype);
  std::vector<double> out(size_t(sample.pairs), NAN);
  // Both functions tell the phase at once; one alone only where it has left its start.
  const bool both = sample.has_cos && sample.has_sin;
  for (i64 pair = 0; pair < sample.pairs; ++pair) {
    double estimate = NAN, last = 0;
    for (size_t n = 0; n < sample.rows.size(); ++n) {
      const i64 row = sample.rows[n];
      if (row < 1 || (row & (row - 1)) != 0) continue;
      const double position = double(row);
      if (std::isnan(estimate)) {
        if (both && last == 0 && row > 1) break;  // row 1 is missing
        const double first = phase_near(sample, n, pair, attention, 0.0);
        if (sample.has_cos && !sample.has_sin && 1 - std::cos(first) < 64 * noise) continue;
        estimate = std::abs(first) / position;
        if (both) estimate = first / position;
        last = position;
        continue;
      }
      // Beyond twice the last position a whole turn could be lost.
      if (position > 2 * last) break;
      const double phase = phase_near(sample, n, pair, attention, estimate * position);
      const double next = phase / position;
      // The phase may have moved by what the last step did not know, no more.
      if (std::abs(phase - estimate * position) > 0.35) break;
      estimate = next;
      last = position;
    }
    out[size_t(pair)] = estimate;
  }
  return out;
}

std::optional<double> measured_position(const TableSample& sample, size_t n,
                                        const reference::RopeFrequencies& frequencies, double most) {
  if (!sample.has_cos || !sample.has_sin) return std::nullopt;
  std::vector<i64> order;
  for (i64 pair = 0; pair < sample.pairs; ++pair) {
    if (frequencies.frequency[size_t(pair)] > 0) order.push_back(pair);
  }
  if (order.empty()) return std::nullopt;
  std::stable_sort(order.begin(), order.end(),
                   [&](i64 a, i64 b) { return frequencies.frequency[size_t(a)] < frequencies.frequency[size_t(b)]; });
  const double slowest = frequencies.frequency[size_t(order[0])];
  double best = NAN, best_error = 0.25;
  const double turns = std::min(most * slowest / turn + 1, 4096.0);
  const double start = std::atan2(sample.sine[sample.at(n, order[0])], sample.cosine[sample.at(n, order[0])]);
  // The first turn before the one before it: where all frequencies are powers of two both may fit.
  const double last = std::floor(turns) + 1;
  for (double step = 0; step <= last; ++step) {
    const double k = step == last ? -1 : step;
    double at = (start + turn * k) / slowest;
    for (const i64 pair : order) {
      const double w = frequencies.frequency[size_t(pair)];
      at = nearest_turn(std::atan2(sample.sine[sample.at(n, pair)], sample.cosine[sample.at(n, pair)]), at * w) / w;
    }
    double error = 0;
    for (const i64 pair : order) {
      const double angle = at * frequencies.frequency[size_t(pair)];
      error += std::hypot(sample.cosine[sample.at(n, pair)] - frequencies.attention * std::cos(angle),
                          sample.sine[sample.at(n, pair)] - frequencies.attention * std::sin(angle));
    }
    error /= double(order.size());
    if (error < best_error) {
      best_error = error;
      best = at;
    }
    if (best_error < 0.01) break;
  }
  if (std::isnan(best)) return std::nullopt;
  return best;
}

}  // namespace ropewalk::rope
