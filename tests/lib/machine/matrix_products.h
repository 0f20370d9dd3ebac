// Matrix products on the machine: matrices of any form of mma.sync, their fragments, and the launch that multiplies
// them. Where an element lies and what its bits mean stands here once more, from other sources than the table of forms:
// layouts are those of CUTLASS (cute/atom/mma_traits_sm80.hpp, _sm89.hpp, _sm90.hpp), and for 4-bit integers, which it
// leaves out, those of the PTX ISA, "Matrix Fragments for mma.m8n8k32", "m16n8k32" and "m16n8k64".
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "lib/base/random.h"
#include "lib/launch/launch.h"
#include "lib/ptx/matrix_forms.h"
#include "lib/ptx/read_module.h"

namespace ropewalk {

using ptx::MatrixElement, ptx::MatrixForm;

// Element number i of a lane is number lane % 4 * of_four + lane / 4 + (the digits of i times their strides), counted
// along the rows of a, c and d, and along the columns of b. A mode is a base and a stride.
struct FragmentLayout {
  u32 of_four;
  std::vector<std::pair<u32, u32>> modes;

  u32 number(u32 lane, u32 i) const {
    u32 out = lane % 4 * of_four + lane / 4;
    for (const auto& [base, stride] : modes) {
      out += i % base * stride;
      i /= base;
    }
    return out;
  }
};

// By "rows x depth x bits of a factor".
inline const std::map<std::string, FragmentLayout> layouts_of_a = {
    {"16x8x16", {32, {{2, 16}, {2, 8}}}},
    {"16x16x16", {32, {{2, 16}, {2, 8}, {2, 128}}}},
    {"16x4x32", {16, {{2, 8}}}},
    {"16x8x32", {16, {{2, 8}, {2, 64}}}},
    {"8x4x64", {8, {}}},
    {"16x4x64", {16, {{2, 8}}}},
    {"16x8x64", {16, {{2, 8}, {2, 64}}}},
    {"16x16x64", {16, {{2, 8}, {4, 64}}}},
    {"8x16x8", {32, {{4, 8}}}},
    {"16x16x8", {64, {{4, 16}, {2, 8}}}},
    {"16x32x8", {64, {{4, 16}, {2, 8}, {2, 256}}}},
    {"8x32x4", {64, {{8, 8}}}},
    {"16x32x4", {128, {{8, 16}, {2, 8}}}},
    {"16x64x4", {128, {{8, 16}, {2, 8}, {2, 512}}}},
};
// By "depth x bits".
inline const std::map<std::string, FragmentLayout> layouts_of_b = {
    {"8x16", {16, {{2, 8}}}},
    {"16x16", {16, {{2, 8}, {2, 64}}}},
    {"4x32", {8, {}}},
    {"8x32", {8, {{2, 32}}}},
    {"4x64", {8, {}}},
    {"8x64", {8, {{2, 32}}}},
    {"16x64", {8, {{4, 32}}}},
    {"16x8", {32, {{4, 8}}}},
    {"32x8", {32, {{4, 8}, {2, 128}}}},
    {"32x4", {64, {{8, 8}}}},
    {"64x4", {64, {{8, 8}, {2, 256}}}},
};
// By rows.
inline const std::map<u32, FragmentLayout> layouts_of_sum = {{8, {16, {{2, 8}}}}, {16, {32, {{2, 16}, {2, 8}}}}};

constexpr u32 product_warps = 2;

// The bits of each element of one warp's matrices, numbered as by the layouts.
struct Matrices {
  std::vector<u64> a, b, c;
};

struct Fragments {
  MatrixElement element;
  FragmentLayout layout;
  u32 elements;  // of the matrix

  u32 bits() const { return ptx::facts_of(element).bits; }
  u32 register_bits() const { return bits() == 64 ? 64 : 32; }
  u32 per_register() const { return register_bits() / bits(); }
  u32 registers() const { return elements / 32 / per_register(); }

  // The registers of the lanes of a warp, one lane after the other.
  void append(const std::vector<u64>& matrix, std::vector<std::byte>& to) const {
    for (u32 lane = 0; lane < 32; ++lane) {
      for (u32 n = 0; n < registers(); ++n) {
        u64 value = 0;
        for (u32 i = 0; i < per_register(); ++i) {
          value |= matrix[layout.number(lane, n * per_register() + i)] << (i * bits());
        }
        const std::byte* const bytes = reinterpret_cast<const std::byte*>(&value);
        to.insert(to.end(), bytes, bytes + register_bits() / 8);
      }
    }
  }
  // The other way round; the byte where the element's register begins, and the bit in it.
  std::pair<u64, u32> position(u32 warp, u32 number) const {
    for (u32 lane = 0; lane < 32; ++lane) {
      for (u32 i = 0; i < registers() * per_register(); ++i) {
        if (layout.number(lane, i) != number) continue;
        const u64 at = (u64(warp) * 32 + lane) * registers() + i / per_register();
        return {at * register_bits() / 8, i % per_register() * bits()};
      }
    }
    return {~u64(0), 0};
  }
};

inline Fragments fragments_of(const MatrixForm& form, char operand) {
  const u32 rows = form.shape().rows, depth = form.shape().depth;
  if (operand == 'a') {
    const u32 bits = ptx::facts_of(form.a).bits;
    return {form.a, layouts_of_a.at(fmt::format("{}x{}x{}", rows, depth, bits)), rows * depth};
  }
  if (operand == 'b')
    return {form.b, layouts_of_b.at(fmt::format("{}x{}", depth, ptx::facts_of(form.b).bits)), 8 * depth};
  return {form.sum, layouts_of_sum.at(rows), 8 * rows};
}

// The number that the bits of an element mean.
inline double number_of(MatrixElement element, u64 bits) {
  if (element == MatrixElement::TF32) bits &= ~u64(0x1fff);
  const auto small = [&](u32 exponent_bits, u32 fraction_bits, bool has_infinity) {
    const u64 exponent = bits >> fraction_bits & ((1u << exponent_bits) - 1);
    const u64 fraction = bits & ((u64(1) << fraction_bits) - 1);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const double sign = bits >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;
    if (exponent == (1u << exponent_bits) - 1 && (has_infinity || fraction == (1u << fraction_bits) - 1))
      return has_infinity && fraction == 0 ? sign * INFINITY : NAN;
    const double one = std::ldexp(1.0, int(fraction_bits));
    return exponent ? sign * std::ldexp(one + double(fraction), int(exponent) - bias - int(fraction_bits))
                    : sign * std::ldexp(double(fraction), 1 - bias - int(fraction_bits));
  };
  double wide;
  std::memcpy(&wide, &bits, 8);
  switch (element) {
    case MatrixElement::F16:
      return small(5, 10, true);
    case MatrixElement::BF16:
      return small(8, 7, true);
    case MatrixElement::TF32:
    case MatrixElement::F32:
      return small(8, 23, true);
    case MatrixElement::F64:
      return wide;
    case MatrixElement::E4M3:
      return small(4, 3, false);
    case MatrixElement::E5M2:
      return small(5, 2, true);
    case MatrixElement::S8:
      return i8(bits);
    case MatrixElement::U8:
      return u8(bits);
    case MatrixElement::S4:
      return bits < 8 ? double(bits) : double(bits) - 16;
    case MatrixElement::U4:
      return double(bits);
    case MatrixElement::S32:
      return i32(bits);
  }
  return NAN;
}

}  // namespace ropewalk
