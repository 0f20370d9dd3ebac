// What every instruction form of this folder is made of: the types of PTX as tags, and the helpers that all of them
// use.
//
// An instruction form is a struct with the storage types of its result and its operands (Result, A, B, C, D) and a
// static function apply. The storage type of .b8 and .b16 is u16, of .b32 u32, of .b64 u64; .f32 is float and .f64
// double; a predicate is a u8 that holds 0 or 0xff. Two 16-bit values in a u32: the first stands in the low half.
//
// Translation units that call these need -ffp-contract=off (else sums and products fuse), and -fno-trapping-math and
// -fno-math-errno to become vector code: nobody reads the exception flags. The host must not flush subnormals.
#pragma once
#include "lib/base/half.h"
#include "lib/base/lane.h"
#include "lib/base/types.h"

// Operands and result of one storage type.
#define RW_ONE_OPERAND(type_of_all) \
  using Result = type_of_all;       \
  using A = type_of_all
#define RW_TWO_OPERANDS(type_of_all) \
  using Result = type_of_all;        \
  using A = type_of_all;             \
  using B = type_of_all
#define RW_THREE_OPERANDS(type_of_all) \
  RW_TWO_OPERANDS(type_of_all);        \
  using C = type_of_all

namespace ropewalk::machine::arithmetic {

RW_LANE u64 f64_to_bits(double value) { return __builtin_bit_cast(u64, value); }
RW_LANE double bits_to_f64(u64 bits) { return __builtin_bit_cast(double, bits); }

// A predicate from a condition.
RW_LANE u8 predicate(bool condition) { return condition ? u8(0xff) : u8(0); }

// Values chosen without a branch, references or std::min.
template <class T>
RW_LANE T smaller(T a, T b) {
  return a < b ? a : b;
}
template <class T>
RW_LANE T larger(T a, T b) {
  return a > b ? a : b;
}

// The types of PTX. Storage is what a register holds, Value what arithmetic is done on: load widens a stored value to
// it, store brings it back (a signed 8-bit value is stored with its sign extended to 16 bits).
namespace type {

template <class StorageType, class ValueType, class UnsignedType>
struct Integer {
  using Storage = StorageType;
  using Value = ValueType;
  using Unsigned = UnsignedType;  // of the same width as Value
  static constexpr u32 bits = sizeof(Value) * 8;
  static constexpr bool is_integer = true;
  static constexpr bool is_signed = ValueType(-1) < ValueType(0);
  RW_LANE Value load(Storage stored) { return Value(stored); }
  RW_LANE Storage store(Value value) { return Storage(value); }
};

struct U8 : Integer<u16, u8, u8> {};
struct S8 : Integer<u16, i8, u8> {};
struct U16 : Integer<u16, u16, u16> {};
struct S16 : Integer<u16, i16, u16> {};
struct U32 : Integer<u32, u32, u32> {};
struct S32 : Integer<u32, i32, u32> {};
struct U64 : Integer<u64, u64, u64> {};
struct S64 : Integer<u64, i64, u64> {};
using B16 = U16;
using B32 = U32;
using B64 = U64;

struct F16 {
  using Storage = u16;
  using Value = float;
  static constexpr u32 bits = 16;
  static constexpr bool is_integer = false;
  static constexpr Storage one = 0x3c00, canonical_nan = 0x7fff, infinity = 0x7c00, largest = 0x7bff;
  RW_LANE Value load(Storage stored) { return f16_to_f32(stored); }
  RW_LANE Storage store(Value value) { return f32_to_f16(value); }
};
struct BF16 {
  using Storage = u16;
  using Value = float;
  static constexpr u32 bits = 16;
  static constexpr bool is_integer = false;
  static constexpr Storage one = 0x3f80, canonical_nan = 0x7fff, infinity = 0x7f80, largest = 0x7f7f;
  RW_LANE Value load(Storage stored) { return bf16_to_f32(stored); }
  RW_LANE Storage store(Value value) { return f32_to_bf16(value); }
};
struct F32 {
  using Storage = float;
  using Value = float;
  static constexpr u32 bits = 32;
  static constexpr bool is_integer = false;
  static constexpr Storage one = 1;
  RW_LANE Value load(Storage stored) { return stored; }
  RW_LANE Storage store(Value value) { return value; }
};
struct F64 {
  using Storage = double;
  using Value = double;
  static constexpr u32 bits = 64;
  static constexpr bool is_integer = false;
  static constexpr Storage one = 1;
  RW_LANE Value load(Storage stored) { return stored; }
  RW_LANE Storage store(Value value) { return value; }
};

}  // namespace type

// The same form on both 16-bit halves of its operands.
template <class Op>
struct Halves2 {
  using Result = u32;
  using A = u32;
  using B = u32;
  RW_LANE u32 apply(u32 a, u32 b) {
    return u32(u16(Op::apply(u16(a), u16(b)))) | u32(u16(Op::apply(u16(a >> 16), u16(b >> 16)))) << 16;
  }
};
template <class Op>
struct Halves1 {
  using Result = u32;
  using A = u32;
  RW_LANE u32 apply(u32 a) { return u32(u16(Op::apply(u16(a)))) | u32(u16(Op::apply(u16(a >> 16)))) << 16; }
};
template <class Op>
struct Halves3 {
  using Result = u32;
  using A = u32;
  using B = u32;
  using C = u32;
  RW_LANE u32 apply(u32 a, u32 b, u32 c) {
    return u32(u16(Op::apply(u16(a), u16(b), u16(c)))) | u32(u16(Op::apply(u16(a >> 16), u16(b >> 16), u16(c >> 16))))
                                                             << 16;
  }
};

}  // namespace ropewalk::machine::arithmetic
