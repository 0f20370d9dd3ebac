#include "lib/machine/decode/struct_tails.h"

#include <algorithm>
#include <map>
#include <span>

#include "lib/machine/code.h"
#include "lib/machine/decode/step_values.h"

namespace ropewalk::machine {

namespace {

bool is_load(const Step& step) {
  return step.kind == StepKind::Load &&
         (step.memory->space == MemorySpace::Global || step.memory->space == MemorySpace::Generic);
}

std::span<const u32> elements_of(const MemoryStep& memory) { return {memory.values, memory.count}; }

i64 end_of(const MemoryStep& memory) { return memory.offset + i64(memory.count) * memory.element_bytes; }

}  // namespace

void mark_struct_tails(Code& code) {
  std::vector<bool> is_used(code.values.size());  // for anything else than to be stored
  for (const Step& step : code.steps) {
    for_reads(step, [&](u32 value) {
      if (step.kind != StepKind::Store ||
          std::ranges::find(elements_of(*step.memory), value) == elements_of(*step.memory).end())
        is_used[value] = true;
    });
  }
  const auto is_copied = [&](const MemoryStep& memory) {
    return std::ranges::none_of(elements_of(memory), [&](u32 value) { return value == no_value || is_used[value]; });
  };
  std::map<u32, u8> widest;  // scalar that is loaded, by address
  for (const Step& step : code.steps) {
    if (is_load(step))
      widest[step.memory->address] = std::max(widest[step.memory->address], step.memory->element_bytes);
  }
  const MemoryStep* before = nullptr;  // the last one that was marked
  for (Step& step : code.steps) {
    if (!is_load(step) || !is_copied(*step.memory)) continue;
    MemoryStep& memory = *step.memory;
    // A byte before them may be loaded with them, by halves.
    const bool is_bytes = memory.element_bytes <= 2 && memory.count > 1;
    const bool is_behind = before && before->address == memory.address && end_of(*before) == memory.offset;
    if (!is_bytes && !is_behind) continue;
    memory.pads_to = widest[memory.address];
    before = &memory;
  }
}

}  // namespace ropewalk::machine
