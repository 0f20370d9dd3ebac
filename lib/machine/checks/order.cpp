// Two threads that touch the same bytes, one of them writing, where neither access happens before the other: races in
// launches whose order of events is followed.
#include <fmt/format.h>

#include "lib/finding/phrases.h"
#include "lib/machine/checks/races.h"
#include "lib/machine/decode/step_values.h"
#include "lib/machine/judge.h"
#include "lib/machine/launch_state.h"

namespace ropewalk::machine {

namespace {

class OrderCheck : public Checker {
 public:
  OrderCheck(bool strict, std::unique_ptr<Checker> of_shared) : strict_(strict), of_shared_(std::move(of_shared)) {}
  void on_access(const AccessEvent& event, Verdict& verdict) override;
  void on_late_access(const AccessEvent& event) override {
    if (event.space == MemorySpace::Shared && of_shared_) return;
    Verdict verdict;
    on_access(event, verdict);
  }

 private:
  const bool strict_;
  const std::unique_ptr<Checker> of_shared_;
};

using order::Footprint;
using order::Touch;

Footprint footprint_of(const AccessEvent& event) {
  const Block& block = *event.context.block;
  Footprint out;
  out.block = block.number;
  out.lanes = 1u << event.lane;
  out.warp = u16(event.thread() / lanes_per_warp);
  out.time = block.order->threads[event.thread()].time;
  out.step = event.step_index;
  out.phase = block.full_time;
  const MemoryStep& memory = *event.step.memory;
  const bool is_strong = event.kind == AccessKind::Atomic || memory.is_strong();
  out.scope = is_strong ? with(memory.scope, block.launch->assumed_of(event.step_index)) : Scope::System;
  out.bytes = is_strong ? memory.element_bytes : 0;
  out.noncoherent = memory.is_noncoherent;
  out.updates = memory.is_update;
  // Whoever does not look at what an atomic gives has seen nothing by it: it came behind others by chance.
  const bool is_looked_at = block.launch->code->looks_at(event.step);
  out.reads = event.kind == AccessKind::Load || (event.kind == AccessKind::Atomic && is_looked_at);
  out.touch = event.is_write() ? (is_strong ? Touch::StrongWrite : Touch::WeakWrite)
                               : (is_strong ? Touch::StrongRead : Touch::WeakRead);
  return out;
}

// Whether the thread, or one that it met, took a ticket by an atomic from what was released after the earlier access:
// what lacks for an acquire pattern is the fence behind the atomic. Devices do not load what comes behind an atomic
// that it depends on before they have its result, so that this works where no cache may still hold what was read
// before. It is how the CUDA samples (threadFenceReduction) find the last block.
bool is_behind_ticket(const AccessEvent& event, const Footprint& now, const Footprint& earlier, u32 lane) {
  order::Seen& seen = event.context.block->order->threads[event.thread()].seen;
  const order::SharedClock& ticketed = seen.all().ticketed;
  if (event.space == MemorySpace::Shared || seen.has_peeked() || !ticketed) return false;
  if (!now.writes() && earlier.was_read) return false;
  return ticketed->covers(earlier.block, earlier.warp * lanes_per_warp + lane, earlier.time);
}

// Whether the earlier access is a load that had its value before a message that the thread, or one that it met, has
// read.
bool is_behind_load(const AccessEvent& event, const Footprint& now, const Footprint& earlier, u32 lane) {
  const order::SharedClock& passed = event.context.block->order->threads[event.thread()].seen.all().passed;
  if (event.space == MemorySpace::Shared || earlier.writes() || !now.writes() || !passed) return false;
  return passed->covers(earlier.block, earlier.warp * lanes_per_warp + lane, earlier.time);
}

// Whether the earlier access is a load whose value lanes of the warp gave to each other, the thread among them, since:
// who gives it has it, so that a later write does not change it. Sums over the lanes of a warp are stored where its
// terms were read so (FlashInfer's norms).
bool is_behind_exchange(const AccessEvent& event, const Footprint& now, const Footprint& earlier, u32 lane) {
  const Block& block = *event.context.block;
  if (earlier.block != now.block || earlier.warp != now.warp || earlier.writes() || !now.writes()) return false;
  if (!order::Order::has_exchanged(*block.order, event.thread(), lane, earlier.time)) return false;
  bool is_given = false;
  for_writes(block.launch->code->steps[earlier.step],
             [&](u32 value) { is_given |= block.launch->code->is_exchanged[value]; });
  return is_given;
}

// Whether lanes of one warp make one update together, each storing the same: it is made once, as if by one of them.
bool is_same_update(const Footprint& now, const Footprint& earlier) {
  return now.updates && earlier.updates && now.block == earlier.block && now.warp == earlier.warp &&
         now.step == earlier.step && !now.changes;
}

std::string what_happens(const Footprint& earlier, const Footprint& now, bool is_shared, bool has_barriers_only) {
  if (earlier.is_strong() && now.is_strong() && earlier.bytes != now.bytes)
    return "both are atomic, volatile or relaxed, but not of the same width";
  if (earlier.updates && now.updates) return std::string(update_in_two_steps);
  if (earlier.is_strong() && now.is_strong()) return "both synchronise, but within their own blocks alone";
  const char* const first = earlier.writes() ? "written" : "read";
  const char* const second = now.writes() ? "written" : "read";
  if (is_shared && has_barriers_only) return words_without_barrier(now.writes(), earlier.writes());
  if (earlier.writes() && now.writes()) {
    return earlier.is_strong() || now.is_strong() ? "one write is atomic or volatile, the other is not"
                                                  : "both write, different values";
  }
  return fmt::format("{} and then {}, and nothing orders the two", first, second);
}

}  // namespace

void OrderCheck::on_access(const AccessEvent& event, Verdict& verdict) {
  const bool is_shared = event.space == MemorySpace::Shared;
  if (is_shared && of_shared_) {
    const bool synchronises = event.kind == AccessKind::Atomic || event.step.memory->is_strong();
    if (synchronises) event.context.block->launch->needs_shared_order = true;
    return of_shared_->on_access(event, verdict);
  }
  // Nobody races in what the launch does not store to.
  const Window* const window_of_event = event.window;
  if (!is_shared && (!window_of_event || event.space != MemorySpace::Global ||
                     !(window_of_event->written || window_of_event->tracked)))
    return;
  const bool is_under_way = is_shared && event.kind != AccessKind::Atomic && report_copy_under_way(event, strict_);
  if (!is_shared) report_read_under_way(event, strict_);
  Block& block = *event.context.block;
  // Parts of one tensor are windows on the same bytes.
  const u32 window = is_shared ? 0 : block.launch->memory.whole(event.window_number);
  const bool stores_same = event.is_asynchronous ? copies_the_same(event, strict_) : stores_the_same(event, strict_);
  Footprint now = footprint_of(event);
  now.changes = !stores_same;
  order::Footprints& all = is_shared ? block.order->shared : block.launch->order->global(window);
  const order::SharedClock& known = block.order->threads[event.thread()].knows;
  all.add(u64(event.offset), event.bytes, now, known.get(), !stores_same, block.launch->judge != nullptr,
          [&](const Footprint& earlier, u32 lane, u64 granule) {
            if (!strict_ && !now.noncoherent && is_behind_ticket(event, now, earlier, lane)) return true;
            if (!strict_ && is_behind_load(event, now, earlier, lane)) return true;
            if (!strict_ && is_behind_exchange(event, now, earlier, lane)) return true;
            if (is_same_update(now, earlier)) return true;
            const bool is_in_one_warp = earlier.block == now.block && earlier.warp == now.warp;
            const bool is_converged = is_converged_with(event, lane) ||
                                      order::Order::has_exchanged(*block.order, event.thread(), lane, earlier.time);
            const bool is_stale =
                now.noncoherent && (order::unordered_lanes(earlier, now, known.get()) >> lane & 1) == 0;
            // Lanes that run one after the other do not wait for each other's copies.
            const RacingAccesses pair{.step = now.step,
                                      .other_step = earlier.step,
                                      .both_write = now.writes() && earlier.writes(),
                                      .are_in_one_warp = is_in_one_warp,
                                      .are_converged = is_converged};
            const Severity severity =
                is_stale || is_under_way ? Severity::Error : severity_of_race(pair, *block.launch->code);
            if (RaceJudge* judge = block.launch->judge) {
              judge->note(event, now, earlier, lane, granule, severity);
              earlier.note_lane(now, lane);
              return true;
            }
            if (is_under_way) return false;
            Occurrence out = event.occurrence(is_shared ? Rule::SharedRace : Rule::GlobalRace);
            if (!is_shared) out.window = window;
            out.severity = severity;
            // What the system keeps is touched by the library of cooperative groups alone, which knows the hardware.
            if (is_shared && out.severity == Severity::Warning &&
                u64(event.offset) < block.launch->code->reserved_shared_bytes) {
              return false;
            }
            out.other_block = earlier.block;
            out.other_thread = earlier.warp * lanes_per_warp + lane;
            out.other_step = earlier.step;
            out.of_read = !now.writes() || !earlier.writes();
            out.detail = is_stale ? std::string(stale_load)
                                  : what_happens(earlier, now, is_shared, !block.launch->code->synchronises);
            block.collector->report(out);
            return false;
          });
}

std::unique_ptr<Checker> make_order_check(bool strict, std::unique_ptr<Checker> of_shared) {
  return std::make_unique<OrderCheck>(strict, std::move(of_shared));
}

}  // namespace ropewalk::machine
