#include "lib/machine/careful.h"

#include <algorithm>

#include "lib/machine/checks/unit.h"
#include "lib/machine/doubt.h"
#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/handlers/careful_marks.h"
#include "lib/machine/handlers/careful_memory.h"
#include "lib/machine/handlers/careful_plain.h"
#include "lib/machine/handlers/control.h"
#include "lib/machine/launch_state.h"
#include "lib/machine/maybe_stored.h"
#include "lib/machine/nonfinite.h"
#include "lib/machine/overflow.h"
#include "lib/machine/taint.h"
#include "lib/machine/waiting_lanes.h"

namespace ropewalk::machine {

namespace {

// A predicate on what nobody wrote. A computation or a load under such a predicate is no use yet: its result is then
// undefined. Nor is a store to shared memory: these are given.
std::vector<MaybeStored> check_condition(Context& context, const Op* op, const Step& step) {
  std::vector<MaybeStored> out;
  if (step.kind == StepKind::Branch && step.predicate != no_value) {
    begin_doubt(context, op);
    return out;
  }
  const u32 condition = step.kind == StepKind::BranchTable ? step.a : step.predicate;
  if (condition == no_value || step.kind == StepKind::Compute || step.kind == StepKind::Load) return out;
  const bool is_store = only_stores(step);
  careful::for_active_lanes(context, [&](u32 warp, u32 lane) {
    const Mark mark = context.shadow->mark_of(condition, warp, lane);
    const auto target = is_store && mark.bits ? shared_target(context, op->step, warp, lane) : std::nullopt;
    if (target)
      out.push_back({*target, careful::computed_source(*context.block, mark)});
    else
      careful::note_use(context, op->step, warp, lane, mark, "decides a branch");
  });
  return out;
}

bool is_memory(StepKind kind) {
  switch (kind) {
    case StepKind::Load:
    case StepKind::Store:
    case StepKind::Atomic:
    case StepKind::AsyncCopy:
    case StepKind::LoadMatrix:
    case StepKind::StoreMatrix:
      return true;
    default:
      return false;
  }
}

bool is_marked(const Context& context, const Step& step) {
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] && !careful::is_unmarked(context, step, warp)) return true;
  }
  return false;
}

// A load or store: what is plainly innocent at once, the rest lane by lane.
const Op* run_access(Context& context, const Op* op, Handler run) {
  u32 left[max_warps], before[max_warps];
  if (!careful::run_plain(context, op, left)) return op + 1;
  control::narrow(context, left, before);
  const Op* next = run(context, op);
  control::widen(context, before);
  return next;
}

// Marks the results that have a source.
void mark_undefined(Context& context, const Step& step, const LaneSources& sources) {
  careful::for_active_lanes(context, [&](u32 warp, u32 lane) {
    const u32 source = sources[warp][lane];
    if (source != UnwrittenReads::none) context.shadow->set_whole(step.d, warp, lane, source);
  });
}

const Op* run_step(Context& context, const Op* op, Handler run) {
  const StepKind kind = step_of(context, op).kind;
  return kind == StepKind::Load || kind == StepKind::Store ? run_access(context, op, run) : run(context, op);
}

// Where some lanes were sent on a way that is perhaps not theirs.
const Op* run_in_doubt(Context& context, const Op* op, Handler run) {
  const StepInDoubt step = before_step_in_doubt(context, op);
  const Op* next = op + 1;
  u32 before[max_warps];
  if (!step.is_left_out) {
    next = run_step(context, op, run);
  } else if (control::narrow(context, step.made, before)) {
    next = run_step(context, op, run);
    control::widen(context, before);
  }
  after_step_in_doubt(context, op, step);
  return next;
}

