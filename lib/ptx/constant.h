// Constants in PTX text: integers of all bases, floats as bits or as decimals, and constant expressions.
#pragma once
#include "lib/ptx/lexer.h"
#include "lib/ptx/module.h"

namespace ropewalk::ptx {

struct Constant {
  enum class Kind : u8 { Integer, Float, Float32 };  // as in Operand: bits of binary64, bits of binary32
  Kind kind = Kind::Integer;
  bool is_unsigned = false;  // of an integer: has a U suffix or needs the 64th bit
  u64 bits = 0;

  // The number as a double.
  double as_double() const;
};

// Whether a constant can begin with this character.
inline bool starts_constant(char c) { return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '~' || c == '('; }
// One constant with its sign, or an expression in parentheses. Fails at the cursor when there is none.
Constant read_constant(Lexer& lexer);
// A constant expression: what C has for integers, on 64 bits, signed unless a side is unsigned.
Constant read_expression(Lexer& lexer);
// An expression that must be an integer.
u64 read_integer(Lexer& lexer, const char* expected);

}  // namespace ropewalk::ptx
