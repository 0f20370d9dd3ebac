// The rules by opcode; inside of lib/ptx only.
#pragma once
#include <string_view>

namespace ropewalk::ptx {

// Words are separated by spaces. `modifiers` are those that are no type. `operands` has a letter for each operand, an
// optional one in brackets:
//   d  a register of the first type            D  the same, or with a predicate behind '|'
//   a  a register or constant of the last type c  the same of the first type
//   w  a register of twice the width           W  the same, or a constant
//   r  a register of 32 bits                   u  the same, or an integer
//   o  a register of the first type or "_"     i  an integer
//   p  a predicate to read, which may be negated
//   P  a predicate to write, or "_"            Q  the same, or two with '|' between
//   x  a register at least as wide as the first type (cvt)   y  a source at least as wide as the last type (cvt)
//   v  what a load writes: a register or, with .vN, a vector s  what a store reads
//   m  an address                              l  a label                       t  a table of labels
//   A  a register of the type, a constant or the address of a variable or function (cvta)
//   *  anything from here on
struct GrammarRule {
  std::string_view stem;
  std::string_view types;
  std::string_view modifiers;
  std::string_view operands;
  int least_types = 1, most_types = 1;
};

// nullptr: there is none for this opcode.
const GrammarRule* grammar_rule(std::string_view stem);
// Whether PTX has an opcode of this name, with a rule or without.
bool is_opcode(std::string_view stem);

}  // namespace ropewalk::ptx
