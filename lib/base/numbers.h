// Units in the last place of the float formats.
#pragma once
#include "lib/base/dtype.h"

namespace ropewalk {

// The distance between neighbouring values of `dtype` at `value` (at least the smallest subnormal).
double ulp_at(double value, Dtype dtype);
// Largest error of rounding to nearest: half a unit in the last place at `value`.
inline double rounding_error(double value, Dtype dtype) { return ulp_at(value, dtype) / 2; }

}  // namespace ropewalk
