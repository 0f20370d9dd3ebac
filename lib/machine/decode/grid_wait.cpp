#include "lib/machine/decode/grid_wait.h"

#include <algorithm>

#include "lib/ptx/grid_control.h"

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
  const std::vector<u32> waits = ptx::grid_controls(*code.module, code.function, "wait");
  code.waits_for_grid = !waits.empty();
  if (!code.waits_for_grid) return;
  std::vector<u32> learns = waits;  // where a thread may learn that one has waited
  for (const Step& step : code.steps) {
    if (!is_meeting(code, step)) continue;
    // One that everybody passes on the way to a wait is too early to tell of it.
    const std::vector<bool> without = ptx::reached(code.flow, {0}, step.instruction);
    if (std::ranges::any_of(waits, [&](u32 wait) { return without[wait]; })) learns.push_back(step.instruction);
  }
  const std::vector<bool> is_late = ptx::reached(code.flow, std::move(learns));
  for (Step& step : code.steps) {
    if (step.memory) step.memory->is_early = !is_late[step.instruction];
  }
}

}  // namespace ropewalk::machine
