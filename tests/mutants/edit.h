// Changes to one function of a PTX module: instructions are altered, put in and taken out.
#pragma once
#include <string>
#include <vector>

#include "lib/ptx/module.h"

namespace ropewalk::mutants {

class Editor {
 public:
  // The function is one of the module's.
  Editor(ptx::Module& module, ptx::Function& function) : module_(module), function_(function) {}

  // The k-th operand of instruction n.
  ptx::Operand& operand(u32 n, u32 k);
  // Gives instruction n another opcode, as PTX writes it: "setp.le.s32".
  void set_opcode(u32 n, const std::string& text);
  // A register that nothing names yet.
  ptx::Operand new_register(ptx::Type type);
  // Puts an instruction before or behind instruction n, with its source position. Labels before n stay before both.
  void insert_before(u32 n, const std::string& opcode, const std::vector<ptx::Operand>& operands);
  void insert_after(u32 n, const std::string& opcode, const std::vector<ptx::Operand>& operands);
  void remove(u32 n);
  // Executes instruction n whatever its predicate would say.
  void drop_predicate(u32 n) { function_.instructions[n].predicate = ptx::Instruction::no_predicate; }

 private:
  u32 opcode_number(const std::string& text);
  void insert(u32 at, u32 like, const std::string& opcode, const std::vector<ptx::Operand>& operands);

  ptx::Module& module_;
  ptx::Function& function_;
};

// An operand that is the whole number `value`.
ptx::Operand whole_number(i64 value);

}  // namespace ropewalk::mutants
