#include "lib/machine/checks/shared_race.h"

#include <fmt/format.h>

#include <cstring>

#include "lib/base/bits.h"
#include "lib/finding/phrases.h"

namespace ropewalk::machine {

namespace {

// Whether what the word tells of happened with no barrier between it and the event.
bool unordered(const AccessEvent& event, u32 word) {
  const Block& block = *event.context.block;
  const u32 who = SharedShadow::who_of(word), time = SharedShadow::time_of(word);
  if (who == 0 || time < block.full_time || !SharedShadow::is_other(word, event.thread())) return false;
  return !((word & SharedShadow::atomic_bit) && event.kind == AccessKind::Atomic);
}

}  // namespace

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

void SharedRaceCheck::on_access(const AccessEvent& event, Verdict&) {
  if (event.space != MemorySpace::Shared) return;
  Block& block = *event.context.block;
  SharedShadow& shadow = block.shadow;
  const u64 first = u64(event.offset) / shadow.granule, last = (u64(event.offset) + event.bytes - 1) / shadow.granule;
  if (event.kind != AccessKind::Atomic) report_copy_under_way(event);

  const u32 thread = event.thread();
  const u32 atomic = event.kind == AccessKind::Atomic ? SharedShadow::atomic_bit : 0;
  bool reported = false;
  for (u64 g = first; g <= last; ++g) {
    if (!reported && unordered(event, shadow.writer[g])) {
      const bool same = event.kind == AccessKind::Store && !strict_ && event.stored && event.data &&
                        std::memcmp(event.stored, event.data, event.bytes) == 0;
      if (!same) {
        report(event, shadow.writer[g], shadow.writer_step[g], true);
        reported = true;
      }
    }
    if (event.is_write() && !reported && unordered(event, shadow.reader[g])) {
      report(event, shadow.reader[g], shadow.reader_step[g], false);
      reported = true;
    }
    if (event.is_write()) {
      shadow.writer[g] = SharedShadow::word_of(block.time, thread) | atomic;
      shadow.writer_step[g] = u16(event.step_index);
    } else {
      shadow.reader[g] = SharedShadow::add_reader(shadow.reader[g], block.time, thread);
      shadow.reader_step[g] = u16(event.step_index);
    }
  }
}

void SharedRaceCheck::report(const AccessEvent& event, u32 other_word, u32 other_step, bool other_wrote) const {
  Occurrence out = event.occurrence(Rule::SharedRace);
  const u32 mine = event.thread() / lanes_per_warp, other = SharedShadow::warp_of(other_word);
  const bool same_instruction = u16(event.step_index) == u16(other_step);
  const u32 active = event.context.bits[event.warp];
  const u32 who = SharedShadow::who_of(other_word);
  // A warp that runs converged executes its instructions one after the other on today's hardware, though nothing
  // promises it. Who has left or is elsewhere did not run so.
  const bool is_here = who >= SharedShadow::many_of_warp || ((active >> ((who - 1) % lanes_per_warp)) & 1u);
  if (other == mine && !same_instruction && active == event.context.live[event.warp] && is_here) {
    out.severity = Severity::Warning;
  }
  out.other_block = event.context.block->number;
  out.other_thread = who >= SharedShadow::many_of_warp ? (other == 0xffffffffu ? 0 : other * lanes_per_warp) : who - 1;
  out.other_step = (event.step_index & ~0xffffu) | other_step;
  event.context.block->collector->report(out, [&](Occurrence& example) {
    example.detail = fmt::format("{} and {} with no barrier between", event.is_write() ? "written" : "read",
                                 other_wrote ? "written" : "read");
  });
}

}  // namespace ropewalk::machine
