// Two threads of a block that touch the same shared bytes, one of them writing, with no barrier between.
#include "lib/machine/checks/races.h"

namespace ropewalk::machine {

namespace {

class SharedRaceCheck : public Checker {
 public:
  explicit SharedRaceCheck(bool strict) : strict_(strict) {}
  void on_access(const AccessEvent& event, Verdict& verdict) override;

 private:
  void report(const AccessEvent& event, u32 other_word, u32 other_step, bool other_wrote) const;

  bool strict_;
};

}  // namespace

void SharedRaceCheck::on_access(const AccessEvent& event, Verdict&) {
  if (event.space != MemorySpace::Shared) return;
  const bool is_atomic = event.kind == AccessKind::Atomic;
  if (!is_atomic) report_copy_under_way(event, strict_);
  Block& block = *event.context.block;
  SharedShadow& shadow = block.shadow;
  const u64 first = u64(event.offset) / shadow.granule, last = (u64(event.offset) + event.bytes - 1) / shadow.granule;
  const u32 thread = event.thread(), now = block.time << SharedShadow::time_shift;
  const auto is_open = [&](u32 word) {
    return SharedShadow::is_open(word, block.full_time << SharedShadow::time_shift, thread + 1, is_atomic) != 0;
  };
  bool reported = false;
  for (u64 g = first; g <= last; ++g) {
    if (!reported && is_open(shadow.writer[g]) && !stores_the_same(event, strict_)) {
      report(event, shadow.writer[g], shadow.writer_step[g], true);
      reported = true;
    }
    if (!event.is_write()) {
      shadow.reader[g] = SharedShadow::after_read(shadow.reader[g], now, thread + 1, thread / lanes_per_warp);
      shadow.reader_step[g] = u16(event.step_index);
      continue;
    }
    if (!reported && is_open(shadow.reader[g])) {
      report(event, shadow.reader[g], shadow.reader_step[g], false);
      reported = true;
    }
    u32& writer = shadow.writer[g];
    writer = is_atomic ? SharedShadow::after_atomic(writer, block.full_time << SharedShadow::time_shift, now,
                                                    thread + 1, thread / lanes_per_warp)
                       : now | (thread + 1);
    shadow.writer_step[g] = u16(event.step_index);
  }
}

void SharedRaceCheck::report(const AccessEvent& event, u32 other_word, u32 other_step, bool other_wrote) const {
  Occurrence out = event.occurrence(Rule::SharedRace);
  const u32 who = SharedShadow::who_of(other_word), warp = SharedShadow::warp_of(who);
  const bool is_one = who < SharedShadow::many_of_warp;  // thread; else lanes of a warp, or of several
  const bool is_here = is_converged_with(event, is_one ? (who - 1) % lanes_per_warp : event.lane);
  out.other_block = event.context.block->number;
  out.other_thread = is_one ? who - 1 : no_value;
  out.other_step = (event.step_index & ~0xffffu) | other_step;
  out.of_read = !event.is_write() || !other_wrote;
  const RacingAccesses pair{.step = event.step_index,
                            .other_step = out.other_step,
                            .both_write = !out.of_read,
                            .are_in_one_warp = warp == event.thread() / lanes_per_warp,
                            .are_converged = is_here};
  out.severity = severity_of_race(pair, *event.context.block->launch->code);
  event.context.block->collector->report(
      out, [&](Occurrence& example) { example.detail = words_without_barrier(event.is_write(), other_wrote); });
}

std::unique_ptr<Checker> make_shared_race_check(bool strict) { return std::make_unique<SharedRaceCheck>(strict); }

}  // namespace ropewalk::machine
