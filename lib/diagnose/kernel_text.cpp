#include "lib/diagnose/kernel_text.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>

#include "lib/ptx/instruction_table.h"

namespace ropewalk::diagnose {
namespace {

using ptx::Instruction;
using ptx::Operand;

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

// The number that `bytes` bytes of a scalar hold from byte `at` of it on, with its sign; 0 for others than integers of
// 32 and 64 bits. What a program passes says its width alone: two members of a struct may be one scalar.
i64 number_in(const ScalarArgument& scalar, u64 at, u32 bytes) {
  if (is_floating(scalar.dtype) || at + bytes > size_of(scalar.dtype)) return 0;
  if (bytes == 4) return i64(i32(u32(scalar.bits >> (8 * at))));
  return bytes == 8 ? i64(scalar.bits) : 0;
}

// The scalars among an argument and the members of a struct, each with the byte where it lies.
std::vector<std::pair<u64, ScalarArgument>> scalars_of(const Argument& argument) {
  if (const auto* const scalar = std::get_if<ScalarArgument>(&argument)) return {{0, *scalar}};
  std::vector<std::pair<u64, ScalarArgument>> found;
  if (const auto* const whole = std::get_if<StructArgument>(&argument)) {
    for (const StructArgument::Part& part : whole->parts) {
      const auto* const scalar = std::get_if<ScalarArgument>(&part.value);
      if (scalar) found.emplace_back(u64(part.at), *scalar);
    }
  }
  return found;
}

// Whether any integer of an argument is `value`.
bool holds(const Argument& argument, i64 value) {
  const auto all = scalars_of(argument);
  return std::any_of(all.begin(), all.end(), [&](const auto& it) {
    const auto& [byte, scalar] = it;
    return number_in(scalar, 0, size_of(scalar.dtype)) == value || number_in(scalar, 0, 4) == value ||
           number_in(scalar, 4, 4) == value;
  });
}

// Byte `at` of a parameter.
struct OfParameter {
  u64 number = 0;
  i64 at = 0;
};

// The parameters that registers point into: compilers take the address of a struct, and add to it.
class Pointers {
 public:
  explicit Pointers(const Text& text) : text_(text) {}

  // Of the base of an address, or of a variable; nullopt: it is no parameter.
  std::optional<OfParameter> parameter_at(const Operand& base) const {
    if (base.kind == Operand::Kind::Register) {
      const auto known = known_.find(base.id);
      return known == known_.end() ? std::nullopt : std::optional(known->second);
    }
    const u64 globals = text_.module.variables.size();
    if (base.kind != Operand::Kind::Variable || base.id < globals) return std::nullopt;
    if (base.id - globals >= text_.function.parameter_count) return std::nullopt;
    return OfParameter{base.id - globals, base.value};
  }

  void note(const Instruction& instruction) {
    const ptx::Op op = text_.module.opcode(instruction).op;
    const bool moves = op == "mov"_op && instruction.operand_count == 2;
    const bool adds = op == "add"_op && instruction.operand_count == 3 &&
                      text_.operand(instruction, 2).kind == Operand::Kind::Integer;
    if (!moves && !adds) return;
    auto found = parameter_at(text_.operand(instruction, 1));
    if (!found || text_.operand(instruction, 0).kind != Operand::Kind::Register) return;
    if (adds) found->at += text_.operand(instruction, 2).value;
    known_[text_.operand(instruction, 0).id] = *found;
  }

 private:
  const Text& text_;
  std::map<u32, OfParameter> known_;  // by register
};

// The integers of the launch's arguments that an instruction loads into its registers, one after another; 0: none.
std::vector<i64> loaded_integers(const Text& text, const Pointers& pointers, const Instruction& instruction,
                                 const std::vector<Argument>& arguments) {
  const ptx::Opcode& opcode = text.module.opcode(instruction);
  if (opcode.op != "ld"_op || !opcode.has("param") || instruction.operand_count < 2) return {};
  const Operand& address = text.operand(instruction, 1);
  if (address.kind != Operand::Kind::Address || address.count != 1) return {};
  const auto from = pointers.parameter_at(text.function.operands[address.first]);
  if (!from || from->number >= arguments.size()) return {};
  const i64 first = from->at + address.value;
  const u32 bytes = ptx::size_of(opcode.type);
  std::vector<i64> found(opcode.vector, 0);
  for (const auto& [byte, scalar] : scalars_of(arguments[from->number])) {
    for (u32 n = 0; n < opcode.vector && first >= 0; ++n) {
      const u64 at = u64(first) + n * bytes;
      if (at >= byte && at < byte + size_of(scalar.dtype)) found[n] = number_in(scalar, at - byte, bytes);
    }
  }
  return found;
}

// Whether one of these instructions has an operand that holds the number as an argument gives it, or what was made of
// it by moves and conversions.
bool uses(const Scene& scene, i64 number, std::initializer_list<ptx::Op> ops) {
  const ptx::Function* const function = scene.entry();
  if (!function) return false;
  const Text text{*scene.launch.module, *function};
  Pointers pointers(text);
  std::set<u32> holding;  // registers
  for (const Instruction& instruction : function->instructions) {
    const ptx::Op op = text.module.opcode(instruction).op;
    if (instruction.operand_count < 2) continue;
    pointers.note(instruction);
    if (op == "ld"_op && number) {
      const std::vector<u32> into = text.registers(text.operand(instruction, 0));
      const std::vector<i64> loaded = loaded_integers(text, pointers, instruction, scene.launch.arguments);
      for (u64 n = 0; n < std::min(into.size(), loaded.size()); ++n) {
        if (loaded[n] == number) holding.insert(into[n]);
      }
      continue;
    }
    const bool moves = op == "mov"_op || op == "cvt"_op;
    const bool is_one = std::ranges::find(ops, op) != ops.end();
    if (!moves && !is_one) continue;
    for (u32 n = 1; n < instruction.operand_count; ++n) {
      for (const u32 id : text.registers(text.operand(instruction, n))) {
        if (!holding.count(id)) continue;
        if (is_one) return true;
        for (const u32 copy : text.registers(text.operand(instruction, 0))) holding.insert(copy);
      }
    }
  }
  return false;
}

}  // namespace

bool compares_with(const Scene& scene, i64 extent) {
  return uses(scene, extent, {"setp"_op, "set"_op, "min"_op, "max"_op});
}

bool multiplies_by(const Scene& scene, i64 pitch) { return uses(scene, pitch, {"mul"_op, "mad"_op}); }

bool has_mask_up_to(const Scene& scene, i64 end, i64 extent) {
  const std::vector<Argument>& all = scene.launch.arguments;
  if (std::any_of(all.begin(), all.end(), [&](const Argument& argument) { return holds(argument, extent); }))
    return false;
  return compares_with(scene, end);
}

bool uses_results_of_atomics(const Scene& scene) {
  const ptx::Function* const function = scene.entry();
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
