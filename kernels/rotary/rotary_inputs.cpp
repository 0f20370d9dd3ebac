#include "kernels/rotary/rotary_inputs.h"

#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

#include "lib/base/half.h"
#include "lib/base/random.h"

namespace ropewalk {
namespace {

constexpr i64 made_at_once = i64(1) << 20;  // elements

// Nearly normal: the sum of four 16-bit uniform numbers, of mean 131,070 and variance 4 (2^32 - 1) / 12. Bounded by 3.5
// deviations, exact in f32, and made of one draw.
float bell(u64 bits) {
  const u64 sum = (bits & 0xffff) + ((bits >> 16) & 0xffff) + ((bits >> 32) & 0xffff) + (bits >> 48);
  return float(i64(sum) - 131070) * float(1 / 37837.2);
}

void store(std::byte* at, Dtype dtype, float value) {
  if (dtype == Dtype::F32) {
    std::memcpy(at, &value, 4);
    return;
  }
  const u16 half = dtype == Dtype::F16 ? f32_to_f16(value) : f32_to_bf16(value);
  std::memcpy(at, &half, 2);
}

double deviation_of(const RotaryProblem& problem) {
  if (problem.input != "large") return 1;
  return problem.dtype == Dtype::F16 ? 0x1p12 : 0x1p100;
}

}  // namespace

Init rotary_input(const RotaryProblem& problem, const Shape& shape, u64 stream) {
  const u64 seed = mix(problem.seed) ^ mix(stream);
  const i64 count = element_count(shape);
  if (count > made_at_once) {
    return Normal{seed, 0, deviation_of(problem)};
  }
  auto array = std::make_shared<Array>(Array::zeros(problem.dtype, shape));
  std::byte* at = array->bytes.data();
  const u32 size = size_of(problem.dtype);
  const float deviation = float(deviation_of(problem));
  const bool integers = problem.input == "integers";
  for (i64 n = 0; n < count; ++n, at += size) {
    const u64 bits = random_bits(seed, u64(n));
    store(at, problem.dtype, integers ? float(i64(bits % 17) - 8) : bell(bits) * deviation);
  }
  return Given{std::move(array), ""};
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

Init given_values(Dtype dtype, const std::vector<double>& values) {
  return Given{std::make_shared<Array>(Array::of(dtype, {i64(values.size())}, values)), ""};
}

Init given_integers(Dtype dtype, const std::vector<i64>& values) {
  return given_values(dtype, std::vector<double>(values.begin(), values.end()));
}

}  // namespace ropewalk
