// Contexts that wait for a change of memory.
#include <algorithm>
#include <cstring>
#include <optional>

#include "lib/base/random.h"
#include "lib/machine/device_time.h"
#include "lib/machine/handlers/control.h"
#include "lib/machine/worker.h"

namespace ropewalk::machine {

namespace {

// Calls body(values) with those that decide what the lanes do next that are where `op` is; nullptr: all of them do.
void for_deciding(const Context& context, const Op& op, auto body) {
  const Code& code = *context.program->code;
  const u32 block = code.flow.block_of[code.steps[op.step].instruction];
  body(code.cycle_of[block] == no_value ? nullptr : &code.cycles[code.cycle_of[block]].deciding);
}

// The bytes of the registers that decide what a context does next, but for memory that others share: those that the
// loops look at where its lanes are.
class Deciding {
 public:
  explicit Deciding(const Context& context) {
    const Program& program = *context.program;
    const auto add = [&](const std::vector<u32>* values) {
      if (!values) bytes_ = {{0, program.register_bytes}};
      is_all_ |= !values;
      for (u64 n = 0; !is_all_ && n < values->size(); ++n) {
        const u32 value = (*values)[n], pitch = program.pitch[value];
        const u32 bytes = program.code->values[value].size * lanes_per_warp;
        bytes_.emplace_back(program.offset[value], pitch ? bytes * program.warps : bytes);
      }
    };
    for_deciding(context, *context.op, add);
    for (const Divergence& it : context.open) {
      const bool waits =
          std::any_of(it.pending_bits, it.pending_bits + max_warps, [](u32 lanes) { return lanes != 0; });
      if (waits) for_deciding(context, context.program->ops[it.pending], add);
    }
  }
  // body(first, bytes) for parts of the register area.
  template <class Body>
  void each(Body body) const {
    for (const auto& [first, bytes] : bytes_) body(first, bytes);
  }

 private:
  bool is_all_ = false;
  std::vector<std::pair<u32, u32>> bytes_;
};

// What a context does next, as far as its own state decides it.
u64 state_of(const Context& context) {
  u64 state = mix(u64(context.op - context.program->ops.data()));
  const auto add = [&](const void* from, u64 bytes) {
    const std::byte* at = static_cast<const std::byte*>(from);
    for (u64 i = 0; i + 8 <= bytes; i += 8) {
      u64 word;
      std::memcpy(&word, at + i, 8);
      state = (state ^ word) * 0x9e3779b97f4a7c15ull;
      state ^= state >> 29;
    }
  };
  add(context.bits, sizeof context.bits);
  for (const Divergence& it : context.open) {
    const u64 point = u64(it.pending) << 32 | it.join;
    add(&point, sizeof point);
    add(it.pending_bits, sizeof it.pending_bits);
  }
  Deciding(context).each([&](u32 first, u32 bytes) { add(context.registers + first, bytes); });
  if (context.local) add(context.local, context.local_bytes * context.lane_count());
  return state;
}

// A context as it was at some time, to be compared with what it is: they differ early, as a rule.
class Snapshot {
 public:
  explicit Snapshot(const Context& context)
      : op_(context.op),
        open_(context.open),
        registers_(context.registers, context.registers + context.program->register_bytes) {
    std::copy(std::begin(context.bits), std::end(context.bits), bits_);
    if (context.local) local_.assign(context.local, context.local + local_bytes(context));
  }
  bool is_equal(const Context& context) const {
    if (context.op != op_ || !std::equal(std::begin(bits_), std::end(bits_), context.bits) ||
        !std::ranges::equal(open_, context.open, have_same_pending) ||
        context.program->register_bytes != registers_.size())
      return false;
    bool is_equal = true;
    Deciding(context).each([&](u32 first, u32 bytes) {
      is_equal = is_equal && std::memcmp(registers_.data() + first, context.registers + first, bytes) == 0;
    });
    return is_equal && (local_.empty() || std::memcmp(local_.data(), context.local, local_.size()) == 0);
  }

 private:
  static bool have_same_pending(const Divergence& a, const Divergence& b) {
    return a.pending == b.pending && std::ranges::equal(a.pending_bits, b.pending_bits);
  }
  static u64 local_bytes(const Context& context) { return context.local_bytes * context.lane_count(); }

