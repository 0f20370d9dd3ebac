// The state of some warps of a block that run together, and of the block they belong to.
#pragma once
#include <unordered_set>
#include <vector>

#include "lib/machine/op.h"
#include "lib/machine/polled.h"

namespace ropewalk::machine {

constexpr u32 max_warps = 4;  // of one context
constexpr u32 lanes_per_warp = 32;

struct Block;
struct Program;
struct Shadow;
struct Window;
class Collector;

// Why a context stopped.
enum class Stop : u8 {
  Running,
  Barrier,  // arrived at a barrier, which is `op`
  Done,     // every thread has exited
  Careful,  // the fast tier could not prove the next operation innocent; `op` has not been run
  Lanes,    // a warp-wide operation needs lanes that are elsewhere; `op` has not been run
  Wait,     // read again what it had read, in vain; `op` is what follows
  Yield,    // synchronised, and others may go on first; `op` is what follows
  Held,     // synchronised, and goes on when all others wait; `op` is what follows
  Waiting,  // waits until memory changes
  Refused,  // an instruction that cannot be executed; the block's `refusal` says which
  Budget,   // too many instructions: an endless loop
  Trap      // trap or a failed device assertion ended the launch
};

// A divergence that is still open. Lanes that took one side run, the other side waits, and all go on together at
// `join`.
struct Divergence {
  u32 join = 0;     // operation where the sides meet
  u32 pending = 0;  // operation where the waiting side starts
  u32 pending_bits[max_warps] = {};
  u32 join_bits[max_warps] = {};  // lanes that go on at the join (those that exited meanwhile excepted)
  bool parked = false;            // the waiting side needs other lanes of its warp at `pending`
  // Lanes of a warp that had to go on alone, because others wait for what they do: they meet again where one comes to
  // what the other waits at, and have no join.
  static constexpr u32 nowhere = 0xffffffffu;
};

// Lanes that a warp-wide operation waited for.
struct Awaited {
  const Op* op = nullptr;
  u32 lanes[max_warps] = {};
};

// Aligned so that contexts of two threads share no cache line.
struct alignas(256) Context {
  alignas(64) u8 lanes[max_warps * lanes_per_warp] = {};  // 0xff where a lane is active
  u32 bits[max_warps] = {};                               // the same, a bit a lane
  std::byte* registers = nullptr;
  u32 warps = 0;         // warps of the group, whether owned by this context or not
  u32 first_thread = 0;  // number of lane 0 of warp 0 within the block
  u64 slices = 0;        // of the budget that are used up
  i64 budget = 0;        // counts down at backward branches, in instructions
  Stop stop = Stop::Running;
  const Op* op = nullptr;  // where to go on
  const Program* program = nullptr;
  Block* block = nullptr;
  Shadow* shadow = nullptr;  // of the careful tier
  u32 live[max_warps] = {};  // lanes of this context that have not exited
  std::vector<Divergence> open;
  const Window* windows = nullptr;      // of the launch's memory
  const u32* window_indices = nullptr;  // by number of the window
  u64 window_numbers = 0;
  const std::byte* parameters = nullptr;
  u64 parameter_bytes = 0;
  u64 local_bytes = 0;               // of a lane's local memory
  std::byte* local = nullptr;        // local memory of the group, interleaved by words
  u64* local_initialized = nullptr;  // a bit a byte of it
  // At a barrier:
  u32 barrier = 0;        // its number
  u32 barrier_count = 0;  // threads it waits for; 0: the whole block
  bool barrier_arrive_only = false;
  u32 barrier_step = 0;
  u32 arrived[max_warps] = {};  // lanes that came to it
  std::vector<Awaited> awaited;
  const Op* forced = nullptr;  // a warp-wide operation that runs without the lanes that never come
  u32 times_forced = 0;
  // Of somebody who waits for a change of memory:
  u64 poll = 0;                         // what the last strong read was, and what it read
  Polled polled;                        // and of those that were in vain, what it read by its first lane
  u64 wait_version = 0;                 // of memory (order::Order), when it began to wait,
  std::unordered_set<u64> wait_states;  // and the states that it has been in since
  u64 looked_at = 0;      // what it had come to when somebody looked whether it goes round, but for the time
  bool is_stuck = false;  // it came back to the same state: without a change it never goes on

  // Of an operation with a predicate while it runs: `bits` without that.
  const u32* around = nullptr;

  // The lanes of a warp that come to an operation together, whatever its predicate says.
  u32 together(u32 warp) const { return around ? around[warp] : bits[warp]; }
  bool all_active(u32 warp) const { return bits[warp] == 0xffffffffu; }
  u32 lane_count() const { return warps * lanes_per_warp; }
  // Makes `lanes` agree with `bits`.
  void unpack_mask() {
    for (u32 w = 0; w < warps; ++w) {
      for (u32 i = 0; i < 4; ++i) {
        // Eight bits to eight bytes: each byte keeps its own bit of the copy, and is then filled.
        const u64 kept = (u64(bits[w] >> (8 * i) & 0xff) * 0x0101010101010101ull) & 0x8040201008040201ull;
        const u64 ones = ((kept + 0x7f7f7f7f7f7f7f7full) >> 7 | kept >> 7) & 0x0101010101010101ull;
        const u64 filled = ones * 0xff;
        __builtin_memcpy(lanes + w * lanes_per_warp + 8 * i, &filled, 8);
      }
    }
  }
};

}  // namespace ropewalk::machine
