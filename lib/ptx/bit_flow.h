// Which bits of a result depend on which bits of the operands: what a computation means to marks of single bits (see
// lib/machine/unknown_bits.h). The table of instructions has what an opcode says of it, lib/machine/decode/bit_flow.cpp
// what its types add.
#pragma once
#include "lib/base/types.h"

namespace ropewalk::ptx {

struct BitFlow {
  enum class Relation : u8 { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
  enum class Kind : u8 {
    Whole,       // every bit of the result depends on every bit of the operands
    Moved,       // bits change positions as the other operands say; the form itself, run on marks, gives the result's
    Logic,       // each bit is made of the bits at its own position
    Packed,      // two numbers side by side, each made of the numbers at its own position
    Pack,        // the same, the high one made of the first operand and the low one of the second
    Select,      // c ? a : b
    SelectSign,  // c >= 0 ? a : b of an integer c
    Sum,
    Absolute,
    Difference,  // of integers; the difference of one operand is its negative
    Product,
    SumOfProduct,
    HighProduct,  // a * b + c
    WideProduct,
    WideSumOfProduct,  // the factors are extended to twice their bits
    CarryOfSum,
    SumWithCarry,  // a + b + c, where c is 0 or 1
    Quotient,
    Remainder,
    Monotonic,  // between the results for the smallest and the largest operands
    Least,
    Greatest,
    IsZero,  // 1 for 0, else 0
    Comparison,
    DotProduct  // of bytes, or of halves and bytes
  };
  // Results of a table for the inputs 0 to 7 (a << 2 | b << 1 | c).
  static constexpr u8 table_of_and = 0xc0, table_of_or = 0xfc, table_of_xor = 0x3c, table_of_not = 0x0f;

  Kind kind = Kind::Whole;
  u8 moved = 0;                // of Moved: a bit for each operand whose bits change positions; the others say how
  bool is_left_shift = false;  // of Moved
  bool is_resized = false;     // of Moved: it is the first operand, cut or extended
  bool is_copy = false;        // of Moved: copies of structs are made of it, byte by byte
  u8 copied_bytes = 0;         // of Moved, if not: so many low bytes are as they were, those above are a sign
  u8 table = 0;                // of Logic: what lop3 calls its table (0 with three operands: it is the fourth)
  u8 factor_bits = 0;          // of products: so many low bits of the factors count; 0: all do
  bool is_signed = false;
  bool is_signed_b = false;                  // of DotProduct: the second operand
  bool is_high = false, has_halves = false;  // of DotProduct: dp2a, and which of its bytes
  Relation relation = Relation::Equal;

  bool is_equality() const { return relation == Relation::Equal || relation == Relation::NotEqual; }
};

}  // namespace ropewalk::ptx
