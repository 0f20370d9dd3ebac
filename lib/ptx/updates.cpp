#include "lib/ptx/updates.h"

#include <algorithm>
#include <set>

#include "lib/ptx/registers.h"
#include "lib/ptx/repeatable_changes.h"

namespace ropewalk::ptx {

namespace {

bool are_of_one_address(const Function& function, const Operand& a, const Operand& b) {
  if (a.kind != Operand::Kind::Address || b.kind != a.kind || a.count != 1 || b.count != 1 || a.value != b.value)
    return false;
  const Operand &one = function.operands[a.first], &other = function.operands[b.first];
  return one.kind == other.kind && one.id == other.id && one.value == other.value;
}

// Whether a load is of as many elements, of the same size and in the same space, as a store.
bool are_alike(const Module& module, const Function& function, u32 load, u32 store) {
  const Instruction &one = function.instructions[load], &other = function.instructions[store];
  const Opcode &from = module.opcode(one), &to = module.opcode(other);
  return from.stem == "ld" && one.operand_count == 2 && from.spaces == to.spaces && from.vector == to.vector &&
         size_of(from.type) == size_of(to.type);
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

bool are_of_one_location(const Module& module, const Function& function,
                         const std::vector<std::vector<u32>>& definitions, u32 load, u32 store) {
  if (!are_alike(module, function, load, store)) return false;
  const auto base = [&](u32 instruction, u32 operand) {
    const Instruction& it = function.instructions[instruction];
    return fixed_base(module, function, definitions, function.operands[it.first_operand + operand]);
  };
  const auto from = base(load, 1), to = base(store, 0);
  return from && to && from->kind == to->kind && from->id == to->id && from->value == to->value;
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
      if (is_of_one_predicate && are_alike(module, function, n, store) &&
          are_of_one_address(function, function.operands[it.first_operand + 1], address))
        return n;
      continue;
    }
    for_each_base(module, function, it, [&](u32 id) { needed.insert(id); });
  }
  return std::nullopt;
}

namespace {

// What stores put back that was loaded from the same address, changed, whatever branches lie between.
class PutBack {
 public:
  PutBack(const Module& module, const Function& function)
      : module_(module), function_(function), definitions_(definitions_of(function)) {}

  bool is_by(u32 store) const {
    const Instruction& it = function_.instructions[store];
    if (it.operand_count != 2) return false;
    bool is_loaded = false, all = true;
    std::set<u32> seen;
    for_each_source(function_, it, [&](u32 id) { all &= comes_from_there(id, store, seen, is_loaded); });
    return all && is_loaded;
  }

 private:
  // Whether each instruction that gives a register its value loads it from where the store goes to, or makes it of one
  // for which that holds. seen: registers, which are not asked again. is_loaded: one such load was met.
  bool comes_from_there(u32 id, u32 store, std::set<u32>& seen, bool& is_loaded) const {
    if (!seen.insert(id).second) return true;
    return std::ranges::all_of(definitions_[id], [&](u32 n) {
      if (are_of_one_location(module_, function_, definitions_, n, store)) return is_loaded = true;
      const Instruction& it = function_.instructions[n];
      bool any = false;
      if (module_.opcode(it).stem != "ld") {
        for_each_base(module_, function_, it,
                      [&](u32 base) { any = any || comes_from_there(base, store, seen, is_loaded); });
      }
      return any;
    });
  }

  const Module& module_;
  const Function& function_;
  const std::vector<std::vector<u32>> definitions_;
};

}  // namespace

std::vector<u32> parts_of_updates(const Module& module, const Function& function, const Flow& flow,
                                  const std::vector<u32>& stores) {
  if (stores.empty()) return {};
  const PutBack put_back(module, function);
  std::vector<u32> parts, updates;  // updates: their stores
  for (const u32 store : stores) {
    const auto load = load_of_update(module, function, flow, store);
    if (!load && !put_back.is_by(store)) continue;
    if (load) parts.push_back(*load);
    parts.push_back(store);
    updates.push_back(store);
  }
  if (updates.empty()) return {};
  const RepeatableChanges repeatable = repeatable_changes(module, function, flow);
  const auto first = repeatable.find(updates.front());
  const bool is_one = first != repeatable.end() && std::ranges::all_of(updates, [&](u32 store) {
                        const auto change = repeatable.find(store);
                        return change != repeatable.end() && change->second == first->second;
                      });
  return is_one ? std::vector<u32>() : parts;
}

}  // namespace ropewalk::ptx
