#include "kernels/rotary/rotary_inputs.h"

#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

#include "kernels/launch_parts.h"

namespace ropewalk::kernels {
namespace {

constexpr i64 made_at_once = i64(1) << 20;  // elements

double deviation_of(const RotaryProblem& problem) {
  if (problem.input != "large") return 1;
  return problem.dtype == Dtype::F16 ? 0x1p12 : 0x1p100;
}

}  // namespace

Init rotary_input(const RotaryProblem& problem, const Shape& shape, u64 stream) {
  const Drawn drawn{problem.dtype, problem.seed, stream};
  if (problem.input != "integers" || element_count(shape) > made_at_once) {
    return drawn_normal(drawn, shape, deviation_of(problem));
  }
  return drawn_by(drawn, shape, [](u64 bits) { return float(i64(bits % 17) - 8); });
}

std::vector<double> inverse_frequencies(i64 width, double theta) {
  std::vector<double> frequencies;
  for (i64 pair = 0; pair < (width + 1) / 2; ++pair) {
    frequencies.push_back(std::pow(theta, -2.0 * double(pair) / double(width)));
  }
  return frequencies;
}

RotaryTables rotary_tables(i64 rows, i64 width, double theta, Dtype dtype) {
  using Key = std::tuple<i64, i64, double, Dtype>;
  constexpr u64 kept = 32;
  static std::mutex mutex;
  static std::map<Key, RotaryTables> tables;
  const Key key{rows, width, theta, dtype};
  {
    const std::lock_guard lock(mutex);
    if (const auto found = tables.find(key); found != tables.end()) return found->second;
  }
  const std::vector<double> frequencies = inverse_frequencies(width, theta);
  const i64 pairs = i64(frequencies.size());
  auto cosine = std::make_shared<Array>(Array::zeros(dtype, {rows, pairs}));
  auto sine = std::make_shared<Array>(Array::zeros(dtype, {rows, pairs}));
  for (i64 row = 0, n = 0; row < rows; ++row) {
    for (i64 pair = 0; pair < pairs; ++pair, ++n) {
      const double angle = double(row) * frequencies[u64(pair)];
      cosine->set(n, std::cos(angle));
      sine->set(n, std::sin(angle));
    }
  }
  const RotaryTables made{std::move(cosine), std::move(sine)};
  const std::lock_guard lock(mutex);
  if (tables.size() >= kept) tables.clear();
  if (rows * pairs <= made_at_once) tables[key] = made;
  return made;
}

}  // namespace ropewalk::kernels
