// The forms of mma.sync in one table. The decoder, the handlers, the checks, random programs and the manual are made of
// it: a further form is a row.
//
// d = a * b + c, where a has `rows` rows and `depth` columns, b `depth` rows and 8 columns, c and d `rows` rows and 8
// columns. How the elements lie in the registers of a warp (fragments) is that of the PTX ISA, "Matrix Fragments for
// mma.m8n8k4 with .f64" to "mma.m16n8k64": of a register that holds n elements, lane l has n neighbours of row l / 4 of
// a, and of column l / 4 of b; further registers follow 8 rows and then 4 n columns on.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "lib/ptx/module.h"

namespace ropewalk::ptx {

enum class MatrixElement : u8 { F16, BF16, TF32, F32, F64, E4M3, E5M2, S8, U8, S4, U4, S32 };

struct MatrixElementFacts {
  std::string_view name;
  u32 bits = 0;  // of a register that it takes
  u64 read = 0;  // which of these count
  // Of floats: the bits without the sign from which on it is not finite, and from which on it is NaN.
  u64 first_nonfinite = ~u64(0), first_nan = ~u64(0);
  Type register_type = Type::B32;  // of a register that holds it

  constexpr bool is_float() const { return first_nan != ~u64(0); }
  constexpr u32 register_bytes() const { return bits == 64 ? 8 : 4; }
  constexpr u32 per_register() const { return 8 * register_bytes() / bits; }
};

constexpr MatrixElementFacts facts_of(MatrixElement element) {
  constexpr std::array<MatrixElementFacts, 12> all = {{
      {"f16", 16, 0xffff, 0x7c00, 0x7c01},
      {"bf16", 16, 0xffff, 0x7f80, 0x7f81},
      {"tf32", 32, 0xffffe000, 0x7f800000, 0x7f800001},
      {"f32", 32, 0xffffffff, 0x7f800000, 0x7f800001, Type::F32},
      {"f64", 64, ~u64(0), 0x7ff0000000000000, 0x7ff0000000000001, Type::B64},
      {"e4m3", 8, 0xff, 0x7f, 0x7f},
      {"e5m2", 8, 0xff, 0x7c, 0x7d},
      {"s8", 8, 0xff},
      {"u8", 8, 0xff},
      {"s4", 4, 0xf},
      {"u4", 4, 0xf},
      {"s32", 32, 0xffffffff, ~u64(0), ~u64(0), Type::S32},
  }};
  return all[u32(element)];
}

// Forms of one shape. a and b each have one of the factors, c and d one of the sums.
struct MatrixRow {
  u32 rows, depth;
  std::array<MatrixElement, 2> factors, sums;
  u32 least_target;  // sm_80: 80

  constexpr bool is_integer() const { return sums[0] == MatrixElement::S32; }  // these may have .satfinite
};

inline constexpr std::array matrix_rows = [] {
  using enum MatrixElement;
  return std::to_array<MatrixRow>({
      {16, 8, {F16, F16}, {F32, F16}, 80},
      {16, 16, {F16, F16}, {F32, F16}, 80},
      {16, 8, {BF16, BF16}, {F32, F32}, 80},
      {16, 16, {BF16, BF16}, {F32, F32}, 80},
      {16, 4, {TF32, TF32}, {F32, F32}, 80},
      {16, 8, {TF32, TF32}, {F32, F32}, 80},
      {8, 16, {S8, U8}, {S32, S32}, 75},
      {16, 16, {S8, U8}, {S32, S32}, 80},
      {16, 32, {S8, U8}, {S32, S32}, 80},
      {8, 32, {S4, U4}, {S32, S32}, 75},
      {16, 32, {S4, U4}, {S32, S32}, 80},
      {16, 64, {S4, U4}, {S32, S32}, 80},
      {8, 4, {F64, F64}, {F64, F64}, 80},
      {16, 4, {F64, F64}, {F64, F64}, 90},
      {16, 8, {F64, F64}, {F64, F64}, 90},
      {16, 16, {F64, F64}, {F64, F64}, 90},
      {16, 16, {E4M3, E5M2}, {F32, F16}, 89},
      {16, 32, {E4M3, E5M2}, {F32, F16}, 89},
  });
}();

struct MatrixForm {
  u8 row = 0;  // of matrix_rows
  MatrixElement a{}, b{}, sum{};
  bool saturates = false;

  constexpr const MatrixRow& shape() const { return matrix_rows[row]; }
  constexpr u32 registers_of_a() const { return shape().rows * shape().depth / 32 / facts_of(a).per_register(); }
  constexpr u32 registers_of_b() const { return 8 * shape().depth / 32 / facts_of(b).per_register(); }
  constexpr u32 registers_of_sum() const { return shape().rows * 8 / 32 / facts_of(sum).per_register(); }
  bool operator==(const MatrixForm&) const = default;
};

struct MatrixIndex {
  u32 row, column;
  bool operator==(const MatrixIndex&) const = default;
};

// Which element of a, b, or of c and d is the i-th, from the low bits on, of a lane's register number `n`, where each
// holds `per_register`. All of a register of a are in one row, and all of one of b in one column.
constexpr MatrixIndex index_in_a(u32 rows, u32 per_register, u32 lane, u32 n, u32 i) {
  const u32 halves = rows / 8;
  return {lane / 4 + n % halves * 8, (n / halves * 4 + lane % 4) * per_register + i};
}
constexpr MatrixIndex index_in_b(u32 per_register, u32 lane, u32 n, u32 i) {
  return {(n * 4 + lane % 4) * per_register + i, lane / 4};
}
constexpr MatrixIndex index_in_sum(u32 per_register, u32 lane, u32 n, u32 i) {
  const u32 element = n * per_register + i;
  return {lane / 4 + element / 2 * 8, lane % 4 * 2 + element % 2};
}

// body(lane, register) for all that hold elements of a row of a, and of a column of b.
template <class Body>
void for_row_of_a(const MatrixForm& form, u32 row, Body body) {
  const u32 halves = form.shape().rows / 8;
  for (u32 lane = row % 8 * 4; lane < row % 8 * 4 + 4; ++lane) {
    for (u32 n = row / 8; n < form.registers_of_a(); n += halves) body(lane, n);
  }
}
template <class Body>
void for_column_of_b(const MatrixForm& form, u32 column, Body body) {
  for (u32 lane = column * 4; lane < column * 4 + 4; ++lane) {
    for (u32 n = 0; n < form.registers_of_b(); ++n) body(lane, n);
  }
}

// The form of an mma instruction; none: the table does not have it.
std::optional<MatrixForm> matrix_form(const Opcode& opcode);
// All of the table, in its order; and the opcode of one.
std::vector<MatrixForm> matrix_forms();
std::string opcode_of(const MatrixForm& form);

}  // namespace ropewalk::ptx
