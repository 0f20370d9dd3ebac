#include "lib/ptx/calls.h"

#include "lib/ptx/instruction_table.h"

namespace ropewalk::ptx {

void add_called(std::vector<const Function*>& called, const Module& module, const Function& function,
                const Instruction& instruction) {
  if (module.opcode(instruction).op != "call"_op) return;
  const auto add = [&](const Function& one) {
    if (std::find(called.begin(), called.end(), &one) == called.end()) called.push_back(&one);
  };
  for (u32 n = 0; n < instruction.operand_count; ++n) {
    const Operand& operand = function.operands[instruction.first_operand + n];
    if (operand.kind == Operand::Kind::Function) add(module.functions[operand.id]);
    if (operand.kind != Operand::Kind::Register) continue;
    for (const Function& one : module.functions) {
      if (!one.is_entry) add(one);
    }
  }
}

void close_over_calls(std::vector<const Function*>& all, const Module& module) {
  for (std::size_t n = 0; n < all.size(); ++n) {
    const Function& function = *all[n];
    for (const Instruction& instruction : function.instructions) add_called(all, module, function, instruction);
  }
}

}  // namespace ropewalk::ptx
