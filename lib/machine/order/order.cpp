#include "lib/machine/order/order.h"

#include <algorithm>

namespace ropewalk::machine::order {

namespace {

// All that a thread did and knows so far; what it does after this is of a later time. It grows from what the thread
// published last.
SharedClock publish(BlockOrder& block, u32 thread, u32 later) {
  ThreadOrder& it = block.threads[thread];
  const SharedClock before = joined(it.published, it.knows);
  auto out = before ? std::make_shared<Clock>(*before) : std::make_shared<Clock>();
  out->add_thread(block.number, thread, it.time);
  it.time = later;
  it.published = out;
  return out;
}

// The time that a thread has after it published: later than what it did, and, where others of its block have published
// meanwhile, theirs, so that clocks can say of whole warps what they know.
u32 time_after(BlockOrder& block, u32 thread) {
  if (block.threads[thread].time == block.time) ++block.time;
  return block.time;
}

// Names a location among those of both memories.
u64 location_of(u64 key, bool is_shared) { return is_shared ? key | u64(1) << 62 : key; }

}  // namespace

SharedClock Published::of_block(u64 block) const {
  for (const auto& [number, clock] : in_block) {
    if (number == block) return clock;
  }
  return nullptr;
}

void Published::add(u64 block, Scope scope, const SharedClock& for_block, const SharedClock& for_device) {
  if (for_block) {
    const auto at = std::ranges::find(in_block, block, &std::pair<u64, SharedClock>::first);
    if (at == in_block.end())
      in_block.emplace_back(block, for_block);
    else
      at->second = joined(at->second, for_block);
  }
  if (leaves_block(scope)) device = joined(device, for_device);
}

void Published::gather(u64 block, u32 thread_count) {
  const auto gather_one = [&](SharedClock& clock) {
    if (!clock) return;
    auto gathered = std::make_shared<Clock>(*clock);
    gathered->gather(block, thread_count);
    clock = std::move(gathered);
  };
  gather_one(device);
  for (auto& [number, clock] : in_block) {
    if (number == block) gather_one(clock);
  }
}

void Order::read(BlockOrder& block, u32 thread, u64 key, bool is_shared, Strength strength, Scope scope,
                 Reader reader) {
  ThreadOrder& it = block.threads[thread];
  const u64 location = location_of(key, is_shared);
  if (acquires(strength)) it.knows = joined(it.knows, it.seen.at(location, leaves_block(scope)));
  const auto& all = published(block, is_shared);
  const auto at = all.find(key);
  if (at == all.end()) return;
  const Published& there = at->second;
  it.seen.read(location, there, block.number, leaves_block(scope), acquires(strength),
               is_shared ? Reader::Ticket : reader);
  if (!acquires(strength)) return;
  it.knows = joined(it.knows, there.of_block(block.number));
  if (!leaves_block(scope) || it.acquired == there.device) return;
  it.knows = joined(it.knows, there.device);
  it.acquired = there.device;
}

void Order::write(BlockOrder& block, u32 thread, u64 key, bool is_shared, Strength strength, Scope scope,
                  bool updates) {
  auto& all = published(block, is_shared);
  ThreadOrder& it = block.threads[thread];
  const u64 location = location_of(key, is_shared);
  const SharedClock& passed = it.seen.all().passed;
  const bool passes = !is_shared && leaves_block(scope) && (it.knows || passed);
  const Released* const before = it.released.find(location);
  if (!releases(strength) && !before && !it.fenced_block && !passes) {
    if (!updates) all.erase(key);
    return;
  }
  Published& here = all[key];
  if (!updates) here = Published();
  if (!here.chain) here.chain = ++chains_;
  if (passes) here.passed = joined(here.passed, joined(it.knows, passed));
  if (releases(strength)) {
    const SharedClock done = publish(block, thread, time_after(block, thread));
    here.add(block.number, scope, done, done);
    // What the lanes of a warp published one after the other is kept as one.
    if (thread % 32 == 31 || thread + 1 == block.threads.size()) here.gather(block.number, u32(block.threads.size()));
    it.released.at(location, [](const Released&) {}) = {done, leaves_block(scope) ? done : nullptr};
    return;
  }
  here.add(block.number, scope, it.fenced_block, it.fenced_device);
  if (before) here.add(block.number, scope, before->block, before->device);
}

void Order::write_weakly(BlockOrder& block, u64 key, bool is_shared) {
  auto& all = published(block, is_shared);
  if (!all.empty()) all.erase(key);
}

void Order::end_phase(BlockOrder& block, u64 key) {
  const auto at = block.published.find(key);
  if (at == block.published.end()) return;
  const Published ended = std::move(at->second);
  block.published.erase(at);
  Published& over = block.published[phase_over(key)];
  if (!over.chain) over.chain = ++chains_;
  over.add(block.number, Scope::Device, nullptr, ended.device);
  for (const auto& [number, clock] : ended.in_block) over.add(number, Scope::Block, clock, nullptr);
}

void Order::fence(BlockOrder& block, u32 warp, u32 lanes, Scope scope) {
  ++block.time;
  for (; lanes; lanes &= lanes - 1) {
    const u32 thread = warp * 32 + u32(__builtin_ctz(lanes));
    ThreadOrder& it = block.threads[thread];
    it.knows = joined(it.knows, leaves_block(scope) ? it.seen.all().device : it.seen.all().block);
    if (leaves_block(scope)) it.seen.set_peeked(false);
    it.fenced_block = publish(block, thread, block.time);
    if (leaves_block(scope)) it.fenced_device = it.fenced_block;
  }
}

namespace {

// Joins what threads know, each clock once: most of them share one.
class Meeting {
 public:
  explicit Meeting(Known& known) : known_(known) {}
  // After all were: fences that many made at once are kept as one.
  void gather(const BlockOrder& block) {
    for (Clock* clock : {&known_.fenced_device, &known_.fenced_block, &known_.seen.device, &known_.seen.block})
      clock->gather(block.number, u32(block.threads.size()));
  }
  void join(ThreadOrder& it) {
    add(known_.knows, it.knows, knows_);
    add(known_.fenced_device, it.fenced_device, fenced_device_);
    add(known_.fenced_block, it.fenced_block, fenced_block_);
    const Views<SharedClock>& seen = it.seen.all();
    add(known_.seen.device, seen.device, seen_.device);
    add(known_.seen.block, seen.block, seen_.block);
    add(known_.seen.ticketed, seen.ticketed, seen_.ticketed);
    add(known_.seen.passed, seen.passed, seen_.passed);
    known_.has_peeked |= it.seen.has_peeked();
  }

