#include "lib/ptx/repeatable_changes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "lib/ptx/registers.h"
#include "lib/ptx/updates.h"

namespace ropewalk::ptx {

namespace {

// Instructions that do nothing but compute.
constexpr std::array<std::string_view, 13> pure{"mov", "cvt", "setp", "not", "and", "or",  "xor",
                                                "add", "sub", "shl",  "mul", "mad", "cvta"};

bool is_one_of(std::string_view stem, const auto& all) { return std::ranges::find(all, stem) != all.end(); }

class Search {
 public:
  Search(const Module& module, const Function& function, const Flow& flow)
      : module_(module),
        function_(function),
        flow_(flow),
        uses_(function.registers.size()),
        definitions_(definitions_of(function)) {
    for (u32 n = 0; n < function.instructions.size(); ++n) {
      const Instruction& it = function.instructions[n];
      for_each_source(function, it, [&](u32 id) { uses_[id].push_back(n); });
      if (it.predicate != Instruction::no_predicate) uses_[it.predicate].push_back(n);
      if (it.operand_count > 0) add_uses_of_address(function.operands[it.first_operand], n);
      if (stem(n) == "ld") loads_.push_back(n);
    }
  }

  // Adds what a store is a part of.
  void add(u32 store, RepeatableChanges& all) const {
    if (function_.instructions[store].operand_count != 2) return;
    if (const auto constant = constant_of(operand(store, 1))) {
      const RepeatableChange change{opcode(store).text, *constant};
      all.emplace(store, change);
      for (const u32 load : loads_) {
        if (are_of_one_location(module_, function_, definitions_, load, store) && asks_for(load, store))
          all.emplace(load, change);
      }
      return;
    }
    std::optional<RepeatableChange> change;
    const auto load = load_that_is_changed(operand(store, 1), change);
    if (!load || !change) return;
    if (!are_of_one_location(module_, function_, definitions_, *load, store) &&
        load_of_update(module_, function_, flow_, store) != load)
      return;
    all.emplace(store, *change);
    all.emplace(*load, *change);
  }

 private:
  const Opcode& opcode(u32 n) const { return module_.opcode(function_.instructions[n]); }
  std::string_view stem(u32 n) const { return opcode(n).stem; }
  Operand operand(u32 instruction, u32 n) const {
    const Instruction& it = function_.instructions[instruction];
    return n < it.operand_count ? function_.operands[it.first_operand + n] : Operand();
  }
  // The only instruction that gives a register its value; nothing where there are several.
  std::optional<u32> definition(const Operand& of) const {
    if (of.kind != Operand::Kind::Register || definitions_[of.id].size() != 1) return std::nullopt;
    return definitions_[of.id][0];
  }
  bool is_used_once(const Operand& it) const { return it.kind == Operand::Kind::Register && uses_[it.id].size() == 1; }

  // Where something is stored to.
  void add_uses_of_address(const Operand& address, u32 n) {
    if (address.kind != Operand::Kind::Address) return;
    for (u32 i = 0; i < address.count; ++i) {
      const Operand& part = function_.operands[address.first + i];
      if (part.kind == Operand::Kind::Register) uses_[part.id].push_back(n);
    }
  }

  std::optional<i64> constant_of(const Operand& it) const {
    if (it.kind == Operand::Kind::Integer) return it.value;
    const auto n = definition(it);
    if (!n || stem(*n) != "mov" || operand(*n, 1).kind != Operand::Kind::Integer) return std::nullopt;
    return operand(*n, 1).value;
  }

  // The load that a value is made of by a change with a constant, if nothing else is made of it.
  std::optional<u32> load_that_is_changed(Operand value, std::optional<RepeatableChange>& change) const {
    for (auto n = definition(value); n && is_used_once(value); n = definition(value)) {
      if (stem(*n) == "ld") return n;
      value = operand(*n, 1);
      if (stem(*n) == "mov" || stem(*n) == "cvt") continue;
      constexpr std::array<std::string_view, 4> repeatable{"or", "and", "min", "max"};
      if (change || !is_one_of(stem(*n), repeatable) || operand(*n, 2).kind != Operand::Kind::Integer) break;
      change = {opcode(*n).text, operand(*n, 2).value};
    }
    return std::nullopt;
  }

  // Whether all that is made of a load's value decides is whether that store of a constant is made.
  bool asks_for(u32 load, u32 store) const {
    std::vector<u32> values;
    const auto add = [&](u32 id) {
      if (std::ranges::find(values, id) == values.end()) values.push_back(id);
    };
    for_each_destination(function_, function_.instructions[load], [&](u32 id, u32) { add(id); });
    for (u64 at = 0; at < values.size(); ++at) {
      for (const u32 n : uses_[values[at]]) {
        if (stem(n) == "bra" ? decides_no_more(n, store, add) : n == store && is_predicate(values[at], n)) continue;
        if (!is_one_of(stem(n), pure)) return false;
        for_each_destination(function_, function_.instructions[n], [&](u32 id, u32) { add(id); });
      }
    }
    return true;
  }

  // Whether that store is all that a branch may go around, but for loads and what is computed there. add(register) is
  // called with what is computed there and used elsewhere, for it depends on the branch as well.
  template <class Add>
  bool decides_no_more(u32 branch, u32 store, Add add) const {
    const u32 before = flow_.block_of[branch], after = flow_.post_dominator[before];
    std::vector<u32> ways;
    const auto is_there = [&](u32 block) { return std::ranges::find(ways, block) != ways.end(); };
    const auto go_on = [&](u32 block) {
      for (const u32 next : flow_.blocks[block].successors) {
        if (next != after && !is_there(next)) ways.push_back(next);
      }
    };
    go_on(before);
    for (u64 at = 0; at < ways.size(); ++at) go_on(ways[at]);
    if (is_there(before) || is_there(flow_.exit)) return false;
    for (const u32 block : ways) {
      for (u32 n = flow_.blocks[block].first; n < flow_.blocks[block].last; ++n) {
        if (n == store || stem(n) == "bra") continue;
        if (stem(n) != "ld" && !is_one_of(stem(n), pure)) return false;
        for_each_destination(function_, function_.instructions[n], [&](u32 id, u32) {
          if (!std::ranges::all_of(uses_[id], [&](u32 use) { return is_there(flow_.block_of[use]); })) add(id);
        });
      }
    }
    return true;
  }

  bool is_predicate(u32 id, u32 of) const { return function_.instructions[of].predicate == id; }

  const Module& module_;
  const Function& function_;
  const Flow& flow_;
  std::vector<std::vector<u32>> uses_, definitions_;  // by register: the instructions that read and write it
  std::vector<u32> loads_;
};

}  // namespace

RepeatableChanges repeatable_changes(const Module& module, const Function& function, const Flow& flow) {
  const Search search(module, function, flow);
  RepeatableChanges all;
  for (u32 n = 0; n < function.instructions.size(); ++n) {
    if (module.opcode(function.instructions[n]).stem == "st") search.add(n, all);
  }
  return all;
}

}  // namespace ropewalk::ptx
