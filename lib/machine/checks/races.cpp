#include "lib/machine/checks/races.h"

#include <fmt/format.h>

#include <cstring>

#include "lib/base/bits.h"
#include "lib/finding/phrases.h"
#include "lib/machine/checks/unit.h"
#include "lib/machine/checks/words.h"

namespace ropewalk::machine {

bool is_converged_with(const AccessEvent& event, u32 lane) {
  const u32 active = event.context.bits[event.warp];
  return active == event.context.live[event.warp] && ((active >> lane) & 1u);
}

bool stores_the_same(const AccessEvent& event, bool strict) {
  return event.kind == AccessKind::Store && !strict && event.stored && event.data &&
         std::memcmp(event.stored, event.data, event.bytes) == 0;
}

std::string words_without_barrier(bool later_writes, bool earlier_wrote) {
  return fmt::format("{} and {} with no barrier between", later_writes ? "written" : "read",
                     earlier_wrote ? "written" : "read");
}

void report_copy_under_way(const AccessEvent& event) {
  const Block& block = *event.context.block;
  const u64 first = u64(event.offset), end = first + event.bytes;
  if (!any_bit(block.shared_in_flight.data(), first, end) || event.is_asynchronous) return;
  if (event.kind == AccessKind::Load && !all_bits(block.shared_initialized.data(), first, end)) return;
  Occurrence out = event.occurrence(Rule::SharedRace);
  out.detail = copy_under_way;
  for (const PendingCopy& copy : block.copies) {
    if (copy.offset >= end || copy.offset + copy.bytes <= first) continue;
    out.other_step = copy.step;
    out.other_thread = copy.thread;
    out.other_block = block.number;
    break;
  }
  block.collector->report(out);
}

template <>
const CheckUnit& unit<Check::Races>() {
  static const CheckUnit unit{
      .rules =
          {{Rule::SharedRace, "Race in shared memory",
            "Two threads of a block touched the same bytes of shared memory, one of them writing, and neither "
            "access happens before the other: no barrier, bar.warp.sync, or release and acquire lies between.",
            "Which of the two comes first depends on the schedule, so the result is wrong now and then.",
            "Usually a barrier is missing between filling a tile and reading it, or before it is filled again in "
            "the next round of a loop."},
           {Rule::GlobalRace, "Race in global memory",
            "Two threads of the launch touched the same bytes of global memory, one of them writing, and neither "
            "access happens before the other: no barrier of their block, and no release and acquire (or fences "
            "around a flag) whose scopes include both, lies between; or ld.global.nc read what the kernel had written.",
            "The order of blocks is not defined, so the result depends on the machine, the load and chance.",
            "Usually two blocks own overlapping rows, an output is updated in place that others still read, a sum "
            "over blocks is done without atomics, a flag is set or read without __threadfence(), or a const "
            "__restrict__ "
            "pointer leads to what the kernel writes."}},
      .words =
          [](const Told& told) {
            if (told.example.detail == stale_load) return fmt::format("{} is {}", told.element(), stale_load);
            const char* who = told.finding.rule == Rule::SharedRace ? "two threads of a block" : "two threads";
            return fmt::format("{} race for {}: {}", who, told.element(), told.example.detail);
          },
      .listen = [](const Listening& listening) -> std::unique_ptr<Checker> {
        return listening.ordered ? make_order_check(listening.strict) : make_shared_race_check(listening.strict);
      },
  };
  return unit;
}

}  // namespace ropewalk::machine
