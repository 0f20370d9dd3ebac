// Lanes of a warp that wait for each other: at barriers, and at operations that a warp does together.
#include <fmt/format.h>

#include <algorithm>

#include "lib/machine/handlers/control.h"
#include "lib/machine/handlers/shuffle_source.h"
#include "lib/machine/worker.h"

namespace ropewalk::machine {

namespace {

u32 warps_alive(const Context& context) {
  return u32(std::count_if(context.live, context.live + context.warps, [](u32 lanes) { return lanes != 0; }));
}

u32 first_alive(const Context& context) {
  u32 warp = 0;
  while (context.live[warp] == 0) ++warp;
  return warp;
}

// Lanes that wait elsewhere go on behind what they wait at.
void pass_parked(Context& context) {
  for (Divergence& it : context.open) {
    ++it.pending;
    it.parked = false;
  }
}

}  // namespace

// Part of a warp is at a barrier: the other lanes go on until they leave or come to it too.
void Worker::arrive_in_part(std::size_t number) {
  Context& context = *contexts_[number];
  if (context.program->tier == Tier::Fast) continue_carefully(context);
  if (warps_alive(context) > 1) return split(number);
  context.stop = Stop::Running;
  if (control::yield(context, context.op, true) != control::Yielded::Alone) return;
  // All the others wait, too. Where they do at the same barrier, which need not be the same instruction unless it is
  // aligned, all have come.
  const auto& steps = launch_.code->steps;
  const Op* ops = context.program->ops.data();
  const auto is_same_barrier = [&](u32 op) {
    const Step &mine = steps[context.op->step], &other = steps[ops[op].step];
    return other.kind == StepKind::Barrier && !control::is_marker(ops[op]) && !mine.immediate && !other.immediate &&
           other.text == mine.text && mine.c == no_value && other.c == no_value && mine.predicate == no_value &&
           other.predicate == no_value;
  };
  const u32 w = first_alive(context);
  if (std::all_of(context.open.begin(), context.open.end(),
                  [&](const Divergence& it) { return is_same_barrier(it.pending); })) {
    pass_parked(context);
    context.arrived[w] = context.live[w];
    context.stop = Stop::Barrier;
    return;
  }
  const u32 first = context.first_thread + w * lanes_per_warp;
  Checker::PartialBarrier partial{.step = context.barrier_step,
                                  .thread = first + u32(__builtin_ctz(context.arrived[w]))};
  const auto waits_at_barrier = [&](const Divergence& it) {
    return steps[ops[it.pending].step].kind == StepKind::Barrier && !control::is_marker(ops[it.pending]) &&
           it.pending_bits[w];
  };
  const auto other = std::ranges::find_if(context.open, waits_at_barrier);
  if (other != context.open.end()) {
    partial.other_step = ops[other->pending].step;
    partial.other_thread = first + u32(__builtin_ctz(other->pending_bits[w]));
  }
  partial.what = fmt::format("{} of {} threads of a warp come to the barrier, the others {}",
                             __builtin_popcount(context.arrived[w]), __builtin_popcount(context.live[w]),
                             other == context.open.end() ? "are elsewhere" : "wait at another one");
  report_partial(partial);
  give_up();
}

// What threads would do behind a barrier that they never pass is not reported.
void Worker::give_up() {
  for (const auto& context : contexts_) context->stop = Stop::Done;
  launch_.gave_up = true;
}

// A warp-wide operation needs lanes that are elsewhere: they go on until they come to it or leave.
void Worker::gather_lanes(std::size_t number) {
  Context& context = *contexts_[number];
  context.stop = Stop::Running;
  if (context.program->tier == Tier::Fast) {
    continue_carefully(context);
    context.awaited.clear();
    return;
  }
  if (warps_alive(context) > 1) return split(number);
  if (control::yield(context, context.op, true) == control::Yielded::Alone && !meet_at_warp_barriers(context) &&
      !exchange_from_all_arms(context)) {
    // A GPU waits here for ever. Once in a while nothing depends on it; a loop that does may never end.
    constexpr u32 most_times = 1024;
    if (++context.times_forced > most_times) return give_up();
    context.forced = context.op;
  }
}

// All lanes that are left wait: those at instructions bar.warp.sync with one mask meet, wherever these stand.
bool Worker::meet_at_warp_barriers(Context& context) {
  const Op* ops = context.program->ops.data();
  const u32 w = first_alive(context);
  const auto mask_at = [&](u32 op, u32 lane) {
    const Step& step = launch_.code->steps[ops[op].step];
    const bool is_barrier =
        step.kind == StepKind::WarpBarrier && !control::is_marker(ops[op]) && step.predicate == no_value;
    return is_barrier ? context.program->lanes<u32>(context.registers, step.a, w)[lane] : 0;
  };
  const u32 mask = mask_at(u32(context.op - ops), u32(__builtin_ctz(context.bits[w])));
  if (mask == 0) return false;
  u32 come = context.bits[w];
  std::vector<Divergence*> others;
  for (Divergence& it : context.open) {
    const u32 lanes = it.pending_bits[w] & context.live[w];
    if (lanes == 0 || mask_at(it.pending, u32(__builtin_ctz(lanes))) != mask) continue;
    come |= lanes;
    others.push_back(&it);
  }
  if (others.empty() || (mask & context.live[w] & ~come)) return false;
  if (block_.order) order::Order::meet_in_warp(*block_.order, context.first_thread / lanes_per_warp + w, come);
  for (Divergence* it : others) {
    ++it->pending;
    it->parked = false;
  }
  ++context.op;
  context.awaited.clear();
  return true;
}

// shfl.sync at several instructions with the same qualifiers and member mask: the lanes exchange as at one. The values
// that they give are in the registers of their own instructions.
bool Worker::exchange_from_all_arms(Context& context) {
  const Program& program = *context.program;
  const Op* ops = program.ops.data();
  const u32 w = first_alive(context);
  const Step* at_lane[lanes_per_warp] = {};
  u32 come = 0;
  const auto join = [&](const Op& op, u32 lanes) {
    const Step& step = launch_.code->steps[op.step];
    if (control::is_marker(op) || step.kind != StepKind::Shuffle || step.predicate != no_value || lanes == 0)
      return lanes == 0;
    for (u32 bits = lanes; bits; bits &= bits - 1) at_lane[__builtin_ctz(bits)] = &step;
    come |= lanes;
    return true;
  };
  bool all = join(*context.op, context.bits[w]);
  for (const Divergence& it : context.open) all = all && join(ops[it.pending], it.pending_bits[w] & context.live[w]);
  if (!all) return false;
  const auto value = [&](u32 value, u32 lane) { return program.lanes<u32>(context.registers, value, w)[lane]; };
  const u32 first = u32(__builtin_ctz(come)), mask = value(at_lane[first]->inputs[3], first);
  if (mask & context.live[w] & ~come) return false;
  struct Result {
    u32 bits = 0;
    bool inside = false;
    Mark mark;
    Shadow::Wrap wrap;
    u32 base = 0;
  } results[lanes_per_warp];
  for (u32 bits = come; bits; bits &= bits - 1) {
    const u32 lane = u32(__builtin_ctz(bits));
    const Step& step = *at_lane[lane];
    if (step.mode != at_lane[first]->mode || value(step.inputs[3], lane) != mask) return false;
    const ShuffleSource source = shuffle_source(std::get<ShuffleMode>(step.mode), lane, value(step.inputs[1], lane),
                                                value(step.inputs[2], lane));
    if (!at_lane[source.lane]) return false;
    const u32 given = at_lane[source.lane]->inputs[0];
    results[lane] = {value(given, source.lane), source.inside, context.shadow->mark_of(given, w, source.lane),
                     context.shadow->wrap_of(given, w, source.lane), context.shadow->base(given, w, source.lane)};
  }
  for (u32 bits = come; bits; bits &= bits - 1) {
    const u32 lane = u32(__builtin_ctz(bits));
    const Step& step = *at_lane[lane];
    program.lanes<u32>(context.registers, step.d, w)[lane] = results[lane].bits;
    if (context.shadow->any) {
      context.shadow->set(step.d, w, lane, results[lane].mark);
      if (results[lane].base) context.shadow->set_base(step.d, w, lane, results[lane].base);
      context.shadow->add_wrap(step.d, w, lane, results[lane].wrap);
    }
    if (step.d2 != no_value) program.lanes<u8>(context.registers, step.d2, w)[lane] = results[lane].inside ? 0xff : 0;
  }
  if (block_.order) order::Order::pass_on(*block_.order, context.first_thread / lanes_per_warp + w, come);
  pass_parked(context);
  ++context.op;
  context.awaited.clear();
  return true;
}

}  // namespace ropewalk::machine
