#include "lib/machine/checks/races.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "lib/base/bits.h"
#include "lib/finding/phrases.h"
#include "lib/machine/checks/unit.h"
#include "lib/machine/checks/wording.h"
#include "lib/machine/handlers/careful_memory.h"
#include "lib/machine/launch_state.h"

namespace ropewalk::machine {

namespace {

// Whether the addresses of two accesses are from different parameters, both known: two tensors.
bool are_of_two_parameters(const Code& code, const Step& a, const Step& b) {
  const ptx::Origin &one = code.origins[a.instruction], &other = code.origins[b.instruction];
  return one.parameter >= 0 && other.parameter >= 0 && (one.parameter != other.parameter || one.offset != other.offset);
}

// Whether a step may read what a store has written.
bool may_read(const Code& code, const Step& step, const Step& store) {
  const MemorySpace written = store.memory->space;
  switch (step.kind) {
    case StepKind::Compute:
    case StepKind::Store:
    case StepKind::Nothing:
    case StepKind::IndexStatement:
    case StepKind::Shuffle:
    case StepKind::Vote:
      return false;
    case StepKind::Load: {
      if (step.memory->is_noncoherent || are_of_two_parameters(code, step, store)) return false;
      const MemorySpace space = step.memory->space;
      const bool is_shared_or_global = space == MemorySpace::Shared || space == MemorySpace::Global;
      return space == MemorySpace::Generic || space == written ||
             (written == MemorySpace::Generic && is_shared_or_global);
    }
    default:
      return true;
  }
}

// A constant, or a parameter: what memory is filled with before others store there.
bool is_of_all_lanes(u32 value, const Code& code, u32 before) {
  if (value == no_value || code.constant_of[value] != no_value) return true;
  for (u32 step = before; step-- > 0;) {
    const Step& it = code.steps[step];
    if (it.d == value) return false;
    if (it.kind == StepKind::Load && std::ranges::count(it.memory->values, value))
      return it.memory->space == MemorySpace::Parameter;
  }
  return false;
}

// Whether one of two stores comes straight behind the other, which stores what lanes have computed, with nothing
// between that may read it.
bool loses_a_value(const Code& code, u32 step, u32 other_step) {
  const auto [first, last] = std::minmax(step, other_step);
  const Step &one = code.steps[first], &other = code.steps[last];
  if (one.kind != StepKind::Store || other.kind != StepKind::Store || one.memory->is_strong()) return false;
  if (code.flow.block_of[one.instruction] != code.flow.block_of[other.instruction]) return false;
  for (u32 between = first + 1; between < last; ++between) {
    if (may_read(code, code.steps[between], one)) return false;
  }
  return std::ranges::none_of(std::span(one.memory->values, one.memory->count),
                              [&](u32 value) { return is_of_all_lanes(value, code, first); });
}

}  // namespace

Severity severity_of_race(const RacingAccesses& pair, const Code& code) {
  const bool are_in_turn = pair.are_in_one_warp && pair.step != pair.other_step && pair.are_converged;
  const bool is_lost = are_in_turn && pair.both_write && loses_a_value(code, pair.step, pair.other_step);
  return are_in_turn && !is_lost ? Severity::Warning : Severity::Error;
}

bool is_converged_with(const AccessEvent& event, u32 lane) { return (event.context.together(event.warp) >> lane) & 1u; }

bool stores_the_same(const AccessEvent& event, bool strict) {
  return event.kind == AccessKind::Store && !event.is_asynchronous && !strict && event.stored && event.data &&
         std::memcmp(event.stored, event.data, event.bytes) == 0;
}

bool copies_the_same(const AccessEvent& event, bool strict) {
  if (event.kind != AccessKind::Store || strict || !event.stored || !event.data) return false;
  std::vector<std::byte> there(event.data, event.data + event.bytes);
  const u64 start = u64(event.offset);
  for (const PendingCopy& copy : event.context.block->copies) {
    const u64 first = std::max<u64>(start, copy.offset);
    const u64 end = std::min<u64>(start + event.bytes, copy.offset + copy.bytes);
    if (first < end) std::memcpy(there.data() + (first - start), copy.data.data() + (first - copy.offset), end - first);
  }
  return std::memcmp(event.stored, there.data(), event.bytes) == 0;
}

std::string words_without_barrier(bool later_writes, bool earlier_wrote) {
  return fmt::format("{} and {} with no barrier between", later_writes ? "written" : "read",
                     earlier_wrote ? "written" : "read");
}

namespace {

// Whether two copies bring the same to the bytes that both write.
bool brings_the_same(const AccessEvent& event, const PendingCopy& copy) {
  const u64 first = std::max<u64>(u64(event.offset), copy.offset);
  const u64 end = std::min<u64>(u64(event.offset) + event.bytes, copy.offset + copy.bytes);
  return std::memcmp(event.stored + (first - u64(event.offset)), copy.data.data() + (first - copy.offset),
                     end - first) == 0;
}

// Copies run beside the thread that starts them.
bool races_with_itself(const Occurrence& it) {
  return it.other_step != no_value && it.block == it.other_block && it.thread == it.other_thread;
}

}  // namespace

bool report_copy_under_way(const AccessEvent& event, bool strict) {
  const Block& block = *event.context.block;
  const u64 first = u64(event.offset), end = first + event.bytes;
  if (!any_bit(block.shared_in_flight.data(), first, end)) return false;
  if (event.kind == AccessKind::Load && !all_bits(block.shared_initialized.data(), first, end)) return false;
  Occurrence out = event.occurrence(Rule::SharedRace);
  out.detail = copy_under_way;
  for (const PendingCopy& copy : block.copies) {
    if (copy.offset >= end || copy.offset + copy.bytes <= first) continue;
    if (event.is_asynchronous && !strict && brings_the_same(event, copy)) continue;
    out.other_step = copy.step;
    out.other_thread = copy.thread;
    out.other_block = block.number;
    if (copy.is_over_unread) out.detail = copy_over_unread;
    break;
  }
  if (event.is_asynchronous && out.other_step == no_value) return false;
  block.collector->report(out);
  return true;
}

void report_read_under_way(const AccessEvent& event, bool strict) {
  const Block& block = *event.context.block;
  const PendingCopy* copy = nullptr;
  if (!event.is_write() || block.copies.empty() || stores_the_same(event, strict) ||
      !careful::is_read_late(block, event.address, event.address + event.bytes, copy)) {
    return;
  }
  Occurrence out = event.occurrence(Rule::GlobalRace);
  out.window = block.launch->memory.whole(event.window_number);
  out.detail = read_under_way;
  out.other_step = copy->step;
  out.other_thread = copy->thread;
  out.other_block = block.number;
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
          [](const Wording& wording) {
            for (const std::string_view of_one : {stale_load, read_under_way}) {
              if (wording.example.detail == of_one) return fmt::format("{} is {}", wording.element(), of_one);
            }
            const std::string_view who = races_with_itself(wording.example) ? "a thread races with its own copy for "
                                         : wording.collected.across_blocks  ? "two threads race for "
                                                                            : "two threads of a block race for ";
            return fmt::format("{}{}: {}", who, wording.element(), wording.example.detail);
          },
      .listen = [](const Listening& listening) -> std::unique_ptr<Checker> {
        const bool is_by_barriers = !listening.ordered || listening.by_barriers;
        std::unique_ptr<Checker> of_shared = is_by_barriers ? make_shared_race_check(listening.strict) : nullptr;
        return listening.ordered ? make_order_check(listening.strict, std::move(of_shared)) : std::move(of_shared);
      },
  };
  return unit;
}

}  // namespace ropewalk::machine
