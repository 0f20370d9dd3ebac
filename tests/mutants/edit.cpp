#include "tests/mutants/edit.h"

#include <algorithm>

namespace ropewalk::mutants {

ptx::Operand whole_number(i64 value) {
  ptx::Operand operand;
  operand.kind = ptx::Operand::Kind::Integer;
  operand.value = value;
  return operand;
}

ptx::Operand& Editor::operand(u32 n, u32 k) { return function_.operands[function_.instructions[n].first_operand + k]; }

u32 Editor::opcode_number(const std::string& text) {
  for (u32 n = 0; n < module_.opcodes.size(); ++n) {
    if (module_.opcodes[n].text == text) return n;
  }
  module_.opcodes.emplace_back(text);
  return u32(module_.opcodes.size() - 1);
}

void Editor::set_opcode(u32 n, const std::string& text) { function_.instructions[n].opcode = opcode_number(text); }

ptx::Operand Editor::new_register(ptx::Type type) {
  ptx::Operand operand;
  operand.kind = ptx::Operand::Kind::Register;
  operand.id = u32(function_.registers.size());
  function_.registers.push_back({"%mutant" + std::to_string(operand.id), type});
  return operand;
}

void Editor::insert_before(u32 n, const std::string& opcode, const std::vector<ptx::Operand>& operands) {
  insert(n, n, opcode, operands);
}

void Editor::insert_after(u32 n, const std::string& opcode, const std::vector<ptx::Operand>& operands) {
  insert(n + 1, n, opcode, operands);
}

void Editor::insert(u32 at, u32 like, const std::string& opcode, const std::vector<ptx::Operand>& operands) {
  ptx::Instruction instruction = function_.instructions[like];
  instruction.opcode = opcode_number(opcode);
  instruction.first_operand = u32(function_.operands.size());
  instruction.operand_count = u32(operands.size());
  function_.operands.insert(function_.operands.end(), operands.begin(), operands.end());
  function_.instructions.insert(function_.instructions.begin() + at, instruction);
  for (ptx::Label& label : function_.labels) label.instruction += label.instruction > like;
  for (ptx::Pragma& pragma : function_.pragmas) pragma.instruction += pragma.instruction > like;
}

void Editor::remove(u32 n) {
  function_.instructions.erase(function_.instructions.begin() + n);
  for (ptx::Label& label : function_.labels) label.instruction -= label.instruction > n;
  for (ptx::Pragma& pragma : function_.pragmas) pragma.instruction -= pragma.instruction > n;
}

}  // namespace ropewalk::mutants
