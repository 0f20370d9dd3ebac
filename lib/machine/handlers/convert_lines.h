// Lines of cvt that stand in the tables of what compilers write and of what they hardly write, of other types or
// roundings; `line` macros for roundings.h.
#pragma once

#define RW_NEAREST_FLOAT(from, From, to, To) RW_FORM("cvt.rn." to "." from, IntegerToFloat<To, From, Rounding::Nearest>)
#define RW_OF_F32(to, To, name, Mode)                                          \
  RW_FORM("cvt." name "." to ".f32", FloatToInteger<To, F32, Rounding::Mode>), \
      RW_FORM("cvt." name ".ftz." to ".f32", FloatToInteger<To, F32, Rounding::Mode, true>)
