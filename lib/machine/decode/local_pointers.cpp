#include "lib/machine/decode/local_pointers.h"

#include <map>
#include <utility>

#include "lib/machine/address.h"
#include "lib/machine/decode/step_values.h"
#include "lib/ptx/instruction_table.h"

namespace ropewalk::machine {

namespace {

class LocalPointers {
 public:
  explicit LocalPointers(const Code& code) : code_(code), is_local_(code.values.size(), false) {}

  // All are, until a step says otherwise.
  std::vector<bool> find() {
    for (const Step& step : code_.steps) {
      for_writes(step, [&](u32 value) { is_local_[value] = true; });
      if (is_slot(step) && step.kind == StepKind::Store) slots_[step.memory->offset] = true;
    }
    do {
      changed_ = false;
      for (const Step& step : code_.steps) pass(step);
    } while (changed_);
    return std::move(is_local_);
  }

 private:
  // An access to 8 bytes of a .param variable, or of a local one by its name.
  static bool is_slot(const Step& step) {
    const MemoryStep* const memory = step.memory.get();
    return memory && memory->space == MemorySpace::Local && memory->address == no_value && memory->element_bytes == 8 &&
           memory->count == 1;
  }

  void pass(const Step& step) {
    if (is_slot(step) && step.kind == StepKind::Store && !is_local(step.memory->values[0])) {
      changed_ |= std::exchange(slots_[step.memory->offset], false);
    }
    if (gives_local(step)) return;
    for_writes(step, [&](u32 value) {
      changed_ |= is_local_[value];
      is_local_[value] = false;
    });
  }

  bool gives_local(const Step& step) const {
    if (step.kind == StepKind::Load && is_slot(step)) {
      const auto slot = slots_.find(step.memory->offset);
      return slot != slots_.end() && slot->second;
    }
    if (step.kind != StepKind::Compute) return false;
    if (step.is_move) return is_local(step.a);
    if (step.is_select()) return is_local(step.a) && is_local(step.b);
    const ptx::Opcode& opcode = code_.module->opcode(code_.function.instructions[step.instruction]);
    if (opcode.op == "cvta"_op) return is_window(step.b) || is_local(step.a);
    return opcode.op == "add"_op && (is_local(step.a) || is_local(step.b));
  }

  bool is_local(u32 value) const { return value != no_value && is_local_[value]; }
  bool is_window(u32 value) const {
    return value != no_value && code_.values[value].source == Value::Source::Constant &&
           code_.values[value].constant == generic_base(local_window);
  }

  const Code& code_;
  std::vector<bool> is_local_;
  std::map<i64, bool> slots_;  // by offset in local memory: whether all that is stored there points into it
  bool changed_ = false;
};

}  // namespace

std::vector<bool> local_pointers(const Code& code) { return LocalPointers(code).find(); }

}  // namespace ropewalk::machine
