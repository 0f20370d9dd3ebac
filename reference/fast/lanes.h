// Vectors as wide as the instruction set has them, of double or of float, and the functions that attention asks of
// them. Compiled once for each instruction set: everything here is static and inlined.
#pragma once
#include <limits>

#include "lib/base/lane.h"
#include "lib/base/types.h"

namespace ropewalk::reference {
namespace RW_INSTRUCTION_SET {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64, tile_rows = 8;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32, tile_rows = 4;
#else
inline constexpr int vector_bytes = 16, tile_rows = 4;
#endif

template <class Real>
struct VectorOf;
template <>
struct VectorOf<double> {
  typedef double type __attribute__((vector_size(vector_bytes)));
};
template <>
struct VectorOf<float> {
  typedef float type __attribute__((vector_size(vector_bytes)));
};
template <class Real>
using Vector = typename VectorOf<Real>::type;
template <class Real>
inline constexpr int lanes = vector_bytes / int(sizeof(Real));

using Doubles = Vector<double>;
typedef u64 Words __attribute__((vector_size(vector_bytes)));
typedef float Floats __attribute__((vector_size(vector_bytes / 2)));  // as many as there are doubles

template <class Real>
RW_LANE Vector<Real> load(const Real* from) {
  Vector<Real> all;
  __builtin_memcpy(&all, from, sizeof(all));
  return all;
}

template <class Real>
RW_LANE void store(Real* to, const Vector<Real>& all) {
  __builtin_memcpy(to, &all, sizeof(all));
}

RW_LANE Doubles all_of(double value) { return Doubles{} + value; }
RW_LANE Doubles size_of(Doubles x) {
  return reinterpret_cast<Doubles>(reinterpret_cast<Words>(x) & 0x7fffffffffffffffull);
}
RW_LANE Doubles larger_of(Doubles a, Doubles b) { return a > b ? a : b; }

// 0, 1, 2, ...
RW_LANE Doubles counted() {
  Doubles all;
  for (int n = 0; n < lanes<double>; ++n) all[n] = n;
  return all;
}

RW_LANE double sum_of(Doubles all) {
  double sum = all[0];
  for (int n = 1; n < lanes<double>; ++n) sum += all[n];
  return sum;
}

RW_LANE double largest_of(Doubles all) {
  double largest = all[0];
  for (int n = 1; n < lanes<double>; ++n) largest = all[n] > largest ? all[n] : largest;
  return largest;
}

// e^x as first * second * (1 + rest): x is k log 2 + r with |r| <= log(2) / 2, `rest` the Taylor series of e^r - 1 to
// the 13th power, which is off by 2^-61, and the factors are powers of two whose product is 2^k, in two so that results
// below the least normal number, and infinity, come out rounded once.
struct Exponential {
  Doubles first, second, rest;
};

RW_LANE Exponential exponential(Doubles x) {
  // Beyond these e^x is 0 and infinity. NaN stays.
  x = x < -746.0 ? all_of(-746) : x;
  x = x > 710.0 ? all_of(710) : x;
  // Adding this leaves k + 2048 in the lowest bits.
  constexpr double shift = 0x1.8p52 + 2048;
  const Doubles shifted = x * 0x1.71547652b82fep+0 + shift;  // 1 / log 2
  const Doubles k = shifted - shift;
  // log 2 in two: the product of k and the first part is exact.
  const Doubles r = (x - k * 0x1.62e42fefa38p-1) - k * 0x1.ef35793c7673p-45;
  constexpr double coefficients[] = {
      1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
      1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5};
  Doubles series = all_of(1.0 / 6227020800);
  for (const double coefficient : coefficients) series = series * r + coefficient;
  const Words low = reinterpret_cast<Words>(shifted) & 0xfff, half = low >> 1;
  return {reinterpret_cast<Doubles>((half - 1) << 52), reinterpret_cast<Doubles>((low - half - 1) << 52),
          r + r * r * series};
}

// Within 2 units in the last place.
RW_LANE Doubles exp_of(Doubles x) {
  const Exponential e = exponential(x);
  return (e.first + e.first * e.rest) * e.second;
}

// Within 4 units in the last place: -m / (2 + m) with m = e^(-2 |x|) - 1.
RW_LANE Doubles tanh_of(Doubles x) {
  const Exponential e = exponential(-2 * size_of(x));
  const Doubles power = e.first * e.second, m = power * e.rest + (power - 1.0), size = -m / (m + 2.0);
  return x < 0.0 ? -size : size;
}

}  // namespace RW_INSTRUCTION_SET
}  // namespace ropewalk::reference
