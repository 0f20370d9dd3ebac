// Barriers of a block: who has come, who is missing, and when they open.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/handlers/careful_marks.h"
#include "lib/machine/handlers/control.h"
#include "lib/machine/worker.h"

namespace ropewalk::machine {

// A context at a barrier: all lanes of its warps that are alive must have come. Warps that are elsewhere get contexts
// of their own.
void Worker::arrive(std::size_t number) {
  const Context& context = *contexts_[number];
  bool some_elsewhere = false;
  for (u32 w = 0; w < context.warps; ++w) {
    const u32 live = context.live[w], arrived = context.arrived[w];
    if (live == 0 || arrived == live) continue;
    if (arrived != 0) return arrive_in_part(number);
    some_elsewhere = true;
  }
  if (some_elsewhere) split(number);
}

bool Worker::open_barriers() {
  bool running = false;
  u32 used = 0;  // barriers that somebody is at, a bit each
  u32 alive = 0;
  for (const auto& context : contexts_) {
    running |= context->stop == Stop::Running || context->stop == Stop::Waiting || context->stop == Stop::Held;
    if (context->stop == Stop::Done) continue;
    for (u32 w = 0; w < context->warps; ++w) alive += context->live[w] ? lanes_per_warp : 0;
    if (context->stop != Stop::Barrier) continue;
    const u32 number = context->barrier % 16;
    if (!((used >> number) & 1u)) waiting_[number].clear();
    waiting_[number].push_back(context.get());
    used |= 1u << number;
  }
  used_barriers_ |= used;
  const auto for_used = [&](auto body) {
    for (u32 rest = used; rest; rest &= rest - 1) body(u32(__builtin_ctz(rest)));
  };
  const auto threads_of = [](const Context& context) {
    u32 count = 0;
    for (u32 w = 0; w < context.warps; ++w) count += context.arrived[w] ? lanes_per_warp : 0;
    return count;
  };
  // The threads that have come to a barrier, and how many it is to wait for; 0: all.
  const auto come_to = [&](u32 number, u32& wanted) {
    u32 come = meetings_[number].arrived_ahead;
    for (const Context* context : waiting_[number]) {
      come += threads_of(*context);
      wanted = std::max(wanted, context->barrier_count);
    }
    return come;
  };
  bool opened = false;
  for_used([&](u32 number) {
    u32 wanted = 0;
    const u32 come = come_to(number, wanted);
    if (come < (wanted ? wanted : alive)) return;
    report_counts(number, waiting_[number], come);
    open_barrier(number, waiting_[number]);
    opened = true;
  });
  // Those that only arrive do not wait.
  for_used([&](u32 number) {
    for (Context* context : waiting_[number]) {
      if (context->stop != Stop::Barrier || !context->barrier_arrive_only) continue;
      Meeting& meeting = meetings_[number];
      meeting.arrived_ahead += threads_of(*context);
      meeting.counted_ahead = context->barrier_count;
      if (block_.order) order_arrival(number, *context);
      context->stop = Stop::Running;
      ++context->op;
      opened = true;
    }
  });
  if (opened) return true;
  if (running) return false;
  // Everybody waits, and nobody will come.
  for_used([&](u32 number) {
    u32 wanted = 0;
    const u32 come = come_to(number, wanted);
    const Context& first = *waiting_[number].front();
    report_partial(first.barrier_step, first.first_thread,
                   fmt::format("{} threads wait at barrier {} for {}, and no other thread will come", come, number,
                               wanted ? wanted : alive));
  });
  give_up();
  return true;
}

void Worker::open_barrier(u32 number, const std::vector<Context*>& waiting) {
  ++block_.time;
  meetings_[number].arrived_ahead = meetings_[number].counted_ahead = 0;
  u32 come = 0, live = 0;
  bool counted = false;
  for (const Context* context : waiting) {
    for (u32 w = 0; w < context->warps; ++w) come += u32(__builtin_popcount(context->arrived[w]));
    counted |= context->barrier_count != 0;
  }
  for (const auto& context : contexts_) {
    if (context->stop == Stop::Done) continue;
    for (u32 w = 0; w < context->warps; ++w) live += u32(__builtin_popcount(context->live[w]));
  }
  // A barrier that counts threads waits for whole warps all the same, where it is aligned.
  const bool is_aligned = launch_.code->steps[waiting.front()->barrier_step].immediate;
  if (come < block_.threads && (counted ? is_aligned : come == live)) report_absent(waiting, counted);
  if (!counted && come == live) {
    note_crossings(waiting);
    if (come < block_.threads) report_crossed(waiting);
  }
  reduce_at_barrier(waiting);
  // One that counts orders nothing with threads that left before it, and none does with threads that only arrive.
  const bool all_wait = std::ranges::none_of(waiting, &Context::barrier_arrive_only);
  const bool everybody = all_wait && come >= live && !(counted && come < block_.threads);
  if (everybody) block_.full_time = block_.time;
  if (block_.order) order_barrier(number, waiting, everybody);
  for (Context* context : waiting) {
    context->stop = Stop::Running;
    ++context->op;
  }
}

void Worker::order_arrival(u32 number, const Context& context) {
  for (u32 w = 0; w < context.warps; ++w) {
    if (context.arrived[w] == 0) continue;
    const u32 thread = context.first_thread + w * lanes_per_warp + u32(__builtin_ctz(context.arrived[w]));
    report_unordered(number, context, thread);
    meetings_[number].arrivals.push_back({thread, block_.order->threads[thread].time});
    order::Order::arrive(*block_.order, number, context.first_thread / lanes_per_warp + w, context.arrived[w]);
  }
}

// What those that wait at a barrier did, and those that only arrived, happens before what they do next.
void Worker::order_barrier(u32 number, const std::vector<Context*>& waiting, bool everybody) {
  Meeting& meeting = meetings_[number];
  if (everybody) {
    meeting.arrivals.clear();
    meeting.met.clear();
    return order::Order::meet(*block_.order);
  }
  for (const Context* context : waiting) order_arrival(number, *context);
  for (const Context* context : waiting) {
    for (u32 w = 0; w < context->warps; ++w) {
      if (context->arrived[w] == 0 || context->barrier_arrive_only) continue;
      order::Order::leave(*block_.order, number, context->first_thread / lanes_per_warp + w, context->arrived[w]);
    }
  }
  order::Order::open(*block_.order, number);
  meeting.met = std::exchange(meeting.arrivals, {});
}

namespace {

// bar.red: the predicates of all threads that came, counted and combined.
struct Combined {
  u32 come = 0, holding = 0;
  // Of predicates whose value is known some hold, and some do not; and where those come from that are not known.
  bool one_holds = false, one_fails = false;
  u32 source = UnwrittenReads::none;

