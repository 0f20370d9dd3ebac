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

bool is_of_one_location(const Module& module, const Function& function, u32 load, u32 store) {
  const Instruction &one = function.instructions[load], &other = function.instructions[store];
  const Opcode &from = module.opcode(one), &to = module.opcode(other);
  return from.stem == "ld" && one.operand_count == 2 && from.spaces == to.spaces && from.vector == to.vector &&
         size_of(from.type) == size_of(to.type) &&
         are_of_one_address(function, function.operands[one.first_operand + 1], function.operands[other.first_operand]);
}

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
    const bool is_of_one_predicate = it.predicate == last.predicate && it.predicate_negated == last.predicate_negated;
    if (module.opcode(it).stem == "ld") {
      if (is_of_one_predicate && is_of_one_location(module, function, n, store)) return n;
      continue;
    }
    for_each_base(module, function, it, [&](u32 id) { needed.insert(id); });
  }
  return std::nullopt;
}

}  // namespace ropewalk::ptx
