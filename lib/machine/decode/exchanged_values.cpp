#include "lib/machine/decode/exchanged_values.h"

#include "lib/machine/decode/step_values.h"

namespace ropewalk::machine {

namespace {

bool is_exchange(const Step& step) {
  return step.kind == StepKind::Shuffle || step.kind == StepKind::Vote || step.kind == StepKind::Match ||
         step.kind == StepKind::Reduce;
}

}  // namespace

std::vector<bool> exchanged_values(const Code& code) {
  std::vector<bool> out(code.values.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto step = code.steps.rbegin(); step != code.steps.rend(); ++step) {
      bool counts = is_exchange(*step);
      if (step->kind == StepKind::Compute) for_writes(*step, [&](u32 value) { counts |= out[value]; });
      if (!counts) continue;
      for_reads(*step, [&](u32 value) {
        changed |= !out[value];
        out[value] = true;
      });
    }
  }
  return out;
}

}  // namespace ropewalk::machine
