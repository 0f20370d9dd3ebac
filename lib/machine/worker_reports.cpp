// What a worker itself finds: barriers that part of a block misses, endless loops, traps.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "lib/machine/checks/unit.h"
#include "lib/machine/checks/wording.h"
#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/worker.h"

namespace ropewalk::machine {

// Some threads left the kernel before this barrier, or some of the warps that wait: a finding where they went round it.
void Worker::report_absent(const std::vector<Context*>& waiting, bool of_their_warps) {
  const Context& first = *waiting.front();
  if (block_.trails.empty()) {
    if (std::exchange(missed_at_[first.barrier_step], u8(1))) return;
    if (absences_.may_be_passed_by(first.barrier_step)) launch_.note_missed(first.barrier_step);
    return;
  }
  u32 alive[lanes_per_warp] = {};  // by warp, a bit a lane
  for (const auto& context : contexts_) {
    if (context->stop == Stop::Done) continue;
    for (u32 w = 0; w < context->warps; ++w) alive[context->first_thread / lanes_per_warp + w] |= context->live[w];
  }
  bool come[lanes_per_warp] = {};  // by warp: somebody of it waits
  for (const Context* context : waiting) {
    for (u32 w = 0; w < context->warps; ++w)
      come[context->first_thread / lanes_per_warp + w] |= context->arrived[w] != 0;
  }
  u32 passed = 0;
  bool is_certain = false;
  for (u32 thread = 0; thread < block_.threads; ++thread) {
    const u32 warp = thread / lanes_per_warp;
    const bool is_alive = (alive[warp] >> (thread % lanes_per_warp)) & 1u;
    if (is_alive || (of_their_warps && !come[warp])) continue;
    const WentRound went = absences_.went_round(first.barrier_step, block_.trails[thread]);
    passed += went != WentRound::No;
    is_certain |= went == WentRound::Yes;
  }
  if (passed == 0) return;
  const std::string who = of_their_warps ? fmt::format("{} threads of the warps that wait here", passed)
                                         : fmt::format("{} of the block's {} threads", passed, block_.threads);
  report_partial(first.barrier_step, first.first_thread,
                 fmt::format("{} did not come to this barrier and have left the kernel{}", who,
                             is_certain ? "" : "; that is allowed if they returned early, which the PTX does not tell"),
                 is_certain ? Severity::Error : Severity::Warning);
}

namespace {

u32 warps_of(const Context& context, const u32 (&lanes)[max_warps]) {
  u32 out = 0;
  for (u32 w = 0; w < context.warps; ++w) out |= u32(lanes[w] != 0) << (context.first_thread / lanes_per_warp + w);
  return out;
}

}  // namespace

// Warps that do different work may meet at barriers that stand at different instructions, each at its own. Whoever met
// others at a barrier of theirs, and leaves when they come to its own, had another number of barriers than they.
void Worker::note_crossings(const std::vector<Context*>& waiting) {
  constexpr std::size_t most = 64;
  const u32 first_step = waiting.front()->barrier_step;
  if (std::all_of(waiting.begin(), waiting.end(), [&](const Context* it) { return it->barrier_step == first_step; })) {
    return;
  }
  std::map<u32, u32> warps;  // by step
  u32 all = 0;
  for (const Context* context : waiting) {
    const u32 come = warps_of(*context, context->arrived);
    warps[context->barrier_step] |= come;
    all |= come;
  }
  for (const auto& [step, here] : warps) {
    const Crossing crossing{step, here, all & ~here};
    const bool is_known = std::find(crossings_.begin(), crossings_.end(), crossing) != crossings_.end();
    if (!is_known && crossings_.size() < most) crossings_.push_back(crossing);
  }
}

void Worker::report_crossed(const std::vector<Context*>& waiting) {
  if (crossings_.empty()) return;
  u32 alive = 0;
  for (const auto& context : contexts_) {
    if (context->stop != Stop::Done) alive |= warps_of(*context, context->live);
  }
  for (const Context* context : waiting) {
    const u32 come = warps_of(*context, context->arrived);
    for (const Crossing& it : crossings_) {
      const u32 left = it.here & ~alive;
      if (it.step != context->barrier_step || !left || !(it.elsewhere & come)) continue;
      report_partial(it.step, context->first_thread,
                     fmt::format("{} of the warps have left the kernel that came to this barrier while those that come "
                                 "now were at another one: their numbers of barriers are unequal",
                                 __builtin_popcount(left)));
    }
  }
}

void Worker::report_partial(const Checker::PartialBarrier& at) {
  for (const auto& checker : launch_.checkers) checker->on_partial_barrier(block_, at);
}

void Worker::report_partial(u32 step, u32 thread, const std::string& what, Severity severity) {
  report_partial({.step = step, .thread = thread, .what = what, .severity = severity});
}

// All that come to a barrier in one generation must wait for the same number of threads, and be no more.
void Worker::report_counts(u32 number, const std::vector<Context*>& waiting, u32 come) {
  const auto text = [](u32 count) { return count ? fmt::format("{} threads", count) : std::string("the whole block"); };
  const Context& first = *waiting.front();
  const Meeting& meeting = meetings_[number];
  for (const Context* other : waiting) {
    if (other->barrier_count == first.barrier_count) continue;
    return report_partial(other->barrier_step, other->first_thread,
                          fmt::format("barrier {} is to wait for {} here and for {} elsewhere", number,
                                      text(other->barrier_count), text(first.barrier_count)));
  }
  if (meeting.arrived_ahead && meeting.counted_ahead != first.barrier_count) {
    report_partial(first.barrier_step, first.first_thread,
                   fmt::format("barrier {} is to wait for {} here and for {} by those that arrived", number,
                               text(first.barrier_count), text(meeting.counted_ahead)));
  } else if (first.barrier_count && come > first.barrier_count) {
    report_partial(first.barrier_step, first.first_thread,
                   fmt::format("barrier {} is to wait for {} threads and {} come to it at once: which of them meet is "
                               "left to chance",
                               number, first.barrier_count, come));
  }
}

// A barrier that counts takes whoever comes first. Who comes twice to one meeting, or before it is certain that the
// meeting before is over, may complete the wrong one.
void Worker::report_unordered(u32 number, const Context& context, u32 thread) {
  const order::SharedClock& knows = block_.order->threads[thread].knows;
  const Meeting& meeting = meetings_[number];
  const bool is_twice = std::any_of(meeting.arrivals.begin(), meeting.arrivals.end(), [&](const Arrival& it) {
    return it.thread / lanes_per_warp == thread / lanes_per_warp;
  });
  const bool is_early = std::any_of(meeting.met.begin(), meeting.met.end(), [&](const Arrival& it) {
    return it.thread / lanes_per_warp != thread / lanes_per_warp &&
           !(knows && knows->covers(block_.number, it.thread, it.time));
  });
  if (!is_twice && !is_early) return;
  report_partial(context.barrier_step, thread,
                 is_twice
                     ? fmt::format("a warp comes to barrier {} twice, and nobody else completes it between", number)
                     : fmt::format("nothing orders this arrival at barrier {} behind the threads that met there "
                                   "before: it may be counted with theirs",
                                   number));
}

void Worker::report_hang(const Context& context, const Stuck& stuck) {
  if (!launch_.options.checks.has(Check::Hang)) return;
  Occurrence out;
  out.rule = Rule::Hang;
  out.step = context.op ? context.op->step : 0;
  out.block = block_.number;
  out.thread = context.first_thread;
  const std::vector<Polled>& polled = stuck.polled;
  if (!polled.empty()) {
    const Polled& it = polled.front();
    out.step = it.step;
    out.thread = it.thread;
    out.has_access = true;
    out.space = it.window ? MemorySpace::Global : MemorySpace::Shared;
    out.window = it.window;
    out.offset = it.offset;
    out.bytes = it.bytes;
  }
  if (polled.size() > 1) {
    out.other_step = polled[1].step;
    out.other_block = polled[1].block;
    out.other_thread = polled[1].thread;
  }
  collector_.report(out);
  collector_.for_each([&](Collected& it) {
    if (it.example.rule == Rule::Hang) it.stuck = stuck;
  });
}

void Worker::report_trap(const Context& context) {
  Occurrence out;
  out.rule = Rule::DeviceAssert;
  out.step = context.op ? context.op->step : 0;
  out.block = block_.number;
  u32 warp = 0;
  while (warp + 1 < context.warps && context.bits[warp] == 0) ++warp;
  out.thread =
      context.first_thread + warp * lanes_per_warp + (context.bits[warp] ? u32(__builtin_ctz(context.bits[warp])) : 0);
  out.detail = "the kernel executed a trap";
  if (launch_.code->uses_grid_workspace && !launch_.code->is_cooperative) {
    out.detail +=
        "; it asks for the whole grid (this_grid()), whose barrier only a launch by cudaLaunchCooperativeKernel has";
  }
  collector_.report(out);
}

template <>
const CheckUnit& unit<Check::Hang>() {
  static const CheckUnit unit{
      .rules =
          {{Rule::Hang, "Kernel that never ends",
            "No thread that is left can ever go on: each waits at a barrier, or comes back to the same state in a "
            "loop, and nobody changes the memory that it looks at.",
            "On a GPU the process blocks until a watchdog kills it, and nothing says where.",
            "Usually threads wait for a flag, a lock or a barrier that nobody sets, releases or comes to, for blocks "
            "that the device cannot hold at the same time, or the step of a loop is zero for these arguments."}},
      .words = [](const Wording& of) -> std::string {
        if (!of.example.has_access)
          return "never goes on: it comes back to the same state, and no thread that is left changes what it looks at";
        return fmt::format("never goes on: it waits for {} to change, which no thread that is left will do",
                           of.element());
      },
  };
  return unit;
}

}  // namespace ropewalk::machine
