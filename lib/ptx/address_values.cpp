#include "lib/ptx/address_values.h"

#include <limits>

#include "lib/ptx/instruction_table.h"

namespace ropewalk::ptx {

namespace {

using AddressKind = AddressValue::Kind;

bool has_64_bits(const Opcode& opcode) { return opcode.has("b64") || opcode.has("u64") || opcode.has("s64"); }

Carries rule_of(const Opcode& opcode) {
  const Carries carries = opcode.facts().carries;
  const bool always = opcode.op == "mov"_op || opcode.op == "cvta"_op;
  if (always || (carries == Carries::SumOfProduct && opcode.has("wide"))) return carries;
  const bool widens =
      opcode.op == "cvt"_op && (opcode.has("u32") || opcode.has("s32") || opcode.has("u16") || opcode.has("s16"));
  const bool is_elsewhere = carries == Carries::Loaded && !opcode.spaces.empty() && opcode.spaces[0] != Space::Param;
  return !has_64_bits(opcode) || widens || is_elsewhere || carries >= Carries::Mix ? Carries::Other : carries;
}

u32 counting_of(const Opcode& opcode) {
  const Access access = opcode.facts().access;
  if (access == Access::None || access == Access::Unseen) return 0;
  if (access != Access::Copy) return 1;
  // "cp.async.cg.shared.global": the destination's space stands first. The global side counts.
  return !opcode.has("global") ? 0 : opcode.spaces[0] == Space::Global ? 1 : 2;
}

}  // namespace

AddressRules::AddressRules(const Module& module, const Function& function) : module_(module), function_(function) {
  for (const Opcode& opcode : module.opcodes) {
    rules_.push_back(rule_of(opcode));
    counting_.push_back(counting_of(opcode));
  }
  for (u32 i = 0; i < function.parameter_count; ++i) {
    if (function.parameter(i).is_pointer) sure_.emplace(i32(i), 0);
  }
}

const Operand* AddressRules::address_of(const Instruction& instruction) const {
  const u32 counting = counting_[instruction.opcode];
  if (counting == 0) return nullptr;
  u32 found = 0;
  for (u32 i = 0; i < instruction.operand_count; ++i) {
    const Operand& operand = function_.operands[instruction.first_operand + i];
    if (operand.kind != Operand::Kind::Address) continue;
    if (++found == counting) return &operand;
  }
  return nullptr;
}

bool AddressRules::learn_pointers(const std::vector<AddressValue>& values) {
  const u64 known = sure_.size() + sure_structs_.size();
  const auto learn = [&](const Operand& operand) {
    if (operand.kind != Operand::Kind::Register) return;
    const AddressValue& value = values[operand.id];
    if (value.kind == AddressKind::Pointer && value.variable < 0) sure_.emplace(value.parameter, value.offset);
    if (value.kind == AddressKind::Ambiguous && value.within >= 0 && !value.is_own_address)
      sure_structs_.insert(value.within);
  };
  for (const Instruction& instruction : function_.instructions) {
    const Operand* address = address_of(instruction);
    if (address && address->count) learn(function_.operands[address->first]);
    const bool converts = module_.opcode(instruction).op == "cvta"_op;
    if (converts && instruction.operand_count > 1) learn(function_.operands[instruction.first_operand + 1]);
  }
  return sure_.size() + sure_structs_.size() > known;
}

bool AddressRules::is_sure(const AddressValue& value) const {
  if (value.kind == AddressKind::Pointer) return value.variable >= 0 || sure_.contains({value.parameter, value.offset});
  return value.kind == AddressKind::Parameter || value.surely || sure_structs_.contains(value.within);
}

AddressValue AddressRules::join(AddressValue a, AddressValue b) const {
  if (a.kind == AddressKind::None || a == b) return b;
  if (b.kind == AddressKind::None) return a;
  const auto within = [](const AddressValue& value) {
    const bool is_of_parameter = value.kind != AddressKind::Ambiguous && value.variable < 0;
    return is_of_parameter ? value.parameter : value.within;
  };
  const auto is_own_address = [](const AddressValue& value) {
    return value.kind == AddressKind::Parameter || value.is_own_address;
  };
  AddressValue joined{AddressKind::Ambiguous, is_sure(a) || is_sure(b)};
  if (within(a) == within(b) && is_own_address(a) == is_own_address(b)) {
    joined.within = within(a);
    joined.is_own_address = joined.within >= 0 && is_own_address(a);
  }
  return joined;
}

AddressValue AddressRules::moved(AddressValue parameter, const i64* by) const {
  i64 offset;
  if (!by || __builtin_add_overflow(i64(parameter.offset), *by, &offset) || offset != i32(offset)) {
    return {AddressKind::Ambiguous, true, 0, 0, Origin::unknown, parameter.parameter, true};
  }
  parameter.offset = i32(offset);
  return parameter;
}

AddressValue AddressRules::loaded(AddressValue base, i64 offset, u32 element) const {
  if (base.is_own_address) return {AddressKind::Ambiguous, false, 0, 0, Origin::unknown, base.within};
  if (base.kind == AddressKind::Ambiguous && base.surely) return {AddressKind::Ambiguous, false, 0, 0};
  if (base.kind != AddressKind::Parameter) return {};
  const i64 step = 8 * i64(element);
  AddressValue address = moved(base, &offset);
  if (address.kind == AddressKind::Parameter) address = moved(address, &step);
  if (address.kind != AddressKind::Parameter)
    return {AddressKind::Ambiguous, false, 0, 0, Origin::unknown, address.within};
  return {AddressKind::Pointer, false, address.parameter, address.offset};
}

AddressValue AddressRules::sum(AddressValue a, const i64* a_constant, AddressValue b, const i64* b_constant) const {
  if (a.kind == AddressKind::None) {
    std::swap(a, b);
    std::swap(a_constant, b_constant);
  }
  if (a.kind == AddressKind::None) return {};
  if (b.kind == AddressKind::None) return a.kind == AddressKind::Parameter ? moved(a, b_constant) : a;
  const bool a_sure = is_sure(a), b_sure = is_sure(b);
  const AddressValue& base = a_sure ? a : b;
  if (a_sure == b_sure) return {AddressKind::Ambiguous, a_sure, 0, 0};
  return base.kind == AddressKind::Parameter ? moved(base, nullptr) : base;
}

AddressValue AddressRules::difference(AddressValue a, AddressValue b, const i64* b_constant) const {
  if (a.kind == AddressKind::None) return {};
  if (b.kind != AddressKind::None)
    return is_sure(a) && !is_sure(b) && a.kind != AddressKind::Parameter ? a : AddressValue{};
  if (a.kind != AddressKind::Parameter) return a;
  if (!b_constant || *b_constant == std::numeric_limits<i64>::min()) return moved(a, nullptr);
  const i64 by = -*b_constant;
  return moved(a, &by);
}

AddressValue AddressRules::of_variable(const Operand& operand) const {
  if (operand.id < module_.variables.size()) {
    const Space space = module_.variables[operand.id].space;
    if (space != Space::Global && space != Space::Const) return {};
    return {AddressKind::Pointer, true, Origin::unknown, 0, i32(operand.id)};
  }
  const u64 before = module_.variables.size() + function_.return_count;
  if (operand.id < before || operand.id >= before + function_.parameter_count) return {};
  const AddressValue start{AddressKind::Parameter, false, i32(operand.id - before), 0};
  return moved(start, &operand.value);
}

Origin AddressRules::origin(const AddressValue& value) {
  if (value.kind == AddressKind::Pointer) return {value.parameter, value.offset, value.variable};
  if (value.kind == AddressKind::Ambiguous) return {Origin::ambiguous, 0, Origin::unknown, value.within};
  return {};
}

}  // namespace ropewalk::ptx