  const Op* op_;
  std::vector<Divergence> open_;
  u32 bits_[max_warps];
  std::vector<std::byte> registers_, local_;
};

}  // namespace

// Whether a loop without end brings the context back to a state that it had, with no change of memory between: it is
// looked at where it jumps backwards or lets others go first, as often as loops that wait do so.
bool Worker::comes_back(Context& context) {
  constexpr u32 most_jumps = 64;
  const TimeStands still;
  const u64 version = launch_.order ? launch_.order->version : 0;
  std::optional<Snapshot> before;  // after a jump: what it holds of the clock is of the time that stands still
  for (u32 jump = 0; jump < most_jumps; ++jump) {
    context.budget = 0;
    context.stop = Stop::Running;
    run_context(context);
    const bool goes_on = context.stop == Stop::Budget || context.stop == Stop::Yield;
    if (!goes_on || end_ != End::None || block_.needs_rerun) return false;
    if (launch_.order && launch_.order->version != version) return false;
    if (!before)
      before.emplace(context);
    else if (before->is_equal(context))
      return true;
  }
  return false;
}

// Who read in vain what it had read before lets others go on, first those of its own warp. Where the warp comes back to
// a state that it had, and memory did not change, it never goes on by itself.
void Worker::wait_for_change(Context& context) {
  constexpr std::size_t most_states = 1024;
  const u64 version = launch_.order->version, state = state_of(context);
  if (context.wait_version != version) context.wait_states.clear();
  context.wait_version = version;
  auto& seen = context.wait_states;
  context.is_stuck = std::find(seen.begin(), seen.end(), state) != seen.end();
  if (!context.is_stuck && seen.size() < most_states) seen.push_back(state);
  const bool is_alone = control::yield(context, context.op, false) == control::Yielded::Alone;
  const bool all_had_a_turn = seen.size() > context.open.size() + 1;
  context.stop = context.is_stuck || is_alone || all_had_a_turn ? Stop::Waiting : Stop::Running;
}

bool Worker::is_held() const {
  return std::any_of(contexts_.begin(), contexts_.end(), [](const auto& it) { return it->stop == Stop::Held; });
}

void Worker::release() {
  const auto held = [](const auto& it) { return it->stop == Stop::Held; };
  (*std::find_if(contexts_.begin(), contexts_.end(), held))->stop = Stop::Running;
}

bool Worker::is_stuck() const {
  return std::all_of(contexts_.begin(), contexts_.end(), [](const auto& context) {
    return context->stop == Stop::Done || context->stop == Stop::Barrier ||
           (context->stop == Stop::Waiting && context->is_stuck);
  });
}

void Worker::look_again() {
  for (const auto& context : contexts_) {
    context->is_stuck = false;
    context->slices = 0;
    context->wait_states.clear();
  }
}

u64 Worker::threads_at_barriers() const {
  u64 threads = 0;
  for (const auto& context : contexts_) {
    for (u32 warp = 0; context->stop == Stop::Barrier && warp < context->warps; ++warp)
      threads += u32(__builtin_popcount(context->live[warp]));
  }
  return threads;
}

LastWriter::Now Worker::now(u32 thread) const {
  for (const auto& context : contexts_) {
    const u32 warp = (thread - context->first_thread) / lanes_per_warp, lane = thread % lanes_per_warp;
    const auto has = [&](const u32* lanes) { return ((lanes[warp] >> lane) & 1u) != 0; };
    if (thread < context->first_thread || warp >= context->warps || !has(context->live)) continue;
    if (context->stop == Stop::Barrier && has(context->arrived)) return LastWriter::Now::AtBarrier;
    return has(context->bits) ? LastWriter::Now::Polls : LastWriter::Now::ForItsWarp;
  }
  return LastWriter::Now::Ended;
}

std::vector<const Context*> Worker::waiting() const {
  std::vector<const Context*> all;
  for (const auto& context : contexts_) {
    if (context->stop == Stop::Waiting) all.push_back(context.get());
  }
  return all;
}

}  // namespace ropewalk::machine
