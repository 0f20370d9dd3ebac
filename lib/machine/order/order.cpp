#include "lib/machine/order/order.h"

#include <algorithm>

namespace ropewalk::machine::order {

namespace {

SharedClock joined(const SharedClock& a, const SharedClock& b) {
  if (!a || a == b) return b;
  if (!b) return a;
  auto both = std::make_shared<Clock>(*a);
  both->join(*b);
  return both;
}

SharedClock joined(const SharedClock& a, const Clock& b) {
  if (b.empty()) return a;
  auto both = a ? std::make_shared<Clock>(*a) : std::make_shared<Clock>();
  both->join(b);
  return both;
}

// All that a thread did and knows so far; what it does after this is later.
SharedClock publish(BlockOrder& block, u32 thread) {
  ThreadOrder& it = block.threads[thread];
  auto out = it.knows ? std::make_shared<Clock>(*it.knows) : std::make_shared<Clock>();
  out->add_thread(block.number, thread, it.time);
  it.time = ++block.time;
  return out;
}

Clock& of_block(Published& published, u64 block) {
  for (auto& [number, clock] : published.in_block) {
    if (number == block) return clock;
  }
  return published.in_block.emplace_back(block, Clock()).second;
}

// Names a location among those of both memories.
u64 key_of(u64 key, bool is_shared) { return is_shared ? key | u64(1) << 62 : key; }

// A strong write makes this known to whoever reads it.
void publish_at(Published& here, u64 block, Scope scope, const SharedClock& of_block_scope,
                const SharedClock& of_device) {
  if (of_block_scope) of_block(here, block).join(*of_block_scope);
  if (leaves_block(scope) && of_device) here.device.join(*of_device);
}

}  // namespace

const AtLocations::Clocks* AtLocations::find(u64 key) const {
  const auto at = std::ranges::find(last_, key, &Clocks::key);
  return at == last_.end() ? nullptr : &*at;
}

AtLocations::Clocks& AtLocations::at(u64 key) {
  const auto at = std::ranges::find(last_, key, &Clocks::key);
  if (at != last_.end())
    std::rotate(at, at + 1, last_.end());
  else if (last_.size() < most)
    last_.push_back({key, nullptr, nullptr});
  else
    *std::rotate(last_.begin(), last_.begin() + 1, last_.end()) = {key, nullptr, nullptr};
  return last_.back();
}

void Order::read(BlockOrder& block, u32 thread, u64 key, bool is_shared, Strength strength, Scope scope, bool updates) {
  ThreadOrder& it = block.threads[thread];
  const u64 location = key_of(key, is_shared);
  if (acquires(strength)) {
    if (const AtLocations::Clocks* const seen = it.seen_at.find(location))
      it.knows = joined(it.knows, leaves_block(scope) ? seen->device : seen->block);
  }
  const auto& all = published(block, is_shared);
  const auto at = all.find(key);
  if (at == all.end()) return;
  const Clock* own = nullptr;
  for (const auto& [number, clock] : at->second.in_block) {
    if (number == block.number) own = &clock;
  }
  const auto take = [&](SharedClock& in_block, SharedClock& on_device) {
    if (own) {
      in_block = joined(in_block, *own);
      if (!acquires(strength)) on_device = joined(on_device, *own);
    }
    if (leaves_block(scope)) on_device = joined(on_device, at->second.device);
  };
  it.passed = joined(it.passed, at->second.passed);
  if (acquires(strength)) return take(it.knows, it.knows);
  take(it.seen_block, it.seen_device);
  if (!own && at->second.device.empty()) return;
  AtLocations::Clocks& here = it.seen_at.at(location);
  take(here.block, here.device);
  if (updates || is_shared) {
    SharedClock unused;
    take(unused, it.ticketed);
  }
}

void Order::write(BlockOrder& block, u32 thread, u64 key, bool is_shared, Strength strength, Scope scope,
                  bool updates) {
  auto& all = published(block, is_shared);
  ThreadOrder& it = block.threads[thread];
  const u64 location = key_of(key, is_shared);
  const bool passes = !is_shared && leaves_block(scope) && (it.knows || it.passed);
  const AtLocations::Clocks* const before = it.released.find(location);
  if (!releases(strength) && !before && !it.fenced_block && !passes) {
    if (!updates) all.erase(key);
    return;
  }
  Published& here = all[key];
  if (!updates) here = Published();
  if (passes) here.passed = joined(here.passed, joined(it.knows, it.passed));
  if (releases(strength)) {
    const SharedClock done = publish(block, thread);
    publish_at(here, block.number, scope, done, done);
    it.released.at(location) = {location, leaves_block(scope) ? done : nullptr, done};
    return;
  }
  publish_at(here, block.number, scope, it.fenced_block, it.fenced_device);
  if (before) publish_at(here, block.number, scope, before->block, before->device);
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
  over.device.join(ended.device);
  for (const auto& [number, clock] : ended.in_block) of_block(over, number).join(clock);
}

void Order::fence(BlockOrder& block, u32 thread, Scope scope) {
  ThreadOrder& it = block.threads[thread];
  it.knows = joined(it.knows, leaves_block(scope) ? it.seen_device : it.seen_block);
  const SharedClock done = publish(block, thread);
  it.fenced_block = done;
  if (leaves_block(scope)) it.fenced_device = done;
}

namespace {

// Joins what threads know, each clock once: most of them share one.
class Meeting {
 public:
  explicit Meeting(Known& known) : known_(known) {}
  void join(const ThreadOrder& it) {
    add(known_.knows, it.knows, knows_);
    add(known_.fenced_device, it.fenced_device, fenced_device_);
    add(known_.fenced_block, it.fenced_block, fenced_block_);
    add(known_.seen_device, it.seen_device, seen_device_);
    add(known_.seen_block, it.seen_block, seen_block_);
    add(known_.ticketed, it.ticketed, ticketed_);
    add(known_.passed, it.passed, passed_);
  }

