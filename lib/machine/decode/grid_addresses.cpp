#include "lib/machine/decode/grid_addresses.h"

#include <algorithm>

#include "lib/machine/decode/step_values.h"

namespace ropewalk::machine {

namespace {

bool reads_grid_register(const Code& code, const Step& step) {
  const ptx::Instruction& instruction = code.instruction_of(step);
  const auto* const operands = code.function.operands.data() + instruction.first_operand;
  return std::any_of(operands, operands + instruction.operand_count, [](const ptx::Operand& operand) {
    const ptx::Special special = ptx::Special(operand.id);
    return operand.kind == ptx::Operand::Kind::Special &&
           (special == ptx::Special::Envreg1 || special == ptx::Special::Envreg2);
  });
}

}  // namespace

GridAddresses::GridAddresses(const Code& code) : of_(code.values.size(), Of::Number) {
  // The greatest of what goes into a value, until nothing rises.
  for (bool rose = code.uses_grid_workspace; rose;) {
    rose = false;
    for (const Step& step : code.steps) {
      Of made = step.kind != StepKind::Compute ? Of::Other : reads_grid_register(code, step) ? Of::Grid : Of::Number;
      if (made == Of::Number) {
        for (const u32 operand : {step.a, step.b, step.c, step.e}) {
          if (operand != no_value) made = std::max(made, of_[operand]);
        }
      }
      for_writes(step, [&](u32 value) {
        rose |= made > of_[value];
        of_[value] = std::max(of_[value], made);
      });
    }
  }
}

}  // namespace ropewalk::machine
