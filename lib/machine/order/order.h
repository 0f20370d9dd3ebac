// What happens before what in a launch whose threads synchronise: the happens-before of the PTX memory model (PTX ISA,
// memory consistency model: release and acquire patterns, synchronizes-with, barriers), followed while the launch runs.
//
// A release pattern is a release, or a strong write after a release of the same location or after a fence; an acquire
// pattern an acquire, or a strong read with an acquire of the same location or a fence after it. The second
// synchronises with the first where it reads what that wrote, or what atomics made of it, and both have scopes that
// include the other's thread. Orders of fence.sc among themselves are not counted: which comes first is an accident of
// the schedule.
#pragma once
#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "lib/base/random.h"
#include "lib/machine/order/clock.h"
#include "lib/machine/order/footprints.h"
#include "lib/machine/order/scope.h"
#include "lib/machine/order/seen.h"

namespace ropewalk::machine::order {

// What is published at a location that strong accesses synchronise by.
struct Published {
  u64 chain = 0;                                      // the same as long as atomics add to what is published
  SharedClock passed;                                 // see Views
  SharedClock device;                                 // by patterns of device scope or wider
  std::vector<std::pair<u64, SharedClock>> in_block;  // by block: of any scope, for its own threads

  SharedClock of_block(u64 block) const;
  // Adds what a write publishes: for its block, and, where its scope is wider, for all.
  void add(u64 block, Scope scope, const SharedClock& for_block, const SharedClock& for_device);
  // Says of whole warps of a block, of so many threads, what it says of all their lanes.
  void gather(u64 block, u32 thread_count);
};

// What a thread released to a location, which a relaxed write of it there publishes, too.
struct Released {
  SharedClock block, device;
};

struct ThreadOrder {
  u32 time = 1;               // of its next accesses
  SharedClock knows;          // what happened before
  SharedClock fenced_device;  // what it had done and known at its last fence of device scope or wider,
  SharedClock fenced_block;   // and of any scope: what a strong write publishes
  SharedClock published;      // what it did and knew when it published last
  SharedClock acquired;       // what the last acquire read: again it makes nothing new known
  Seen seen;
  LastUsed<Released> released;
  // The last shuffle or vote that it took part in: with which lanes, and what time it was before.
  u32 exchanged_lanes = 0, exchanged_time = 0;
};

// What threads that meet know together. What one of them read by strong reads is there for the fence of any other, and
// what one of them fenced is published by the strong write of any other: fences of both sides are ordered (fence.sc,
// which membar is), and the other order would contradict what was read. So a block may fence, meet, and have one thread
// signal.
struct Known {
  Clock knows, fenced_device, fenced_block;
  Views<Clock> seen;
  bool has_peeked = false;
  void clear() { *this = Known(); }
};

// What a block that is running knows.
struct BlockOrder {
  u64 number = 0;
  u32 time = 1;
  std::vector<ThreadOrder> threads;
  std::array<Known, 16> arrived;                 // at the barriers of the block, until they open
  std::unordered_map<u64, Published> published;  // in shared memory, by offset
  Footprints shared;

  BlockOrder(u64 block, u32 thread_count, u32 shared_granule)
      : number(block), threads(thread_count), shared(shared_granule, true) {}
  u32 warp_count() const { return u32(threads.size() + 31) / 32; }
};

class Order {
 public:
  Order(std::size_t windows, u32 global_granule) : global_(windows, Footprints(global_granule, false)) {}

  Footprints& global(u32 window) { return global_[window]; }

