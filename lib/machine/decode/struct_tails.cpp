#include "lib/machine/decode/struct_tails.h"

#include <algorithm>
#include <bit>
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

i64 bytes_of(const MemoryStep& memory) { return i64(memory.count) * memory.element_bytes; }

i64 end_of(const MemoryStep& memory) { return memory.offset + bytes_of(memory); }

constexpr i64 widest_alignment = 128;

// What a struct behind one address is aligned to, by the loads that copy it. Vectors are as wide as its alignment lets
// them be, up to 16 bytes.
void mark_alignment(std::vector<MemoryStep*>& loads) {
  std::ranges::stable_sort(loads, {}, &MemoryStep::offset);
  for (auto first = loads.begin(), last = first; first != loads.end(); first = last) {
    const i64 each = bytes_of(**first);
    for (last = first + 1; last != loads.end() && bytes_of(**last) == each; ++last) {
      if ((*last)->offset != end_of(**(last - 1))) break;
    }
    const i64 all = each * (last - first);
    const bool may_be_all = (each == 1 || each == 16) && all >= 8 && all <= widest_alignment;
    const i64 alignment = may_be_all && std::has_single_bit(u64(all)) ? all : each > 1 ? each : 0;
    for (auto it = first; it != last; ++it) (*it)->aligned_to = u8(alignment);
  }
}

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
  std::map<u32, u8> widest;                         // scalar that is loaded, by address
  std::map<u32, std::vector<MemoryStep*>> aligned;  // vectors and bytes, by address
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
  for (Step& step : code.steps) {
    if (!is_load(step) || is_float(step.memory->type)) continue;
    const MemoryStep& memory = *step.memory;
    const bool is_vector = memory.count > 1 && bytes_of(memory) >= 8;
    if (is_vector || (bytes_of(memory) == 1 && is_copied(memory))) aligned[memory.address].push_back(step.memory.get());
  }
  for (auto& [address, loads] : aligned) mark_alignment(loads);
}

}  // namespace ropewalk::machine
