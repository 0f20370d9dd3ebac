#include "lib/machine/decode/exchanged_values.h"

#include <optional>
#include <set>
#include <utility>

#include "lib/machine/decode/step_values.h"

namespace ropewalk::machine {

bool is_exchange(const Step& step) {
  return step.kind == StepKind::Shuffle || step.kind == StepKind::Vote || step.kind == StepKind::Match ||
         step.kind == StepKind::Reduce;
}

namespace {

// Where a step reads or writes memory of the thread's own: a variable, or an address. A parameter of a call, a local of
// a debug build.
using Own = std::pair<u32, i64>;
std::optional<Own> own_memory(const Step& step) {
  const MemoryStep* const memory = step.memory.get();
  if (!memory || (memory->space != MemorySpace::Local && memory->space != MemorySpace::Parameter)) return std::nullopt;
  if (memory->variable != no_value) return Own(memory->variable, -1);
  return Own(memory->address, memory->offset);
}

}  // namespace

std::vector<bool> exchanged_values(const Code& code) {
  std::vector<bool> out(code.values.size(), false);
  std::set<Own> given;
  const auto gives_what_counts = [&](const Step& step) {
    if (step.kind == StepKind::Store) return own_memory(step) && given.contains(*own_memory(step));
    bool any = false;
    for_writes(step, [&](u32 value) { any |= out[value]; });
    return any;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto step = code.steps.rbegin(); step != code.steps.rend(); ++step) {
      if (!is_exchange(*step) && !gives_what_counts(*step)) continue;
      if (step->kind == StepKind::Load) {
        if (const std::optional<Own> from = own_memory(*step)) changed |= given.insert(*from).second;
      } else if (is_exchange(*step) || step->kind == StepKind::Compute || step->kind == StepKind::Store) {
        for_reads(*step, [&](u32 value) {
          changed |= !out[value];
          out[value] = true;
        });
      }
    }
  }
  return out;
}

}  // namespace ropewalk::machine
