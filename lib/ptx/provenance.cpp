#include "lib/ptx/provenance.h"

#include <algorithm>

#include "lib/ptx/address_values.h"
#include "lib/ptx/flow.h"
#include "lib/ptx/instruction_table.h"
#include "lib/ptx/registers.h"

namespace ropewalk::ptx {

namespace {

using Kind = Operand::Kind;

// What every register holds at any time, by a work list over its uses; a value can only rise four times, so this is
// linear.
std::vector<AddressValue> values_anywhere(const AddressRules& rules, const Function& function) {
  std::vector<AddressValue> values(function.registers.size());
  std::vector<std::vector<u32>> uses(function.registers.size());
  std::vector<u32> waiting;
  for (u32 i = u32(function.instructions.size()); i-- > 0;) {
    if (!rules.derives(function.instructions[i])) continue;
    for_each_source(function, function.instructions[i], [&](u32 source) { uses[source].push_back(i); });
    waiting.push_back(i);
  }
  const auto value_of = [&](u32 id) { return values[id]; };
  while (!waiting.empty()) {
    const Instruction& instruction = function.instructions[waiting.back()];
    waiting.pop_back();
    for_each_destination(function, instruction, [&](u32 id, u32 element) {
      const AddressValue joined = rules.join(values[id], rules.result(instruction, element, value_of));
      if (joined == values[id]) return;
      values[id] = joined;
      waiting.insert(waiting.end(), uses[id].begin(), uses[id].end());
    });
  }
  return values;
}

// The registers that hold different addresses at different times, followed along the control flow.
class FlowValues {
 public:
  FlowValues(const AddressRules& rules, const Module& module, const Function& function,
             const std::vector<AddressValue>& anywhere)
      : rules_(rules), function_(function), anywhere_(anywhere), number_(anywhere.size(), not_followed) {
    for (u32 id = 0; id < anywhere.size(); ++id) {
      if (anywhere[id].kind == AddressValue::Kind::Ambiguous) number_[id] = followed_++;
    }
    if (followed_ == 0) return;
    flow_ = flow_of(module, function);
    constexpr u64 most_values = u64(1) << 21;
    if (u64(followed_) * flow_.blocks.size() > most_values) {
      followed_ = 0;
      return;
    }
    settle();
  }

  // Calls visit(instruction, value_of) for every instruction, value_of(register) being what holds before it.
  template <typename Visit>
  void visit_all(Visit visit) {
    const auto value_of = [&](u32 id) { return value(id); };
    if (followed_ == 0) {
      for (u32 i = 0; i < function_.instructions.size(); ++i) visit(i, value_of);
      return;
    }
    for (u32 block = 0; block < flow_.exit; ++block) {
      now_ = before_[block];
      for (u32 i = flow_.blocks[block].first; i < flow_.blocks[block].last; ++i) {
        visit(i, value_of);
        step(function_.instructions[i]);
      }
    }
  }

 private:
  static constexpr u32 not_followed = 0xffffffffu;

  AddressValue value(u32 id) const {
    return followed_ && number_[id] != not_followed ? now_[number_[id]] : anywhere_[id];
  }

  void step(const Instruction& instruction) {
    const bool derives = rules_.derives(instruction);
    const auto value_of = [&](u32 id) { return value(id); };
    for_each_destination(function_, instruction, [&](u32 id, u32 element) {
      if (number_[id] == not_followed) return;
      const AddressValue result = derives ? rules_.result(instruction, element, value_of) : AddressValue{};
      AddressValue& held = now_[number_[id]];
      held = instruction.predicate == Instruction::no_predicate ? result : rules_.join(held, result);
    });
  }

  void settle() {
    before_.assign(flow_.blocks.size(), std::vector<AddressValue>(followed_));
    std::vector<bool> is_waiting(flow_.blocks.size(), true);
    std::vector<u32> waiting;
    for (u32 block = flow_.exit; block-- > 0;) waiting.push_back(block);
    while (!waiting.empty()) {
      const u32 block = waiting.back();
      waiting.pop_back();
      is_waiting[block] = false;
      now_ = before_[block];
      for (u32 i = flow_.blocks[block].first; i < flow_.blocks[block].last; ++i) step(function_.instructions[i]);
      for (const u32 successor : flow_.blocks[block].successors) {
        bool rose = false;
        for (u32 n = 0; n < followed_; ++n) {
          const AddressValue joined = rules_.join(before_[successor][n], now_[n]);
          rose |= joined != before_[successor][n];
          before_[successor][n] = joined;
        }
        if (rose && !is_waiting[successor] && successor != flow_.exit) {
          is_waiting[successor] = true;
          waiting.push_back(successor);
        }
      }
    }
  }

  const AddressRules& rules_;
  const Function& function_;
  const std::vector<AddressValue>& anywhere_;
  Flow flow_;
  u32 followed_ = 0;
  std::vector<u32> number_;                        // by register: its number among the followed ones
  std::vector<std::vector<AddressValue>> before_;  // by block
  std::vector<AddressValue> now_;
};

std::vector<AddressValue> learned_values(AddressRules& rules, const Function& function) {
  std::vector<AddressValue> values = values_anywhere(rules, function);
  return rules.learn_pointers(values) ? values_anywhere(rules, function) : values;
}

bool loads_address(const Opcode& opcode) {
  return !opcode.has("param") && (opcode.has("b64") || opcode.has("u64") || opcode.has("s64"));
}

}  // namespace

bool follows_loaded_pointers(const Module& module, const Function& function) {
  AddressRules rules(module, function);
  std::vector<bool> is_loaded(function.registers.size());
  // A loaded number beside a pointer may be an index in bytes, but it may be the pointer too, to which the distance of
  // two others is added.
  const auto is_result_loaded = [&](const Instruction& instruction) {
    const Opcode& opcode = module.opcode(instruction);
    if (opcode.op == "ld"_op) return loads_address(opcode);
    bool some = false;
    if (rules.derives(instruction))
      for_each_source(function, instruction, [&](u32 source) { some |= is_loaded[source]; });
    return some;
  };
  for (bool rose = true; rose;) {
    rose = false;
    for (const Instruction& instruction : function.instructions) {
      if (!is_result_loaded(instruction)) continue;
      for_each_destination(function, instruction, [&](u32 id, u32) {
        rose |= !is_loaded[id];
        is_loaded[id] = true;
      });
    }
  }
  return std::ranges::any_of(function.instructions, [&](const Instruction& instruction) {
    const Operand* const address = rules.address_of(instruction);
    if (!address || address->count == 0) return false;
    const Operand& base = function.operands[address->first];
    return base.kind == Kind::Register && is_loaded[base.id];
  });
}

std::vector<Origin> address_origins(const Module& module, const Function& function) {
  std::vector<Origin> origins(function.instructions.size());
  if (!function.is_entry) return origins;
  AddressRules rules(module, function);
  const std::vector<AddressValue> anywhere = learned_values(rules, function);
  FlowValues(rules, module, function, anywhere).visit_all([&](u32 i, const auto& value_of) {
    const Operand* address = rules.address_of(function.instructions[i]);
    if (!address || address->count == 0) return;
    const Operand& base = function.operands[address->first];
    if (base.kind == Kind::Register) origins[i] = rules.origin(value_of(base.id));
  });
  return origins;
}

}  // namespace ropewalk::ptx
