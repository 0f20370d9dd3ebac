// What a worker itself finds: barriers that part of a block misses, endless loops, traps.
#include <fmt/format.h>

#include <map>

#include "lib/machine/checks/unit.h"
#include "lib/machine/checks/words.h"
#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/worker.h"

namespace ropewalk::machine {

// Some threads left the kernel before this barrier, or some of the warps that wait: a finding where they went round it.
void Worker::report_absent(const std::vector<Context*>& waiting, bool of_their_warps) {
  const Context& first = *waiting.front();
  if (block_.trails.empty()) {
    if (absences_.may_be_passed_by(first.barrier_step)) launch_.wants_trails = true;
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
  for (u32 thread = 0; thread < block_.threads; ++thread) {
    const u32 warp = thread / lanes_per_warp;
    const bool is_alive = (alive[warp] >> (thread % lanes_per_warp)) & 1u;
    if (is_alive || (of_their_warps && !come[warp])) continue;
    passed += absences_.went_round(first.barrier_step, block_.trails[thread]);
  }
  if (passed == 0) return;
  report_partial(
      first.barrier_step, first.first_thread,
      of_their_warps
          ? fmt::format("{} threads of the warps that wait here went round this barrier and have left the kernel",
                        passed)
          : fmt::format("{} of the block's {} threads went round this barrier and have left the kernel", passed,
                        block_.threads));
}

void Worker::report_partial(u32 step, u32 thread, const std::string& what) {
  for (const auto& checker : launch_.checkers) checker->on_partial_barrier(block_, step, thread, what);
}

// All that come to a barrier in one generation must wait for the same number of threads.
void Worker::report_counts(u32 number, const std::vector<Context*>& waiting) {
  const auto text = [](u32 count) { return count ? fmt::format("{} threads", count) : std::string("the whole block"); };
  const Context& first = *waiting.front();
  for (const Context* other : waiting) {
    if (other->barrier_count == first.barrier_count) continue;
    return report_partial(other->barrier_step, other->first_thread,
                          fmt::format("barrier {} is to wait for {} here and for {} elsewhere", number,
                                      text(other->barrier_count), text(first.barrier_count)));
  }
  if (arrived_ahead_[number] && counted_ahead_[number] != first.barrier_count) {
    report_partial(first.barrier_step, first.first_thread,
                   fmt::format("barrier {} is to wait for {} here and for {} by those that arrived", number,
                               text(first.barrier_count), text(counted_ahead_[number])));
  }
}

void Worker::report_hang(const Context& context) {
  if (!launch_.options.checks.has(Check::Hang)) return;
  Occurrence out;
  out.rule = Rule::Hang;
  out.step = context.op ? context.op->step : 0;
  out.block = block_.number;
  out.thread = context.first_thread;
  collector_.report(out);
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
      .words = [](const Told&) -> std::string {
        return "never goes on: it waits here for what no thread that is left will do";
      },
  };
  return unit;
}

}  // namespace ropewalk::machine
