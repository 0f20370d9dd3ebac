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

// The value of a 32- or 64-bit integer; 0 for others.
i64 value_of(const ScalarArgument& scalar) {
  if (scalar.dtype == Dtype::I32) return i64(i32(u32(scalar.bits)));
  return scalar.dtype == Dtype::I64 ? i64(scalar.bits) : 0;
}

// The integers among an argument and the members of a struct, each with the byte where it lies.
std::vector<std::pair<i64, i64>> integers_of(const Argument& argument) {
  if (const auto* const scalar = std::get_if<ScalarArgument>(&argument)) return {{0, value_of(*scalar)}};
  std::vector<std::pair<i64, i64>> found;
  if (const auto* const whole = std::get_if<StructArgument>(&argument)) {
    for (const StructArgument::Part& part : whole->parts) {
      const auto* const scalar = std::get_if<ScalarArgument>(&part.value);
      if (scalar) found.emplace_back(i64(part.at), value_of(*scalar));
    }
  }
  return found;
}

// The integer of the launch's arguments that an instruction loads; 0: it loads none.
i64 loaded_integer(const Text& text, const Instruction& instruction, const std::vector<Argument>& arguments) {
  const ptx::Opcode& opcode = text.module.opcode(instruction);
  if (opcode.op != "ld"_op || !opcode.has("param") || instruction.operand_count < 2) return 0;
  const Operand& address = text.operand(instruction, 1);
  if (address.kind != Operand::Kind::Address || address.count != 1) return 0;
  const Operand& base = text.function.operands[address.first];
  if (base.kind != Operand::Kind::Variable || base.id < text.module.variables.size()) return 0;
  const u64 number = base.id - text.module.variables.size();
  if (number >= text.function.parameter_count || number >= arguments.size()) return 0;
  for (const auto& [byte, value] : integers_of(arguments[number])) {
    if (byte == address.value) return value;
  }
  return 0;
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
    if (extent && loaded_integer(text, instruction, scene.launch.arguments) == extent) {
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

bool has_mask_up_to(const Scene& scene, i64 end, i64 extent) {
  for (const Argument& argument : scene.launch.arguments) {
    for (const auto& [byte, value] : integers_of(argument)) {
      if (value == extent) return false;
    }
  }
  return compares_with(scene, end);
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
