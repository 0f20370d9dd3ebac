// Contexts that wait for a change of memory.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "lib/base/random.h"
#include "lib/machine/device_time.h"
#include "lib/machine/handlers/control.h"
#include "lib/machine/worker.h"

namespace ropewalk::machine {

namespace {

// The bytes of the registers that decide what a context does next, but for memory that others share: those that the
// loops look at in which its lanes are. Lanes that wait outside of loops are not run before they go on.
class Deciding {
 public:
  // but_time: without what is computed from the clock.
  explicit Deciding(const Context& context, bool but_time = false)
      : program_(*context.program), code_(*program_.code), but_time_(but_time) {
    if (!add_loop_at(*context.op) && !but_time) bytes_ = {{0, program_.register_bytes}};
    for (const Divergence& it : context.open) {
      const bool waits =
          std::any_of(it.pending_bits, it.pending_bits + max_warps, [](u32 lanes) { return lanes != 0; });
      if (waits) add_loop_at(program_.ops[it.pending]);
    }
  }
  // body(first, bytes) for parts of the register area.
  template <class Body>
  void each(Body body) const {
    for (const auto& [first, bytes] : bytes_) body(first, bytes);
  }

 private:
  // False: it is in none.
  bool add_loop_at(const Op& op) {
    const u32 cycle = code_.cycle_of[code_.flow.block_of[code_.steps[op.step].instruction]];
    if (cycle == no_value) return false;
    for (const u32 value : code_.cycles[cycle].deciding) {
      if (but_time_ && code_.is_time[value]) continue;
      const u32 bytes = code_.values[value].size * lanes_per_warp;
      bytes_.emplace_back(program_.offset[value], program_.pitch[value] ? bytes * program_.warps : bytes);
    }
    return true;
  }

  const Program& program_;
  const Code& code_;
  bool but_time_;
  std::vector<std::pair<u32, u32>> bytes_;
};

class StateHash {
 public:
  void add(const void* from, u64 bytes) {
    const std::byte* at = static_cast<const std::byte*>(from);
    for (u64 i = 0; i + 8 <= bytes; i += 8) {
      u64 word;
      std::memcpy(&word, at + i, 8);
      state = (state ^ word) * 0x9e3779b97f4a7c15ull;
      state ^= state >> 29;
    }
  }
  void add_memory(const Context& context, bool but_time) {
    Deciding(context, but_time).each([&](u32 first, u32 bytes) { add(context.registers + first, bytes); });
    if (context.local) add(context.local, context.local_bytes * context.lane_count());
  }
  u64 state = 0;
};

// What a context does next, as far as its own state decides it.
u64 state_of(const Context& context) {
  StateHash hash;
  hash.state = mix(u64(context.op - context.program->ops.data()));
  hash.add(context.bits, sizeof context.bits);
  for (const Divergence& it : context.open) {
    const u64 point = u64(it.pending) << 32 | it.join;
    hash.add(&point, sizeof point);
    hash.add(it.pending_bits, sizeof it.pending_bits);
  }
  hash.add_memory(context, false);
  return hash.state;
}

// What it has come to, but for the time and where in a loop it is.
u64 state_but_time(const Context& context) {
  StateHash hash;
  hash.add_memory(context, true);
  return hash.state;
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

// Whether somebody who looks at the clock has come to something else since it was asked last: then it waits for one
// time after the other.
bool Worker::gets_on_in_time(Context& context) const {
  if (launch_.code->is_time.empty()) return false;
  const u64 before = std::exchange(context.looked_at, machine::state_but_time(context));
  return before != context.looked_at;
}

// Whether a loop without end brings the context back to a state that it had, with no change of memory between: it is
// looked at where it jumps backwards or lets others go first, as often as loops that wait do so.
bool Worker::comes_back(Context& context) {
  constexpr u32 most_jumps = 1024;
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
    if (before && before->is_equal(context)) return true;
    if ((jump & (jump - 1)) == 0) before.emplace(context);  // so that it is in the round that it may go (R. P. Brent)
  }
  return false;
}

// Who read in vain what it had read before lets others go on, first those of its own warp. Where the warp comes back to
// a state that it had, and memory did not change, it never goes on by itself. goes_round: that was seen already.
void Worker::wait_for_change(Context& context, bool goes_round) {
  constexpr std::size_t most_states = 1024;
  const u64 version = launch_.order->version, state = state_of(context);
  if (context.wait_version != version) context.wait_states.clear();
  context.wait_version = version;
  auto& seen = context.wait_states;
  context.is_stuck = seen.contains(state);
  if (!context.is_stuck && seen.size() < most_states) seen.insert(state);
  const bool is_alone = control::yield(context, context.op, false) == control::Yielded::Alone;
  context.is_stuck |= goes_round && is_alone;
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

u64 Worker::slices() const {
  u64 most = 0;
  for (const auto& context : contexts_) most = std::max(most, context->slices);
  return most;
}

u64 Worker::threads_at_barriers() const {
  u64 threads = 0;
  for (const auto& context : contexts_) {
    for (u32 warp = 0; context->stop == Stop::Barrier && warp < context->warps; ++warp)
      threads += u32(__builtin_popcount(context->live[warp]));
  }
  return threads;
}

u64 Worker::state_but_time() const {
  u64 state = 0;
  for (const auto& context : contexts_) {
    if (context->stop != Stop::Done) state = mix(state ^ machine::state_but_time(*context));
  }
  return state;
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
