#include "lib/machine/decode/grid_wait.h"

#include <algorithm>

namespace ropewalk::machine {

namespace {

// Whether a thread may learn in the step that another one got somewhere.
bool is_meeting(const Code& code, const Step& step) {
  const bool is_barrier = step.kind == StepKind::Barrier || step.kind == StepKind::WarpBarrier;
  const bool sees_signal = step.kind == StepKind::Atomic ? code.looks_at(step) || step.memory->is_phase_test
                                                         : step.kind == StepKind::Load && step.memory->is_strong();
  return is_barrier || sees_signal;
}

}  // namespace

void mark_early_accesses(Code& code) {
  std::vector<u32> waits;
  bool has_trigger = false;
  for (const Step& step : code.steps) {
    if (step.kind != StepKind::GridControl) continue;
    has_trigger |= step.immediate == grid_trigger;
    if (step.immediate == grid_wait) waits.push_back(step.instruction);
  }
  code.waits_for_grid = !waits.empty();
  if (waits.empty() && !has_trigger) return;
  std::vector<u32> learns = waits;  // where a thread may learn that one has waited
  for (const Step& step : code.steps) {
    if (waits.empty() || !is_meeting(code, step)) continue;
    // One that everybody passes on the way to a wait is too early to tell of it.
    std::vector<bool> closed(code.flow.block_of.size(), false);
    closed[step.instruction] = true;
    const std::vector<bool> without = ptx::reached(code.flow, {0}, closed);
    if (std::ranges::any_of(waits, [&](u32 wait) { return without[wait]; })) learns.push_back(step.instruction);
  }
  const std::vector<bool> is_late = ptx::reached(code.flow, std::move(learns));
  for (Step& step : code.steps) {
    const bool is_early = !is_late[step.instruction];
    if (step.memory) step.memory->is_early = code.waits_for_grid && is_early;
    if (step.kind == StepKind::GridControl && step.immediate == grid_trigger && is_early)
      step.immediate |= early_grid_trigger;
  }
}

}  // namespace ropewalk::machine
