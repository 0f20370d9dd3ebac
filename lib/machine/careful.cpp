#include "lib/machine/careful.h"

#include "lib/machine/handlers/control.h"
#include "lib/machine/launch_state.h"
#include "lib/machine/nonfinite.h"
#include "lib/machine/overflow.h"

namespace ropewalk::machine {

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

// Hands the taint of the operands on to the results of a step that is no memory access.
void spread_taint(Context& context, const Step& step) {
  Shadow& shadow = *context.shadow;
  const Code& code = *context.program->code;
  const bool compute = step.kind == StepKind::Compute;
  const u32 single[] = {step.a, step.b, step.c, step.e};
  const u32* inputs = compute ? single : step.inputs.data();
  const u32 input_count = compute ? 4 : u32(step.inputs.size());
  const u32* outputs = compute ? &step.d : step.outputs.data();
  const u32 output_count = compute ? 1 : u32(step.outputs.size());
  for (u32 warp = 0; warp < context.warps; ++warp) {
    u8 across = clean;  // results of warp-wide operations depend on all lanes
    if (!compute) {
      for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) {
        for (u32 i = 0; i < input_count; ++i) across |= shadow.taint(inputs[i], warp)[__builtin_ctz(bits)];
      }
    }
    for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      u8 taint = across;
      if (compute && step.is_select) {
        const bool holds = *(context.program->lanes<u8>(context.registers, step.c, warp) + lane) != 0;
        taint = shadow.taint(step.c, warp)[lane] | shadow.taint(holds ? step.a : step.b, warp)[lane];
      } else if (compute) {
        for (u32 i = 0; i < input_count; ++i) {
          if (inputs[i] != no_value) taint |= shadow.taint(inputs[i], warp)[lane];
        }
      }
      // A wrong number stays one when it is moved, or goes into the arithmetic of an address.
      u8 kept = poisoned | undefined;
      if (compute && (step.is_move || step.is_select)) kept |= overflowed;
      if (compute && code.values[step.d].size == 8) kept |= wrong_address;
      if (compute && (taint & kept & (overflowed | wrong_address))) carry_exact(context, step, warp, lane);
      for (u32 i = 0; i < output_count; ++i) {
        if (outputs[i] != no_value) shadow.taint(outputs[i], warp)[lane] = taint & kept;
      }
    }
  }
}

// A branch or guard on a register that nobody wrote.
void check_condition(Context& context, const Checkers& checkers, const Step& step, u32 step_index) {
  const u32 condition = step.kind == StepKind::BranchTable ? step.a : step.guard;
  if (condition == no_value) return;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      const u8 taint = context.shadow->taint(condition, warp)[lane];
      if (!(taint & undefined) || (taint & poisoned)) continue;
      for (const auto& checker : checkers) {
        checker->on_undefined_use(context, step, step_index, warp, lane, "decides a branch");
      }
    }
  }
}

bool is_memory(StepKind kind) {
  switch (kind) {
    case StepKind::Load: case StepKind::Store: case StepKind::Atomic: case StepKind::AsyncCopy:
    case StepKind::LoadMatrix: case StepKind::StoreMatrix: return true;
    default: return false;
  }
}

// Runs one operation for the lanes that are active, with what has to be noted before and after it.
const Op* run_noted(Context& context, const Op* op, Handler run) {
  const Step& step = context.program->code->steps[op->step];
  Shadow& shadow = *context.shadow;
  const bool overflow = step.arithmetic && context.block->launch->options.checks.has(Check::Overflow);
  const bool origins = !shadow.origins.empty() && !is_memory(step.kind) &&
                       (step.kind == StepKind::Compute || !step.outputs.empty());
  // Operands are looked at before the step, for it may overwrite them.
  OverflowNotes exact;
  OriginNotes origin;
  if (overflow) exact = before_arithmetic(context, step);
  if (origins) origin = before_float(context, step);
  if (shadow.any && !is_memory(step.kind)) spread_taint(context, step);
  const Op* next = run(context, op);
  if (overflow) after_arithmetic(context, op, exact);
  if (origins) after_float(context, op, origin);
  return next;
}

}  // namespace

void run_careful(Context& context, const Checkers& checkers) {
  const Code& code = *context.program->code;
  const Op* op = context.op;
  while (op) {
    if (control::is_marker(*op)) {
      op = op->run(context, op);
      continue;
    }
    const Step& step = code.steps[op->step];
    if (context.shadow->any) check_condition(context, checkers, step, op->step);
    if (!op->inner) {
      op = run_noted(context, op, op->run);
      continue;
    }
    u32 before[max_warps], active[max_warps];
    control::active_where(context, context.program->place[step.guard], context.program->pitch[step.guard],
                          step.guard_negated, active);
    if (!control::narrow(context, active, before)) {
      op = op + 1;
      continue;
    }
    op = run_noted(context, op, op->inner);
    control::widen(context, before);
  }
}

}  // namespace ropewalk::machine
