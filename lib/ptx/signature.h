// What the modifiers of one opcode say of its operands; inside of lib/ptx only.
#pragma once
#include <string>

#include "lib/ptx/instruction_table.h"
#include "lib/ptx/matrix_forms.h"
#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// Whether a list of words, separated by spaces, has this one.
bool has_word(std::string_view list, std::string_view word);

// Types of one class and size are the same to an instruction; bits are the same as anything of their size.
enum class TypeClass : u8 { Predicate, Integer, Float, Bits };
TypeClass class_of(Type type);

struct Signature {
  bool has_rule = false;  // else the operands are not looked at, unless there is a pattern
  std::string pattern;    // of the operands, as in InstructionRow; "-": there are none
  Type first = Type::None, last = Type::None;
  int types = 0;
  bool is_wide = false;
  bool combines = false;             // .and, .or, .xor with a predicate
  std::optional<MatrixForm> matrix;  // of an mma that the table of forms has
  std::string fault;                 // why this is no PTX; "" where it is
};

// What the rules depend on of a module.
struct Edition {
  bool is_newer = false;    // its version is one that the rules do not know
  u32 capability = 0;       // of its target; sm_1x has mad.f32 without a rounding alone
  bool needs_sync = false;  // shfl and vote exist with .sync alone
};
Signature signature_of(const Opcode& opcode, const Edition& edition);

}  // namespace ropewalk::ptx