 private:
  static void add(Clock& all, const SharedClock& one, SharedClock& last) {
    if (one && one != last) all.join(*one);
    if (one) last = one;
  }
  Known& known_;
  SharedClock knows_, fenced_device_, fenced_block_, seen_device_, seen_block_, ticketed_, passed_;
};

// What each of those that met knows now.
struct Shared {
  explicit Shared(const Known& known)
      : knows(std::make_shared<Clock>(known.knows)),
        fenced_device(some(known.fenced_device)),
        fenced_block(some(known.fenced_block)),
        seen_device(some(known.seen_device)),
        seen_block(some(known.seen_block)),
        ticketed(some(known.ticketed)),
        passed(some(known.passed)) {}
  static SharedClock some(const Clock& clock) { return clock.empty() ? nullptr : std::make_shared<Clock>(clock); }
  void give(ThreadOrder& it) const {
    it.knows = knows;
    if (fenced_device) it.fenced_device = fenced_device;
    if (fenced_block) it.fenced_block = fenced_block;
    if (seen_device) it.seen_device = seen_device;
    if (seen_block) it.seen_block = seen_block;
    if (ticketed) it.ticketed = ticketed;
    if (passed) it.passed = passed;
  }
  SharedClock knows, fenced_device, fenced_block, seen_device, seen_block, ticketed, passed;
};

// The lanes of a warp publish what they did.
void publish_lanes(BlockOrder& block, u32 warp, u32 lanes, Known& known) {
  Meeting meeting(known);
  for (u32 bits = lanes; bits; bits &= bits - 1) {
    const u32 thread = warp * 32 + u32(__builtin_ctz(bits));
    const ThreadOrder& it = block.threads[thread];
    meeting.join(it);
    if (lanes != 0xffffffffu) known.knows.add_thread(block.number, thread, it.time);
  }
  if (lanes == 0xffffffffu) known.knows.add_warp(block.number, warp, block.time);
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
  for (u32 bits = lanes; bits; bits &= bits - 1) {
    const SharedClock& knows = block.threads[warp * 32 + u32(__builtin_ctz(bits))].knows;
    if (knows == last) continue;
    last = knows;
    all = joined(all, knows);
  }
  for (u32 bits = lanes; bits; bits &= bits - 1) {
    ThreadOrder& it = block.threads[warp * 32 + u32(__builtin_ctz(bits))];
    it.knows = all;
    it.exchanged_lanes = lanes;
    it.exchanged_time = block.time;
    it.time = block.time + 1;
  }
  ++block.time;
}

void Order::meet(BlockOrder& block) {
  Known known;
  Meeting meeting(known);
  for (const ThreadOrder& it : block.threads) meeting.join(it);
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
    it.seen_device = joined(it.seen_device, arrived.seen_device);
    it.seen_block = joined(it.seen_block, arrived.seen_block);
    it.ticketed = joined(it.ticketed, arrived.ticketed);
    it.passed = joined(it.passed, arrived.passed);
  }
}

}  // namespace ropewalk::machine::order
