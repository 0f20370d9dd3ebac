#include "lib/diagnose/kernel_text.h"

#include <set>

#include "lib/ptx/instruction_table.h"

namespace ropewalk::diagnose {
namespace {

using ptx::Instruction;
using ptx::Operand;

const ptx::Function* entry_of(const Scene& scene) {
  return scene.launch.module ? scene.launch.module->entry(scene.launch.entry) : nullptr;
}

struct Text {
  const ptx::Module& module;
  const ptx::Function& function;

  const Operand& operand(const Instruction& instruction, u32 n) const {
    return function.operands[instruction.first_operand + n];
  }
  // The registers that operand `n` names, also inside an address or a vector.
  std::vector<u32> registers(const Operand& operand) const {
    if (operand.kind == Operand::Kind::Register) return {operand.id};
    std::vector<u32> found;
    const bool has_parts = operand.kind == Operand::Kind::Address || operand.kind == Operand::Kind::Vector ||
                           operand.kind == Operand::Kind::Pair;
    for (u32 n = 0; has_parts && n < operand.count; ++n) {
      const Operand& part = function.operands[operand.first + n];
      if (part.kind == Operand::Kind::Register) found.push_back(part.id);
    }
    return found;
  }
};

// The value of a 32- or 64-bit integer argument; 0 for others.
i64 scalar_value(const Argument& argument) {
  const auto* const scalar = std::get_if<ScalarArgument>(&argument);
  if (!scalar) return 0;
  if (scalar->dtype == Dtype::I32) return i64(i32(u32(scalar->bits)));
  return scalar->dtype == Dtype::I64 ? i64(scalar->bits) : 0;
}

// The parameter that an instruction loads as a whole; -1: none.
i64 loaded_parameter(const Text& text, const Instruction& instruction) {
  const ptx::Opcode& opcode = text.module.opcode(instruction);
  if (opcode.op != "ld"_op || !opcode.has("param") || instruction.operand_count < 2) return -1;
  const Operand& address = text.operand(instruction, 1);
  if (address.kind != Operand::Kind::Address || address.count != 1 || address.value != 0) return -1;
  const Operand& base = text.function.operands[address.first];
  if (base.kind != Operand::Kind::Variable || base.id < text.module.variables.size()) return -1;
  const u64 number = base.id - text.module.variables.size();
  return number < text.function.parameter_count ? i64(number) : -1;
}

}  // namespace

bool compares_with(const Scene& scene, i64 extent) {
  const ptx::Function* const function = entry_of(scene);
  if (!function) return false;
  const Text text{*scene.launch.module, *function};
  std::set<u32> holding;  // registers that hold the extent, or what was made of it by a move or a conversion
  for (const Instruction& instruction : function->instructions) {
    const ptx::Op op = text.module.opcode(instruction).op;
    if (instruction.operand_count < 2) continue;
    const i64 parameter = loaded_parameter(text, instruction);
    const auto& arguments = scene.launch.arguments;
    if (parameter >= 0 && u64(parameter) < arguments.size() && scalar_value(arguments[u64(parameter)]) == extent) {
      for (const u32 id : text.registers(text.operand(instruction, 0))) holding.insert(id);
      continue;
    }
    const bool moves = op == "mov"_op || op == "cvt"_op;
    const bool compares = op == "setp"_op || op == "set"_op || op == "min"_op || op == "max"_op;
    if (!moves && !compares) continue;
    for (u32 n = 1; n < instruction.operand_count; ++n) {
      for (const u32 id : text.registers(text.operand(instruction, n))) {
        if (!holding.count(id)) continue;
        if (compares) return true;
        for (const u32 copy : text.registers(text.operand(instruction, 0))) holding.insert(copy);
      }
    }
  }
  return false;
}

bool uses_results_of_atomics(const Scene& scene) {
  const ptx::Function* const function = entry_of(scene);
  if (!function) return false;
  const Text text{*scene.launch.module, *function};
  std::set<u32> results;
  for (const Instruction& instruction : function->instructions) {
    const bool atomic = text.module.opcode(instruction).op == "atom"_op;
    for (u32 n = 0; n < instruction.operand_count; ++n) {
      for (const u32 id : text.registers(text.operand(instruction, n))) {
        if (atomic && n == 0)
          results.insert(id);
        else if (results.count(id))
          return true;
      }
    }
  }
  return false;
}

}  // namespace ropewalk::diagnose