 private:
  static void add(Clock& all, const SharedClock& one, SharedClock& last) {
    if (one && one != last) all.join(*one);
    if (one) last = one;
  }
  Known& known_;
  SharedClock knows_, fenced_device_, fenced_block_;
  Views<SharedClock> seen_;
};

// What each of those that met knows now.
struct Shared {
  explicit Shared(const Known& known)
      : knows(std::make_shared<Clock>(known.knows)),
        fenced_device(some(known.fenced_device)),
        fenced_block(some(known.fenced_block)),
        seen{some(known.seen.device), some(known.seen.block), some(known.seen.ticketed), some(known.seen.passed)},
        has_peeked(known.has_peeked) {}
  static SharedClock some(const Clock& clock) { return clock.empty() ? nullptr : std::make_shared<Clock>(clock); }
  void give(ThreadOrder& it) const {
    it.knows = knows;
    if (fenced_device) it.fenced_device = fenced_device;
    if (fenced_block) it.fenced_block = fenced_block;
    it.seen.become(seen);
    it.seen.set_peeked(has_peeked);
  }
  SharedClock knows, fenced_device, fenced_block;
  Views<SharedClock> seen;
  bool has_peeked = false;
};

// The lanes of a warp publish what they did.
void publish_lanes(BlockOrder& block, u32 warp, u32 lanes, Known& known) {
  Meeting meeting(known);
  for (u32 bits = lanes; bits; bits &= bits - 1) {
    const u32 thread = warp * 32 + u32(__builtin_ctz(bits));
    ThreadOrder& it = block.threads[thread];
    meeting.join(it);
    if (lanes != 0xffffffffu) known.knows.add_thread(block.number, thread, it.time);
  }
  if (lanes == 0xffffffffu) known.knows.add_warp(block.number, warp, block.time);
  meeting.gather(block);
  ++block.time;
  for (u32 bits = lanes; bits; bits &= bits - 1) block.threads[warp * 32 + u32(__builtin_ctz(bits))].time = block.time;
}

}  // namespace

void Order::meet_in_warp(BlockOrder& block, u32 warp, u32 lanes) {
  Known known;
  publish_lanes(block, warp, lanes, known);
  const Shared shared(known);
  for (u32 bits = lanes; bits; bits &= bits - 1) shared.give(block.threads[warp * 32 + u32(__builtin_ctz(bits))]);
}

void Order::pass_on(BlockOrder& block, u32 warp, u32 lanes) {
  SharedClock all, last;
  Views<SharedClock> seen;
  bool has_peeked = false;
  for (u32 bits = lanes; bits; bits &= bits - 1) {
    ThreadOrder& it = block.threads[warp * 32 + u32(__builtin_ctz(bits))];
    const Views<SharedClock>& own = it.seen.all();
    for (const auto view : {&Views<SharedClock>::device, &Views<SharedClock>::block, &Views<SharedClock>::ticketed,
                            &Views<SharedClock>::passed})
      seen.*view = joined(seen.*view, own.*view);
    has_peeked |= it.seen.has_peeked();
    if (it.knows == last) continue;
    last = it.knows;
    all = joined(all, it.knows);
  }
  for (u32 bits = lanes; bits; bits &= bits - 1) {
    ThreadOrder& it = block.threads[warp * 32 + u32(__builtin_ctz(bits))];
    it.knows = all;
    it.seen.become(seen);
    it.seen.set_peeked(has_peeked);
    it.exchanged_lanes = lanes;
    it.exchanged_time = block.time;
    it.time = block.time + 1;
  }
  ++block.time;
}

void Order::meet(BlockOrder& block) {
  Known known;
  Meeting meeting(known);
  for (ThreadOrder& it : block.threads) meeting.join(it);
  meeting.gather(block);
  known.knows.add_block(block.number, block.time);
  ++block.time;
  const Shared shared(known);
  for (ThreadOrder& it : block.threads) {
    shared.give(it);
    it.time = block.time;
  }
}

void Order::arrive(BlockOrder& block, u32 barrier, u32 warp, u32 lanes) {
  publish_lanes(block, warp, lanes, block.arrived[barrier % 16]);
}

void Order::leave(BlockOrder& block, u32 barrier, u32 warp, u32 lanes) {
  const Known& arrived = block.arrived[barrier % 16];
  for (u32 bits = lanes; bits; bits &= bits - 1) {
    ThreadOrder& it = block.threads[warp * 32 + u32(__builtin_ctz(bits))];
    it.knows = joined(it.knows, arrived.knows);
    it.fenced_device = joined(it.fenced_device, arrived.fenced_device);
    it.fenced_block = joined(it.fenced_block, arrived.fenced_block);
    it.seen.join(arrived.seen);
    it.seen.set_peeked(it.seen.has_peeked() || arrived.has_peeked);
  }
}

}  // namespace ropewalk::machine::order
