#include "lib/ptx/updates.h"

#include <set>

#include "lib/ptx/registers.h"

namespace ropewalk::ptx {

namespace {

bool are_of_one_address(const Function& function, const Operand& a, const Operand& b) {
  if (a.kind != Operand::Kind::Address || b.kind != a.kind || a.count != 1 || b.count != 1 || a.value != b.value)
    return false;
  const Operand &one = function.operands[a.first], &other = function.operands[b.first];
  return one.kind == other.kind && one.id == other.id && one.value == other.value;
}

// visit(register) for those of an instruction that its result goes on from: what is added to, not what is scaled. A
// thread that turns or scales an element in place has it for itself.
template <class Visit>
void for_each_base(const Module& module, const Function& function, const Instruction& it, Visit visit) {
  const Opcode& opcode = module.opcode(it);
  const bool is_product = opcode.stem == "fma" || opcode.stem == "mad";
  const bool adds = opcode.stem == "add" || opcode.stem == "sub" || opcode.stem == "min" || opcode.stem == "max";
  const bool passes = opcode.stem == "cvt" || opcode.stem == "mov" || opcode.stem == "selp";
  const bool is_of_floats = opcode.type >= Type::F16 && opcode.type <= Type::F64;
  if (!is_of_floats || adds || passes) return for_each_source(function, it, visit);
  if (!is_product || it.operand_count != 4) return;
  const Operand& addend = function.operands[it.first_operand + 3];
  if (addend.kind == Operand::Kind::Register) visit(addend.id);
}

}  // namespace

std::optional<u32> load_of_update(const Module& module, const Function& function, const Flow& flow, u32 store) {
  const Instruction& last = function.instructions[store];
  if (module.opcode(last).stem != "st" || last.operand_count != 2) return std::nullopt;
  const Operand& address = function.operands[last.first_operand];
  std::set<u32> needed, fixed;
  for_each_source(function, last, [&](u32 id) { needed.insert(id); });
  if (last.predicate != Instruction::no_predicate) fixed.insert(last.predicate);
  if (address.kind == Operand::Kind::Address && address.count == 1) {
    const Operand& base = function.operands[address.first];
    if (base.kind == Operand::Kind::Register) fixed.insert(base.id);
  }
  for (u32 n = store; n-- > flow.blocks[flow.block_of[store]].first;) {
    const Instruction& it = function.instructions[n];
    bool gives = false, moves = false;
    for_each_destination(function, it, [&](u32 id, u32) {
      gives |= needed.contains(id);
      moves |= fixed.contains(id);
    });
    if (moves) return std::nullopt;
    if (!gives) continue;
    const Opcode& opcode = module.opcode(it);
    const bool is_of_one_predicate = it.predicate == last.predicate && it.predicate_negated == last.predicate_negated;
    if (opcode.stem == "ld" && it.operand_count == 2) {
      if (is_of_one_predicate && opcode.spaces == module.opcode(last).spaces &&
          opcode.vector == module.opcode(last).vector && size_of(opcode.type) == size_of(module.opcode(last).type) &&
          are_of_one_address(function, function.operands[it.first_operand + 1], address))
        return n;
      continue;
    }
    for_each_base(module, function, it, [&](u32 id) { needed.insert(id); });
  }
  return std::nullopt;
}

std::optional<RepeatableChange> repeatable_change(const Module& module, const Function& function, u32 load, u32 store) {
  const auto operand = [&](u32 number, u32 n) {
    const Instruction& it = function.instructions[number];
    return n < it.operand_count ? function.operands[it.first_operand + n] : Operand();
  };
  Operand value = operand(store, 1);
  std::optional<RepeatableChange> change;
  for (u32 n = store; n-- > load && value.kind == Operand::Kind::Register;) {
    const Operand result = operand(n, 0);
    if (result.kind != Operand::Kind::Register || result.id != value.id) continue;
    if (n == load) return change;
    const Opcode& opcode = module.opcode(function.instructions[n]);
    const std::string_view stem = opcode.stem;
    value = operand(n, 1);
    if (stem == "mov" || stem == "cvt") continue;
    const bool is_repeatable = stem == "or" || stem == "and" || stem == "min" || stem == "max";
    if (change || !is_repeatable || operand(n, 2).kind != Operand::Kind::Integer) return std::nullopt;
    change = {opcode.text, operand(n, 2).value};
  }
  return std::nullopt;
}

}  // namespace ropewalk::ptx
