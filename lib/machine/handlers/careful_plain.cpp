#include "lib/machine/handlers/careful_plain.h"

#include <algorithm>
#include <cstring>

#include "lib/machine/decode/step_values.h"
#include "lib/machine/handlers/careful_alike.h"
#include "lib/machine/handlers/control.h"
#include "lib/machine/launch_state.h"
#include "lib/machine/shadow.h"

namespace ropewalk::machine::careful {

namespace {

bool is_clear(Shadow& shadow, u32 value, u32 warp) {
  static constexpr u8 none[lanes_per_warp] = {};
  return value == no_value || std::memcmp(shadow.taint(value, warp), none, lanes_per_warp) == 0;
}

// The handler of the fast tier for an operation of the careful one; nullptr: the access has to be judged.
Handler plain_handler(const Context& context, const Op* op) {
  const LaunchState& launch = *context.block->launch;
  const bool is_watched = (context.block->order && !launch.needs_no_order[op->step]) || launch.judges_all ||
                          !context.shadow->origins.empty();
  return op->extra && !is_watched ? reinterpret_cast<Handler>(op->immediate) : nullptr;
}

}  // namespace

bool run_plain(Context& context, const Op* op, u32 (&left)[max_warps]) {
  const Handler handler = plain_handler(context, op);
  std::copy(std::begin(context.bits), std::end(context.bits), left);
  if (!handler) return true;
  Shadow& shadow = *context.shadow;
  const Step& step = step_of(context, op);
  const MemoryStep& memory = *step.memory;
  bool some = false;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (left[warp] == 0) continue;
    const bool is_known = !shadow.any || is_clear(shadow, memory.address, warp);
    bool is_plain = is_known;
    for (u32 i = 0; step.kind == StepKind::Store && shadow.any && i < memory.count; ++i) {
      is_plain &= is_clear(shadow, memory.values[i], warp);
    }
    if (is_plain) {
      u32 alone[max_warps] = {}, before[max_warps];
      alone[warp] = left[warp];
      control::narrow(context, alone, before);
      is_plain = handler(context, op) != nullptr;
      control::widen(context, before);
      context.stop = Stop::Running;
    }
    if (!is_plain) {
      if (is_known && run_alike(context, op, warp, left[warp])) left[warp] = 0;
      some |= left[warp] != 0;
      continue;
    }
    for (u32 i = 0; step.kind == StepKind::Load && shadow.any && i < memory.count; ++i) {
      if (memory.values[i] == no_value || is_clear(shadow, memory.values[i], warp)) continue;
      for (u32 bits = left[warp]; bits; bits &= bits - 1)
        shadow.taint(memory.values[i], warp)[__builtin_ctz(bits)] = clean;
    }
    left[warp] = 0;
  }
  return some;
}

bool is_unmarked(const Context& context, const Step& step, u32 warp) {
  Shadow& shadow = *context.shadow;
  bool unmarked = true;
  for_reads(step, [&](u32 value) { unmarked &= is_clear(shadow, value, warp); });
  for_writes(step, [&](u32 value) { unmarked &= is_clear(shadow, value, warp); });
  return unmarked;
}

}  // namespace ropewalk::machine::careful