// Runs one operation for the lanes that are active, with what has to be noted before and after it.
const Op* run_noted(Context& context, const Op* op, Handler run) {
  const Step& step = context.program->code->steps[op->step];
  Shadow& shadow = *context.shadow;
  // An extension to 64 bits matters only where something has overflowed.
  const bool overflow = (step.calculation == ptx::Calculation::Extend ? shadow.any : step.overflow_matters) &&
                        context.block->launch->options.checks.has(Check::Overflow);
  const bool origins =
      !shadow.origins.empty() && !is_memory(step.kind) && (step.kind == StepKind::Compute || !step.outputs.empty());
  // Operands are looked at before the step, for it may overwrite them.
  OverflowNotes exact;
  OriginNotes origin;
  LaneSources sources;
  const auto* const watching = static_cast<const CheckUnit*>(step.kind == StepKind::Compute ? op->extra : nullptr);
  const bool undefines = watching && watching->undefined_results;
  if (undefines) watching->undefined_results(context, op, sources = {});
  if (overflow) exact = before_arithmetic(context, step);
  if (origins) origin = before_float(context, step);
  if (shadow.any && !is_memory(step.kind) && is_marked(context, step)) propagate_marks(context, step);
  const Op* const next = shadow.doubts.empty() ? run_step(context, op, run) : run_in_doubt(context, op, run);
  if (undefines) mark_undefined(context, step, sources);
  if (overflow) after_arithmetic(context, op, exact);
  if (origins) after_float(context, op, origin);
  return next;
}

// Where nothing is marked that is still to be read, nothing is marked.
void forget_marks(Context& context, const Op* op) {
  Shadow& shadow = *context.shadow;
  const Code& code = *context.program->code;
  if (!shadow.doubts.empty()) return;
  for (const WaitingLanes& lanes : waiting_lanes(context, op)) {
    for (u32 value = 0; value < code.values.size(); ++value) {
      if (!code.live[value].contains(lanes.point)) continue;
      for (u32 warp = 0; warp < context.warps; ++warp) {
        const u8* const taints = shadow.taint(value, warp);
        for (u32 bits = lanes.bits[warp]; bits; bits &= bits - 1) {
          if (taints[__builtin_ctz(bits)]) return;
        }
      }
    }
  }
  std::fill(shadow.taints.begin(), shadow.taints.end(), u8(clean));
  shadow.exact.clear();
  shadow.any = false;
}

}  // namespace

CarefulRun run_careful(Context& context, bool may_go_back) {
  const Code& code = *context.program->code;
  const Op* op = context.op;
  u64 ran = 0;  // steps
  // All values move with the context. Where they are many it is to have run about as long as that takes, there and
  // back.
  constexpr u64 many_values = 1024;
  const u64 worth_a_move = code.values.size() < many_values ? 1 : code.values.size() / 16;
  while (op) {
    if (may_go_back && ran >= worth_a_move && !control::is_marker(*op)) {
      if (context.shadow->any && ran % 32 == 0) forget_marks(context, op);
      if (!context.shadow->any) {
        context.op = op;
        return {true, ran};
      }
    }
    if (control::is_marker(*op)) {
      const Op* here = op;
      op = op->run(context, op);
      if (op == here + 1 && !context.shadow->doubts.empty()) end_doubts(context, here);
      continue;
    }
    ++ran;
    const Step& step = code.steps[op->step];
    std::vector<MaybeStored> stores;
    if (context.shadow->any) stores = check_condition(context, op, step);
    if (!op->inner) {
      op = run_noted(context, op, op->run);
      continue;
    }
    u32 before[max_warps], active[max_warps];
    control::active_where(context, context.program->offset[step.predicate], context.program->pitch[step.predicate],
                          step.predicate_negated, active);
    const bool some = control::narrow(context, active, before);
    const Op* next = op + 1;
    if (some) {
      context.around = before;
      next = run_noted(context, op, op->inner);
      context.around = nullptr;
      control::widen(context, before);
    }
    const bool has_result =
        step.kind == StepKind::Compute || step.kind == StepKind::Load || step.kind == StepKind::Atomic;
    if (context.shadow->any && has_result) mark_predicated(context, step, context.bits);
    for (const MaybeStored& store : stores) mark_maybe_stored(*context.block, store);
    op = next;
  }
  return {false, ran};
}

}  // namespace ropewalk::machine