  // A strong read or write of a thread, once it has been made: `key` names the location, in shared memory by its offset
  // (is_shared), else by its address. An atomic is both, `updates`: it goes on with what is published there.
  void read(BlockOrder& block, u32 thread, u64 key, bool is_shared, Strength strength, Scope scope, Reader reader);
  void write(BlockOrder& block, u32 thread, u64 key, bool is_shared, Strength strength, Scope scope, bool updates);
  // A weak write publishes nothing, whatever was published before.
  void write_weakly(BlockOrder& block, u64 key, bool is_shared);
  // Takes note that a thread wrote there: `location` is the key, in shared memory mixed with the block's number.
  void note_write(u64 location, u64 block, u32 thread, bool is_strong) {
    bit_of(location) = true;
    if (is_strong) writers_[mix(location) % writers_.size()] = {location, block, thread};
  }
  // False: nobody did.
  bool may_be_written(u64 location) const { return bit_of(location); }
  // Who did so last by a strong write, of those that are still known; nullptr: nobody.
  struct Writer {
    u64 location = 0, block = 0;
    u32 thread = 0;
  };
  const Writer* last_writer(u64 location) const {
    const Writer& it = writers_[mix(location) % writers_.size()];
    return it.location == location ? &it : nullptr;
  }
  // Of lanes that make it at once, each for itself.
  void fence(BlockOrder& block, u32 warp, u32 lanes, Scope scope);
  // The last arrival of a phase of the mbarrier at that offset: what was published there is now read at
  // phase_over(key), and only there.
  void end_phase(BlockOrder& block, u64 key);
  static u64 phase_over(u64 key) { return key | u64(1) << 63; }

  // bar.warp.sync: these lanes of a warp know of each other.
  static void meet_in_warp(BlockOrder& block, u32 warp, u32 lanes);
  // A shuffle or vote: what one of these lanes has acquired, all of them go on with, and what one has read by strong
  // reads is there for the fence of any other. What they did themselves it does not order, that takes a bar.warp.sync;
  // but a warp comes to it as a whole.
  static void pass_on(BlockOrder& block, u32 warp, u32 lanes);
  // Whether a thread took part in one, with that lane of its warp, since the lane did something at that time.
  static bool has_exchanged(const BlockOrder& block, u32 thread, u32 lane, u32 time) {
    const ThreadOrder& it = block.threads[thread];
    return ((it.exchanged_lanes >> lane) & 1u) && time <= it.exchanged_time;
  }
  // All threads of the block that are left know of each other.
  static void meet(BlockOrder& block);
  // A named barrier: lanes that arrive publish what they did; those that wait know of it when it opens.
  static void arrive(BlockOrder& block, u32 barrier, u32 warp, u32 lanes);
  static void leave(BlockOrder& block, u32 barrier, u32 warp, u32 lanes);
  static void open(BlockOrder& block, u32 barrier) { block.arrived[barrier].clear(); }

  // Counts changes of memory: who waits for one looks again when there was another.
  u64 version = 1;
  // And slices of work that somebody used up without waiting.
  u64 slices = 0;
  // Instructions that synchronised so far, and until how many hands change at each.
  u64 synchronised = 0, eager_until = 0;
  bool is_eager() const { return synchronised < eager_until; }
  u64 seed = 0;  // not 0: it draws at which of them
  bool changes_hands() const { return is_eager() && (seed == 0 || (mix(seed ^ synchronised) & 1u)); }
  bool turns_warps = false;  // see Schedule
  // In which order the warps of a block take their turns: the last bit says whether backwards, the others from which
  // on.
  u64 draw_turns() const { return !turns_warps || !is_eager() ? 0 : seed == 0 ? 1 : mix(seed ^ ~synchronised) >> 32; }
  // Whether some that synchronise are held then (Stop::Held), and whether this one is.
  bool holds = false;
  bool holds_this() const { return holds && mix(seed ^ synchronised) % 8 == 0; }

 private:
  std::unordered_map<u64, Published>& published(BlockOrder& block, bool is_shared) {
    return is_shared ? block.published : published_;
  }

  std::vector<bool>::reference bit_of(u64 location) { return written_[mix(location) % written_.size()]; }
  bool bit_of(u64 location) const { return written_[mix(location) % written_.size()]; }

  std::vector<bool> written_ = std::vector<bool>(u64(1) << 20);
  std::vector<Writer> writers_ = std::vector<Writer>(1024);  // locations that threads wait for are few
  std::unordered_map<u64, Published> published_;             // in global memory, by address
  u64 chains_ = 0;
  std::vector<Footprints> global_;  // by window
};

}  // namespace ropewalk::machine::order