  u32 value(BarrierMode mode) const {
    if (mode == BarrierMode::Count) return holding;
    return (mode == BarrierMode::AllHold ? holding == come : holding > 0) ? 0xff : 0;
  }
  // One known predicate can decide, whatever the others are.
  Mark mark(BarrierMode mode) const {
    const bool is_decided = mode == BarrierMode::AnyHolds ? one_holds : mode == BarrierMode::AllHold && one_fails;
    return is_decided ? Mark() : careful::whole_mark(source);
  }
};

void add_predicates(Combined& all, const Context& context, u32 predicate) {
  Block& block = *context.block;
  for (u32 w = 0; w < context.warps; ++w) {
    for (u32 bits = context.arrived[w]; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      const bool holds = careful::read_value(context, predicate, w, lane) != 0;
      ++all.come;
      all.holding += holds;
      const Mark mark = context.shadow ? careful::mark_of(context, predicate, w, lane) : Mark();
      if (mark.bits == 0)
        (holds ? all.one_holds : all.one_fails) = true;
      else
        all.source = block.unwritten.join(all.source, careful::source_of(block, mark));
    }
  }
}

}  // namespace

// Each thread that waits gets what the predicates of all make.
void Worker::reduce_at_barrier(const std::vector<Context*>& waiting) {
  Combined all;
  for (const Context* context : waiting) {
    const Step& step = launch_.code->steps[context->barrier_step];
    if (step.c != no_value) add_predicates(all, *context, step.c);
  }
  if (all.come == 0) return;
  for (Context* context : waiting) {
    const Step& step = launch_.code->steps[context->barrier_step];
    if (step.d == no_value) continue;
    const auto mode = std::get<BarrierMode>(step.mode);
    for (u32 w = 0; w < context->warps; ++w) {
      for (u32 bits = context->arrived[w]; bits; bits &= bits - 1) {
        const u32 lane = u32(__builtin_ctz(bits));
        careful::write_value(*context, step.d, w, lane, all.value(mode));
        if (context->shadow) careful::set_mark(*context, step.d, w, lane, all.mark(mode));
      }
    }
  }
}

}  // namespace ropewalk::machine
