#include "lib/machine/spread.h"

#include "lib/machine/block.h"
#include "lib/machine/dependences.h"
#include "lib/machine/handlers/careful_marks.h"

namespace ropewalk::machine {

using careful::joined;

namespace {

// The exact value of an operand that overflowed goes with the result.
void carry_exact(Context& context, const Step& step, u32 warp, u32 lane) {
  Shadow& shadow = *context.shadow;
  for (const u32 input : {step.a, step.b, step.c, step.e}) {
    if (input == no_value || !(shadow.taint(input, warp)[lane] & (overflowed | wrong_address))) continue;
    const auto at = shadow.exact.find(shadow.cell(input, warp, lane));
    if (at == shadow.exact.end()) continue;
    const Shadow::Exact exact = at->second;
    shadow.exact[shadow.cell(step.d, warp, lane)] = exact;
    return;
  }
}

// Whether an operand of a logical operation decides the result alone, whatever the others are.
bool absorbs(const Context& context, const Step& step, u32 operand, u32 warp, u32 lane) {
  if (careful::taint_of(context, operand, warp, lane)) return false;
  const u32 size = context.program->code->values[operand].size;
  const u64 ones = size == 8 ? ~u64(0) : (u64(1) << (8 * size)) - 1;
  return careful::read_value(context, operand, warp, lane) == (step.logic == '&' ? 0 : ones);
}

// What the result of a computation is in one lane.
Mark computed(const Context& context, const Step& step, u32 warp, u32 lane) {
  using careful::mark_of;
  Block& block = *context.block;
  if (step.is_select) {
    const bool holds = careful::read_value(context, step.c, warp, lane) != 0;
    return joined(block, mark_of(context, step.c, warp, lane), mark_of(context, holds ? step.a : step.b, warp, lane));
  }
  if (step.logic && (absorbs(context, step, step.a, warp, lane) || absorbs(context, step, step.b, warp, lane)))
    return {};
  Mark mark;
  for (const u32 input : {step.a, step.b, step.c, step.e})
    mark = joined(block, mark, mark_of(context, input, warp, lane));
  return mark;
}

void spread_computed(Context& context, const Step& step) {
  const bool is_wide = context.program->code->values[step.d].size == 8;
  careful::for_active_lanes(context, [&](u32 warp, u32 lane) {
    Mark mark = computed(context, step, warp, lane);
    // A wrong number stays one when it is moved, or goes into the arithmetic of an address.
    u8 kept = poisoned | undefined;
    if (step.is_move || step.is_select) kept |= overflowed;
    if (is_wide) kept |= wrong_address;
    mark.taint &= kept;
    if (mark.taint & (overflowed | wrong_address)) carry_exact(context, step, warp, lane);
    context.shadow->set(step.d, warp, lane, mark);
  });
}

void spread_across_lanes(Context& context, const Step& step) {
  Block& block = *context.block;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    Mark results[4][lanes_per_warp];
    for_dependences(context, step, warp, [&](u32 lane, u32 output, u32 other, u32 input) {
      results[output][lane] =
          joined(block, results[output][lane], context.shadow->mark_of(step.inputs[input], warp, other));
    });
    for (u32 output = 0; output < step.outputs.size(); ++output) {
      for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) {
        const u32 lane = u32(__builtin_ctz(bits));
        Mark& mark = results[output][lane];
        mark.taint &= poisoned | undefined;
        context.shadow->set(step.outputs[output], warp, lane, mark);
      }
    }
  }
}

}  // namespace

void spread_marks(Context& context, const Step& step) {
  if (step.kind == StepKind::Compute)
    spread_computed(context, step);
  else if (!step.outputs.empty())
    spread_across_lanes(context, step);
}

void mark_guarded(Context& context, const Step& step, const u32 (&active)[max_warps]) {
  Shadow& shadow = *context.shadow;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    for (u32 bits = active[warp]; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      Mark guard = shadow.mark_of(step.guard, warp, lane);
      guard.taint &= poisoned | undefined;
      if (guard.taint)
        shadow.set(step.d, warp, lane, joined(*context.block, shadow.mark_of(step.d, warp, lane), guard));
    }
  }
}

}  // namespace ropewalk::machine
