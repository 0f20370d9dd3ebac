// The registers that an instruction reads and writes; inside of lib/ptx only.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// visit(register, element) for what the instruction writes.
template <typename Visit>
void for_each_destination(const Function& function, const Instruction& instruction, Visit visit) {
  if (instruction.operand_count == 0) return;
  const Operand& first = function.operands[instruction.first_operand];
  if (first.kind == Operand::Kind::Register) visit(first.id, 0);
  if (first.kind != Operand::Kind::Vector && first.kind != Operand::Kind::Pair) return;
  for (u32 i = 0; i < first.count; ++i) {
    const Operand& part = function.operands[first.first + i];
    if (part.kind == Operand::Kind::Register) visit(part.id, i);
  }
}

// visit(register) for what it reads, but for its predicate and where it stores to.
template <typename Visit>
void for_each_source(const Function& function, const Instruction& instruction, Visit visit) {
  for (u32 i = 1; i < instruction.operand_count; ++i) {
    const Operand& operand = function.operands[instruction.first_operand + i];
    if (operand.kind == Operand::Kind::Register) visit(operand.id);
    for (u32 n = 0; n < operand.count; ++n) {
      const Operand& part = function.operands[operand.first + n];
      if (part.kind == Operand::Kind::Register) visit(part.id);
    }
  }
}

// By register: the instructions that write it.
inline std::vector<std::vector<u32>> definitions_of(const Function& function) {
  std::vector<std::vector<u32>> all(function.registers.size());
  for (u32 n = 0; n < function.instructions.size(); ++n)
    for_each_destination(function, function.instructions[n], [&](u32 id, u32) { all[id].push_back(n); });
  return all;
}

// What an address comes to by moves and conversions of registers that are written once: a variable, or a register. The
// variable's number is that of the operand, and `value` all that is added. Nothing where a register on the way is
// written several times: it is not the same wherever it is computed.
inline std::optional<Operand> fixed_base(const Module& module, const Function& function,
                                         const std::vector<std::vector<u32>>& definitions, const Operand& address) {
  if (address.kind != Operand::Kind::Address || address.count != 1) return std::nullopt;
  Operand base = function.operands[address.first];
  i64 added = address.value;
  while (base.kind == Operand::Kind::Register && !definitions[base.id].empty()) {
    if (definitions[base.id].size() > 1) return std::nullopt;
    const Instruction& it = function.instructions[definitions[base.id][0]];
    const std::string_view stem = module.opcode(it).stem;
    if ((stem != "mov" && stem != "cvt" && stem != "cvta") || it.operand_count != 2) break;
    const Operand& from = function.operands[it.first_operand + 1];
    if (from.kind != Operand::Kind::Register && from.kind != Operand::Kind::Variable) break;
    base = from;
  }
  if (base.kind == Operand::Kind::Variable) added += base.value;
  base.value = added;
  return base;
}

}  // namespace ropewalk::ptx
