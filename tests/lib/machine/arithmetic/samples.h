// Operands for the tests of arithmetic: values at the edges of a type, and seeded random ones that collide often
// enough.
#pragma once
#include <gtest/gtest.h>

#include <vector>

#include "lib/base/random.h"
#include "lib/machine/arithmetic/lane.h"

namespace ropewalk::machine::arithmetic {

// An integer storage value: small, near a power of two, near the top, or any.
template <class U>
U integer_sample(Random& random) {
  const u64 any = random.bits();
  const u32 width = sizeof(U) * 8;
  const U near = U(U(random.below(7)) - 3);
  switch (random.below(4)) {
    case 0:
      return near;
    case 1:
      return U(U(U(1) << random.below(width)) + near);
    case 2:
      return U(U(~U(0)) >> random.below(width));
    default:
      return U(any);
  }
}

// Bits of a float format with `fraction` fraction bits: zeros, subnormals, infinities, NaN, halves of integers, any
// pattern, and patterns with few significant bits, whose products and sums fall on ties.
template <class U>
U float_sample(Random& random, u32 fraction, u32 exponent_bits) {
  const U sign = U(U(random.below(2)) << (sizeof(U) * 8 - 1));
  const u64 bias = (u64(1) << (exponent_bits - 1)) - 1;
  const u64 infinity = ((u64(1) << exponent_bits) - 1) << fraction;
  const u64 fraction_mask = (u64(1) << fraction) - 1;
  const u64 any = random.bits();
  const u64 few = (any & 3) << (fraction - random.below(fraction - 1) - 2);
  const u64 bits_near_edge = u64(random.below(3)) - 1;
  switch (random.below(10)) {
    case 0: {
      const u64 edges[] = {0, 1, fraction_mask, fraction_mask + 1, bias << fraction, infinity - 1, infinity};
      return U(sign | U(edges[random.below(7)]));
    }
    case 1:
      return U(sign | U(infinity | (any & fraction_mask) | (random.below(2) << (fraction - 1))));
    case 2:
      return U(sign | U(any & fraction_mask));  // zero or subnormal
    case 3:
      return U(sign | U(few & fraction_mask) | U(random.below(infinity >> fraction) << fraction));
    case 4:
      return U(sign | U(((bias + random.below(fraction + 10)) << fraction) + (few & fraction_mask) + bits_near_edge));
    case 5:
    case 6:
      return U(sign | U(((bias - 3 + random.below(6)) << fraction) | (any & fraction_mask)));
    case 7:
      return U(sign | U((few & fraction_mask) | ((bias - 2 + random.below(4)) << fraction)));
    default:
      return U(any);
  }
}

template <class T>
struct Sample;
template <>
struct Sample<u8> {
  static u8 draw(Random& random) { return random.below(2) ? 0xff : 0; }
};
template <>
struct Sample<u16> {
  static u16 draw(Random& random) { return integer_sample<u16>(random); }
};
template <>
struct Sample<u32> {
  static u32 draw(Random& random) { return integer_sample<u32>(random); }
};
template <>
struct Sample<u64> {
  static u64 draw(Random& random) { return integer_sample<u64>(random); }
};
template <>
struct Sample<float> {
  static float draw(Random& random) { return bits_to_f32(float_sample<u32>(random, 23, 8)); }
};
template <>
struct Sample<double> {
  static double draw(Random& random) { return bits_to_f64(float_sample<u64>(random, 52, 11)); }
};

// Two operands that are often alike: cancellation and comparison need neighbours.
template <class T>
T related_sample(Random& random, T other) {
  if (random.below(4) != 0) return Sample<T>::draw(random);
  if constexpr (sizeof(T) == 4 && T(0.5) != T(0)) {
    return bits_to_f32((f32_to_bits(other) + u32(random.below(5)) - 2) ^ u32(random.below(2) << 31));
  } else if constexpr (sizeof(T) == 8 && T(0.5) != T(0)) {
    return bits_to_f64((f64_to_bits(other) + random.below(5) - 2) ^ (random.below(2) << 63));
  } else {
    return T(other + T(random.below(5)) - 2);
  }
}

// Bits of a result, for comparing and printing.
inline u64 bits_of(u8 value) { return value; }
inline u64 bits_of(u16 value) { return value; }
inline u64 bits_of(u32 value) { return value; }
inline u64 bits_of(u64 value) { return value; }
inline u64 bits_of(float value) { return f32_to_bits(value); }
inline u64 bits_of(double value) { return f64_to_bits(value); }

// Compares Op with `expected` on `count` operands; the first difference is reported with its operands.
template <class Op, class Expected>
void check_one(const char* name, u64 count, Expected expected) {
  Random random(mix(count));
  for (u64 i = 0; i < count; ++i) {
    const auto a = Sample<typename Op::A>::draw(random);
    const auto got = Op::apply(a);
    const typename Op::Result wanted = expected(a);
    if (bits_of(got) == bits_of(wanted)) continue;
    FAIL() << name << std::hex << " of " << bits_of(a) << " gives " << bits_of(got) << ", not " << bits_of(wanted);
  }
}
template <class Op, class Expected>
void check_two(const char* name, u64 count, Expected expected) {
  Random random(mix(count));
  for (u64 i = 0; i < count; ++i) {
    const auto a = Sample<typename Op::A>::draw(random);
    typename Op::B b;
    if constexpr (sizeof(a) == sizeof(b)) {
      b = related_sample<typename Op::B>(random, a);
    } else {
      b = Sample<typename Op::B>::draw(random);
    }
    const auto got = Op::apply(a, b);
    const typename Op::Result wanted = expected(a, b);
    if (bits_of(got) == bits_of(wanted)) continue;
    FAIL() << name << std::hex << " of " << bits_of(a) << ", " << bits_of(b) << " gives " << bits_of(got) << ", not "
           << bits_of(wanted);
  }
}
template <class Op, class Expected>
void check_three(const char* name, u64 count, Expected expected) {
  Random random(mix(count));
  for (u64 i = 0; i < count; ++i) {
    const auto a = Sample<typename Op::A>::draw(random);
    const auto b = Sample<typename Op::B>::draw(random);
    auto c = Sample<typename Op::C>::draw(random);
    // A fused product and sum is interesting where the two nearly cancel.
    if constexpr (sizeof(a) == sizeof(c) && typename Op::C(0.5) != typename Op::C(0)) {
      if (random.below(4) == 0) c = related_sample<typename Op::C>(random, -(a * b));
    }
    const auto got = Op::apply(a, b, c);
    const typename Op::Result wanted = expected(a, b, c);
    if (bits_of(got) == bits_of(wanted)) continue;
    FAIL() << name << std::hex << " of " << bits_of(a) << ", " << bits_of(b) << ", " << bits_of(c) << " gives "
           << bits_of(got) << ", not " << bits_of(wanted);
  }
}

constexpr u64 sample_count = 100000;

}  // namespace ropewalk::machine::arithmetic
