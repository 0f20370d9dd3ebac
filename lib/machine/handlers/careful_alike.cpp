#include "lib/machine/handlers/careful_alike.h"

#include <cstring>

#include "lib/base/bits.h"
#include "lib/machine/checks/alignment.h"
#include "lib/machine/checks/bounds.h"
#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/handlers/careful_marks.h"
#include "lib/machine/handlers/careful_memory.h"
#include "lib/machine/launch_state.h"

namespace ropewalk::machine::careful {

namespace {

// The lanes of one warp that make an access, with what they have in common.
class AlikeLanes {
 public:
  AlikeLanes(Context& context, const Op* op, u32 warp, u32 lanes)
      : context_(context), op_(op), step_(step_of(context, op)), memory_(*step_.memory), warp_(warp), lanes_(lanes) {}

  bool run() {
    if (memory_.space != MemorySpace::Global && memory_.space != MemorySpace::Generic) return false;
    if (!context_.shadow->doubts.empty()) return false;  // some lanes may be in doubt
    if (!find_window()) return false;
    const CheckSet checks = context_.block->launch->options.checks;
    if (outside_ == lanes_) return is_load() ? lose(checks.has(Check::Bounds)) : drop(checks.has(Check::Bounds));
    if (outside_ || !is_load() || window_->watched) return false;
    if (misaligned_ == lanes_ && initialized_ == lanes_ && checks.has(Check::Alignment)) return take_misaligned();
    if (misaligned_ || empty_ != lanes_ || !checks.has(Check::Uninitialized)) return false;
    take_unwritten();
    return true;
  }

 private:
  bool is_load() const { return step_.kind == StepKind::Load; }
  u32 width() const { return memory_.element_bytes * memory_.count; }

  bool find_window() {
    for (u32 bits = lanes_; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      const u64 address = address_of(context_, memory_.address, memory_.offset, warp_, lane);
      const Window* const window = context_.block->launch->memory.find(address);
      if (!window || (window_ && window != window_)) return false;
      window_ = window;
      offsets_[lane] = i64(address - window->base);
    }
    if (window_->freed || window_->lazy || window_->allowed || window_->poisoned || window_->read_only) return false;
    for (u32 bits = lanes_; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits)), bit = 1u << lane;
      const u64 first = u64(offsets_[lane]), last = first + width();
      if (offsets_[lane] < 0 || last > window_->bytes) {
        if (is_misaligned_inside(offsets_[lane], 0, window_->bytes, window_->base + first, width())) return false;
        outside_ |= bit;
        continue;
      }
      if ((window_->base + first) % width() != 0) misaligned_ |= bit;
      if (!window_->initialized || all_bits(window_->initialized, first, last))
        initialized_ |= bit;
      else if (!any_bit(window_->initialized, first, last))
        empty_ |= bit;
    }
    return true;
  }

  AccessEvent event_of(u32 lane) const {
    AccessEvent event =
        make_event(context_, op_, warp_, lane, is_load() ? AccessKind::Load : AccessKind::Store, 0, width());
    event.space = MemorySpace::Global;
    event.window = window_;
    event.window_number = u32(window_ - context_.windows);
    event.address = window_->base + u64(offsets_[lane]);
    event.offset = offsets_[lane];
    event.extent = window_->bytes;
    return event;
  }

  template <class Describe>
  void report(Rule rule, Describe describe) const {
    const AccessEvent first = event_of(u32(__builtin_ctz(lanes_)));
    context_.block->collector->report_lanes(first.occurrence(rule), lanes_, offsets_, describe);
  }

  bool is_read(u32 value) const { return value != no_value && context_.program->code->is_read[value]; }

  // Loads outside yield nothing that can be used.
  bool lose(bool is_reported) {
    if (is_reported) report(Rule::OutOfBoundsRead, [](Occurrence&) {});
    Verdict verdict;
    verdict.perform = false;
    for (u32 bits = lanes_; bits; bits &= bits - 1) {
      AccessEvent event = event_of(u32(__builtin_ctz(bits)));
      for (u32 i = 0; i < memory_.count; ++i) {
        if (memory_.values[i] == no_value) continue;
        write_value(context_, memory_.values[i], warp_, event.lane, 0);
        mark(event, verdict, i);
      }
    }
    return true;
  }

  bool drop(bool is_reported) {
    if (is_reported) report(Rule::OutOfBoundsWrite, [](Occurrence&) {});
    return true;
  }

  bool take_misaligned() {
    const u64 address = window_->base + u64(offsets_[u32(__builtin_ctz(lanes_))]);
    report(Rule::MisalignedAccess,
           [&](Occurrence& example) { example.detail = misalignment_text(width(), address, width()); });
    take(Verdict());
    return true;
  }

  void take_unwritten() {
    Verdict verdict;
    verdict.undefined = true;
    take(verdict);
  }

  void take(const Verdict& verdict) {
    for (u32 bits = lanes_; bits; bits &= bits - 1) {
      AccessEvent event = event_of(u32(__builtin_ctz(bits)));
      for (u32 i = 0; i < memory_.count; ++i) {
        if (memory_.values[i] == no_value) continue;
        u64 value = 0;
        const u32 bytes = memory_.element_bytes, shift = 64 - 8 * bytes;
        std::memcpy(&value, window_->data + event.offset + i * bytes, bytes);
        if (bytes < 8) value = memory_.sign_extend ? u64(i64(value << shift) >> shift) : value;
        write_value(context_, memory_.values[i], warp_, event.lane, value);
        mark(event, verdict, i);
      }
    }
  }

  void mark(AccessEvent& event, const Verdict& verdict, u32 i) {
    Mark mark;
    if (is_read(memory_.values[i])) mark = mark_read(event, verdict, i * memory_.element_bytes, memory_.element_bytes);
    set_mark(context_, memory_.values[i], warp_, event.lane, mark);
  }

  Context& context_;
  const Op* op_;
  const Step& step_;
  const MemoryStep& memory_;
  const u32 warp_, lanes_;
  const Window* window_ = nullptr;
  i64 offsets_[lanes_per_warp] = {};
  u32 outside_ = 0, misaligned_ = 0, initialized_ = 0, empty_ = 0;
};

}  // namespace

bool run_alike(Context& context, const Op* op, u32 warp, u32 lanes) {
  return AlikeLanes(context, op, warp, lanes).run();
}

}  // namespace ropewalk::machine::careful
