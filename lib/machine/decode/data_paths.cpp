#include "lib/machine/decode/data_paths.h"

#include "lib/machine/decode/step_values.h"

namespace ropewalk::machine {

namespace {

// By value: whether it is made of something that was loaded. A thread's own memory is one whole.
class DataFlow {
 public:
  explicit DataFlow(const Code& code) : is_data_(code.values.size(), false) {
    do {
      has_changed_ = false;
      for (const Step& step : code.steps) follow(step);
    } while (has_changed_);
  }

  bool is_data(u32 value) const { return value != no_value && is_data_[value]; }

 private:
  bool reads_data(const Step& step) const {
    bool any = false;
    for_reads(step, [&](u32 value) { any |= bool(is_data_[value]); });
    if (!step.memory || step.kind == StepKind::Load) return any;
    for (const u32 value : step.memory->values) any |= is_data(value);
    return any;
  }

  bool gives_data(const Step& step) const {
    if (step.kind == StepKind::Atomic || step.kind == StepKind::LoadMatrix) return true;
    if (step.kind != StepKind::Load) return reads_data(step);
    if (step.memory->space == MemorySpace::Parameter) return parameters_have_data_ || reads_data(step);
    return step.memory->space != MemorySpace::Local || own_memory_has_data_ || reads_data(step);
  }

  void set(bool& flag) {
    has_changed_ |= !flag;
    flag = true;
  }

  void follow(const Step& step) {
    if (step.kind == StepKind::Store && reads_data(step)) {
      // A store to an address that is not known may be one of the thread's own memory; calls have parameters there.
      const MemorySpace space = step.memory->space;
      if (space == MemorySpace::Local || space == MemorySpace::Generic) set(own_memory_has_data_);
      if (space == MemorySpace::Parameter) set(parameters_have_data_);
    }
    if (!gives_data(step)) return;
    for_writes(step, [&](u32 value) {
      has_changed_ |= !is_data_[value];
      is_data_[value] = true;
    });
  }

  std::vector<bool> is_data_;
  bool own_memory_has_data_ = false, parameters_have_data_ = false, has_changed_ = false;
};

}  // namespace

bool goes_by_data(const Code& code) {
  const DataFlow flow(code);
  for (const Step& step : code.steps) {
    const bool is_plain = step.kind == StepKind::Compute || step.kind == StepKind::Nothing;
    if (is_plain) continue;
    // What is stored, or multiplied, may be data; where, and whether, may not.
    std::vector<u32> deciding = {step.predicate};
    if (step.kind == StepKind::Branch || step.kind == StepKind::BranchTable || step.kind == StepKind::Barrier)
      for_reads(step, [&](u32 value) { deciding.push_back(value); });
    if (const MemoryStep* const memory = step.memory.get()) {
      for (const u32 value : {memory->address, memory->source_address, memory->source_size, memory->ignore_source})
        deciding.push_back(value);
    }
    for (const u32 value : deciding) {
      if (flow.is_data(value)) return true;
    }
  }
  return false;
}

}  // namespace ropewalk::machine
