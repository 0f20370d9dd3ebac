// Rounding to a small float format by searching the list of its values: the answer that bit tricks are tested against.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "lib/machine/arithmetic/float_lane.h"

namespace ropewalk::machine::arithmetic {

// The magnitudes of a format with the given bits, in order; the bits of a magnitude are its index.
class FormatTable {
 public:
  FormatTable(u32 fraction_bits, int bias, u32 finite_count) {
    for (u32 bits = 0; bits <= finite_count; ++bits) {
      // One more than the finite ones: where the next value would be, if the exponent went on.
      const u32 exponent = bits >> fraction_bits, fraction = bits & ((1u << fraction_bits) - 1);
      const double significand = exponent ? (1u << fraction_bits) + fraction : fraction;
      values_.push_back(std::ldexp(significand, int(exponent ? exponent : 1) - bias - int(fraction_bits)));
    }
  }
  double value(u32 bits) const { return values_[bits]; }
  u32 beyond() const { return u32(values_.size()) - 1; }

  // The bits of sum + error (|error| far below the last place of sum), rounded; negative in the highest bit of `width`.
  // `negative_zero` is the sign of an exact zero. An overflow is beyond().
  u32 round(__float128 sum, __float128 error, Rounding mode, u32 width, bool negative_zero = false) const {
    const bool zero = sum == 0 && error == 0;
    const bool negative = zero ? negative_zero : sum < 0 || (sum == 0 && error < 0);
    if (negative) sum = -sum, error = -error;
    // -1, 0, 1: below, at, above `value`.
    const auto side = [&](double value) {
      return sum < value ? -1 : sum > value ? 1 : error < 0 ? -1 : error > 0 ? 1 : 0;
    };
    u32 low = 0, high = u32(values_.size());
    while (high - low > 1) {
      const u32 middle = (low + high) / 2;
      (side(values_[middle]) >= 0 ? low : high) = middle;
    }
    u32 result = low;
    if (low != beyond() && side(values_[low]) > 0) {
      const int half = side((values_[low] + values_[low + 1]) / 2);
      const bool away = mode == Rounding::Nearest ? half > 0 || (half == 0 && (low & 1u))
                        : mode == Rounding::Up    ? !negative
                        : mode == Rounding::Down  ? negative
                                                  : false;
      result = low + (away ? 1 : 0);
    } else if (low == beyond() && (mode == Rounding::Zero || mode == (negative ? Rounding::Up : Rounding::Down))) {
      result = beyond() - 1;
    }
    return result | (negative ? 1u << (width - 1) : 0u);
  }

 private:
  std::vector<double> values_;
};

inline const FormatTable& f16_table() {
  static const FormatTable table(10, 15, 0x7c00);
  return table;
}
inline const FormatTable& bf16_table() {
  static const FormatTable table(7, 127, 0x7f80);
  return table;
}
// The value of 16 bits, by the table.
inline double half_value(const FormatTable& table, u16 bits) {
  const u32 magnitude = bits & 0x7fffu;
  const double value = magnitude < table.beyond()    ? table.value(magnitude)
                       : magnitude == table.beyond() ? double(INFINITY)
                                                     : double(NAN);
  return bits & 0x8000u ? -value : value;
}

}  // namespace ropewalk::machine::arithmetic
