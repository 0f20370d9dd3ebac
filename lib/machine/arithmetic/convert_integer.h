// cvt with an integer on one side or on both (PTX ISA, "Data Movement and Conversion Instructions: cvt"). To and From
// are the tags of lane.h. An 8-bit value is read from the low byte of its register and stored extended to 16 bits;
// where the register of a signed or unsigned result is wider than its type, the caller extends it.
#pragma once
#include "lib/machine/arithmetic/half_lane.h"
#include "lib/machine/arithmetic/integral.h"

namespace ropewalk::machine::arithmetic {

template <class Type>
constexpr typename Type::Value lowest_of() {
  using U = typename Type::Unsigned;
  return Type::is_signed ? typename Type::Value(U(1) << (Type::bits - 1)) : typename Type::Value(0);
}
template <class Type>
constexpr typename Type::Value highest_of() {
  using U = typename Type::Unsigned;
  return typename Type::Value(Type::is_signed ? U(U(~U(0)) >> 1) : U(~U(0)));
}

// Integer to integer; Sat clamps to the range of To, else the low bits are kept.
template <class To, class From, bool Sat = false>
struct ConvertInteger {
  using Result = typename To::Storage;
  using A = typename From::Storage;
  RW_LANE Result apply(A a) {
    using V = typename From::Value;
    V value = From::load(a);
    if constexpr (Sat) {
      constexpr bool can_be_low = From::is_signed && (!To::is_signed || To::bits < From::bits);
      constexpr bool can_be_high = To::bits < From::bits + (From::is_signed == To::is_signed ? 0
                                                            : To::is_signed                  ? 1
                                                                                             : -1);
      if constexpr (can_be_low) value = larger(value, V(lowest_of<To>()));
      if constexpr (can_be_high) value = smaller(value, V(highest_of<To>()));
    }
    return To::store(typename To::Value(value));
  }
};

// A double rounded to 16 or 32 bits with any mode. `value` may have been rounded to odd before.
template <class Format, Rounding Mode>
RW_LANE u16 double_to_half(double value) {
  const u16 nearest = Format::store(f64_to_f32_odd(value));
  const double back = double(Format::load(nearest));
  return directed_bits<Mode, u16>(nearest, back > value, back < value);
}
template <Rounding Mode>
RW_LANE float double_to_f32(double value) {
  const float nearest = canonical(float(value));
  return directed<Mode>(nearest, double(nearest) > value, double(nearest) < value);
}

// A 64-bit integer as a double rounded to odd; narrower ones are exact.
template <class V>
RW_LANE double odd_f64_of(V value) {
  const double nearest = double(value);
  if constexpr (sizeof(V) < 8) return nearest;
  const __int128 back = __int128(nearest), exact = value;
  const bool too_large = exact < 0 ? back < exact : back > exact;
  const u64 truncated = f64_to_bits(nearest) - (too_large ? 1u : 0u);
  return bits_to_f64(back == exact ? f64_to_bits(nearest) : truncated | 1u);
}

// Integer to f16, bf16, f32, f64. Sat: into [0, 1].
template <class To, class From, Rounding Mode, bool Sat = false>
struct IntegerToFloat {
  using Result = typename To::Storage;
  using A = typename From::Storage;
  RW_LANE Result apply(A a) {
    const auto value = From::load(a);
    if constexpr (To::bits == 16) {
      return saturated_half<To, Sat>(double_to_half<To, Mode>(odd_f64_of(value)));
    } else if constexpr (To::bits == 32) {
      if constexpr (Mode == Rounding::Nearest) return saturated<Sat>(float(value));
      return saturated<Sat>(double_to_f32<Mode>(odd_f64_of(value)));
    } else {
      const double nearest = double(value);
      if constexpr (Sat) return nearest < 0 ? 0.0 : nearest > 1 ? 1.0 : nearest;
      if constexpr (Mode == Rounding::Nearest || From::bits < 64) return nearest;
      const __int128 back = __int128(nearest), exact = value;
      return directed<Mode>(nearest, back > exact, back < exact);
    }
  }
};

// What NaN becomes: 0, but the highest bit alone where the source is f64 or the destination has 64 bits (stated so in
// the manual's notes on cvt).
template <class To, class F>
constexpr typename To::Value integer_of_nan() {
  using U = typename To::Unsigned;
  return sizeof(F) == 8 || To::bits == 64 ? typename To::Value(U(1) << (To::bits - 1)) : typename To::Value(0);
}

template <u32 Bits>
struct Width;
template <>
struct Width<32> {
  using Signed = i32;
};
template <>
struct Width<64> {
  using Signed = i64;
};

// A float clamped to the range of To and truncated.
template <class To, class F>
RW_LANE typename To::Value clamped_integer(F a) {
  using V = typename To::Value;
  if constexpr (To::bits < 32) {
    const F low = larger(a, F(lowest_of<To>()));
    const i32 value = i32(is_nan(a) ? F(0) : smaller(low, F(highest_of<To>())));
    return is_nan(a) ? integer_of_nan<To, F>() : V(value);
  } else {
    // The first value over the range is a power of two, the range's last value may be none of F.
    using Signed = typename Width<To::bits>::Signed;
    constexpr F half_range = To::bits == 32 ? F(0x1p31) : F(0x1p63);
    const F above = To::is_signed ? half_range : 2 * half_range, lowest = To::is_signed ? -half_range : F(0);
    const bool too_large = a >= above, too_small = a < lowest;
    const F inside = too_large || too_small || is_nan(a) ? F(0) : a;
    V value;
    if constexpr (To::is_signed) {
      value = Signed(inside);
    } else {
      // An unsigned conversion is no vector instruction before AVX-512: the upper half of the range is moved down.
      const bool upper = inside >= half_range;
      value = V(Signed(upper ? inside - half_range : inside)) + (upper ? V(1) << (To::bits - 1) : V(0));
    }
    value = too_large ? highest_of<To>() : too_small ? lowest_of<To>() : value;
    return is_nan(a) ? integer_of_nan<To, F>() : value;
  }
}

// Floating point to integer: rounded by .rni .rzi .rmi .rpi, clamped to the range of To (with or without .sat).
template <class To, class From, Rounding Mode, bool Ftz = false>
struct FloatToInteger {
  using Result = typename To::Storage;
  using A = typename From::Storage;
  RW_LANE Result apply(A a) {
    auto value = From::load(a);
    if constexpr (From::bits == 32) value = flushed<Ftz>(value);
    // The conversion itself truncates.
    if constexpr (Mode == Rounding::Zero) return To::store(clamped_integer<To>(value));
    return To::store(clamped_integer<To>(integral<Mode>(value)));
  }
};

}  // namespace ropewalk::machine::arithmetic
