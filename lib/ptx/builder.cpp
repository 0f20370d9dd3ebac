#include "lib/ptx/builder.h"

#include <algorithm>

#include "lib/ptx/renumber.h"

namespace ropewalk::ptx {

OpcodeTable::OpcodeTable(Module& module) : module_(module) {
  for (u32 i = 0; i < module.opcodes.size(); ++i) numbers_.emplace(module.opcodes[i].text, i);
}

u32 OpcodeTable::number_of(std::string_view text) {
  const auto [entry, is_new] = numbers_.try_emplace(std::string(text), u32(module_.opcodes.size()));
  if (!is_new) return entry->second;
  module_.opcodes.emplace_back(text);
  return entry->second;
}

Builder::Builder(Module& module, OpcodeTable& opcodes, Function& function)
    : module_(module), opcodes_(opcodes), function_(function), prefix_("rw"), old_labels_(u32(function.labels.size())) {
  const auto is_taken = [&](const auto& named) { return named.name.find(prefix_) != std::string::npos; };
  while (std::ranges::any_of(function.registers, is_taken) || std::ranges::any_of(function.labels, is_taken) ||
         std::ranges::any_of(function.variables, is_taken)) {
    prefix_ += 'w';
  }
}

u32 Builder::reg(std::string_view name, Type type) {
  const auto [entry, is_new] = registers_.try_emplace(std::string(name), u32(function_.registers.size()));
  if (is_new) function_.registers.push_back({"%" + prefix_ + "_" + std::string(name), type});
  return entry->second;
}

u32 Builder::label() {
  const u32 id = u32(function_.labels.size());
  function_.labels.push_back({"$" + prefix_ + "_" + std::to_string(id), 0});
  return id;
}

void Builder::place(u32 label) { function_.labels[label].instruction = u32(instructions_.size()); }

u32 Builder::variable(std::string_view name, Space space, Type type) {
  const u32 id = u32(module_.variables.size() + function_.variables.size());
  const auto [entry, is_new] = variables_.try_emplace(std::string(name), id);
  if (is_new) {
    Variable variable;
    variable.name = prefix_ + "_" + std::string(name);
    variable.space = space;
    variable.type = type;
    function_.variables.push_back(std::move(variable));
  }
  return entry->second;
}

Operand Builder::of_register(u32 id) { return {Operand::Kind::Register, false, id}; }
Operand Builder::number(i64 value) { return {Operand::Kind::Integer, false, 0, 0, 0, value}; }
Operand Builder::of_special(Special special) { return {Operand::Kind::Special, false, u32(special)}; }
Operand Builder::of_variable(u32 id, i64 offset) { return {Operand::Kind::Variable, false, id, 0, 0, offset}; }
Operand Builder::of_label(u32 id) { return {Operand::Kind::Label, false, id}; }
Operand Builder::of_function(u32 id) { return {Operand::Kind::Function, false, id}; }

Operand Builder::address(Operand base, i64 offset) {
  const u32 first = u32(function_.operands.size());
  function_.operands.push_back(base);
  return {Operand::Kind::Address, false, 0, first, 1, offset};
}

Operand Builder::vector(std::initializer_list<Operand> parts) {
  const u32 first = u32(function_.operands.size());
  function_.operands.insert(function_.operands.end(), parts.begin(), parts.end());
  return {Operand::Kind::Vector, false, 0, first, u32(parts.size())};
}

void Builder::emit(std::string_view opcode, std::initializer_list<Operand> operands, Predicate predicate) {
  Instruction instruction;
  instruction.opcode = opcodes_.number_of(opcode);
  instruction.first_operand = u32(function_.operands.size());
  instruction.operand_count = u32(operands.size());
  instruction.predicate = predicate.id;
  instruction.predicate_negated = predicate.negated;
  instruction.location = position_.location;
  instruction.line = position_.line;
  instruction.column = position_.column;
  function_.operands.insert(function_.operands.end(), operands.begin(), operands.end());
  instructions_.push_back(instruction);
}

void Builder::keep(u32 old) { instructions_.push_back(function_.instructions[old]); }

void Builder::finish() {
  for (u32 i = 0; i < old_labels_; ++i) function_.labels[i].instruction = new_indices_[function_.labels[i].instruction];
  for (Pragma& pragma : function_.pragmas) pragma.instruction = new_indices_[pragma.instruction];
  function_.instructions = std::move(instructions_);
  renumber(function_);
}

}  // namespace ropewalk::ptx
