// How the arithmetic of a kernel rounds.
#pragma once
#include "reference/rounding.h"

namespace ropewalk::reference {

// Of f32, and a little more: double precision is off by 2^-29 of a kernel's errors.
inline constexpr double kernel_roundoff = f32_roundoff * (1 + 0x1p-16);
// Numbers below it may be rounded to zero.
inline constexpr double f32_least_normal = 0x1p-126;

}  // namespace ropewalk::reference
