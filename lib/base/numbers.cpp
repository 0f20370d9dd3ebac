#include "lib/base/numbers.h"

#include <algorithm>
#include <cmath>

namespace ropewalk {
namespace {

// The exponent of the smallest normal value.
int smallest_exponent(Dtype dtype) {
  switch (dtype) {
    case Dtype::F16:
    case Dtype::F8E5M2:
      return -14;
    case Dtype::F8E4M3:
      return -6;
    case Dtype::F64:
      return -1022;
    default:
      return -126;
  }
}

}  // namespace

double ulp_at(double value, Dtype dtype) {
  if (!is_floating(dtype)) return 1;
  if (!std::isfinite(value)) return value;
  const int smallest = smallest_exponent(dtype);
  const int exponent = value == 0 ? smallest : std::max(std::ilogb(value), smallest);
  return std::ldexp(1.0, exponent - (significand_bits(dtype) - 1));
}

}  // namespace ropewalk
