// What the careful tier knows of the registers besides their values.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/machine/program.h"

namespace ropewalk::machine {

// Why a value is not to be trusted.
enum Taint : u8 {
  clean = 0,
  poisoned = 1,       // some of it comes from an access that was reported: its spreading is not reported again
  undefined = 2,      // nobody wrote some of it, or what it was made of: a finding only where it matters
  overflowed = 4,     // exact arithmetic gives another value than these 32 bits read as signed
  reduced = 8,        // made of such a value by an operation that brings it back into range (see overflow.h)
  wrong_address = 16  // 64 bits extended from 32 that had overflowed
};
// The taints of numbers that wrapped.
constexpr u8 any_wrap = overflowed | reduced | wrong_address;

// Which bits of a value are not to be trusted, and where they come from: by byte, a source (see unwritten.h), which
// says of each whether nobody wrote it or whether it was reported.
struct Mark {
  u64 bits = 0;
  std::array<u32, 8> sources{};  // of bytes that have such a bit; else 0
  bool operator==(const Mark&) const = default;
};

// How far below and above the number that it has a number may lie of which not all is known (known_ranges.h). It is a
// multiple of `step` away; 0: it is this number.
struct Range {
  i64 below = 0, above = 0, step = 0;
};

// A value of a lane: its bits, which of them are not to be trusted, and its base (known_differences.h).
struct Known {
  u64 bits = 0;
  Mark mark;
  u32 base = 0;
  bool operator==(const Known&) const = default;
};

// Bytes of a lane's own memory before a store.
struct OwnBytes {
  u32 offset = 0, bytes = 0;
  std::array<std::byte, 8> held{};
};

// Bytes of a block's shared memory, or of a lane's own; `count` times, each `step` behind the one before.
struct BlockBytes {
  u32 first = 0, bytes = 0, step = 0, count = 1;
};

// Lanes that took a branch on what nobody wrote, until its ways meet (see doubt.h).
struct Doubt {
  u32 step = 0;  // the branch
  u32 join = 0;  // the operation where the ways meet
  std::array<u32, max_warps * lanes_per_warp> sources{};
  u32 lanes[max_warps] = {};
  // those of them that were sent the way on which something is done, or go their own, on which they may store,
  u32 watched[max_warps] = {};
  u32 reported[max_warps] = {};  // those of whom it is reported that what they did there counts,
  u32 diverted[max_warps] = {};  // those of them whose predicate says the other way: they go on with what that gives,
  // what they would know had they gone the other: by warp * lanes_per_warp + lane, in the order of region.written,
  std::unordered_map<u32, std::vector<Known>> otherwise;
  std::unordered_map<u32, std::vector<OwnBytes>> stored;  // and what diverted lanes stored over, oldest first
  // Where, of those that were not sent, either way may have stored to shared memory, and where they have stored to
  // their own: by the same number.
  std::unordered_map<u32, std::vector<BlockBytes>> maybe_stored, own_stored;
};

struct BranchRegion {
  bool only_computes = true;  // or stores
  bool repeats = false;       // a way from the branch leads to it again
  // One of the ways does nothing, or only moves values, as compilers have it where ways meet: the value of the branch's
  // predicate by which a lane goes the other one, and the moves (to, from) in their order.
  std::optional<bool> goes_in;
  std::vector<std::pair<u32, u32>> moves;
  std::vector<u32> written;       // values that a step between the branch and the join writes
  std::vector<u32> stores;        // steps between them that store, or may
  bool targets_are_known = true;  // before the branch
  bool may_stay_in_block = true;  // they may all store to memory that is the block's or the lane's own
};

struct Shadow {
  Shadow(const Program& program, bool track_origins);
  // Whether nothing was noted since it was made.
  bool is_untouched() const {
    return !any && doubts.empty() && exact.empty() && origins.empty() && codes_.empty() && bases_.empty();
  }

  u8* taint(u32 value, u32 warp) {
    return taints.data() + (std::size_t(value) * program.warps + warp) * lanes_per_warp;
  }
  u64 cell(u32 value, u32 warp, u32 lane) const { return (u64(value) * program.warps + warp) * lanes_per_warp + lane; }
  // Whether one of these taints is on some lane of a value.
  bool has(u32 value, u32 warp, u8 bits) const;
  // Adds taints that are no marks, and remembers that something is marked.
  void add(u32 value, u32 warp, u32 lane, u8 bits) {
    taint(value, warp)[lane] |= bits;
    any = true;
  }
  Mark mark_of(u32 value, u32 warp, u32 lane) const;
  // Replaces everything that is known of a value by a mark, of which the bits count that the value has.
  void set(u32 value, u32 warp, u32 lane, const Mark& mark);
  // The same with all bits from one source.
  void set_whole(u32 value, u32 warp, u32 lane, u32 source);
  // Where a whole value comes from that is marked from one source; false: it is marked otherwise.
  bool is_whole(u32 value, u32 warp, u32 lane, u32& source) const;

  // Of a marked value: the base that it has (known_differences.h); 0: none yet, or it is not marked. What replaces the
  // mark takes the base away.
  u32 base(u32 value, u32 warp, u32 lane) const {
    const u64 at = cell(value, warp, lane);
    return bases_.empty() || !(taints[at] & (poisoned | undefined)) ? 0 : bases_[at];
  }
  void set_base(u32 value, u32 warp, u32 lane, u32 base);

  const Program& program;
  std::vector<u8> taints;  // by value, warp and lane
  bool any = false;        // some taint was set: until then nothing is propagated
  std::vector<Doubt> doubts;
  std::unordered_map<u32, BranchRegion> regions;  // by branch, of those that were in doubt
  // By cell: the exact value of 32-bit arithmetic that overflowed, the step where, and of a reduced value the step
  // where that overflowed which it is made of.
  struct Exact {
    i64 value = 0;  // of operands read as signed numbers
    u32 step = 0, root = 0;
    i64 without_sign = value;  // of operands read as unsigned ones
    bool is_unsigned = false;  // it was extended as one, which makes it without_sign
  };
  std::unordered_map<u64, Exact> exact;
  // A number that wrapped, or was made of one that did: overflowed, reduced or wrong_address, and its exact value.
  struct Wrap {
    u8 taints = clean;
    Exact exact;
  };
  Wrap wrap_of(u32 value, u32 warp, u32 lane) const;
  // Adds it to what is known of a value; of one that did not wrap: nothing.
  void add_wrap(u32 value, u32 warp, u32 lane, const Wrap& wrap);
  // By value, warp and lane: where a NaN or infinity was made out of numbers (see nonfinite.h). Empty: not asked for.
  std::vector<u64> origins;

 private:
  // By cell that is poisoned or undefined: the source of a whole value, or the number of a pattern. Empty: none is.
  std::vector<u32> codes_;
  std::vector<u32> bases_;  // by cell. Empty: none has one
  std::vector<Mark> patterns_;
  std::unordered_multimap<u64, u32> pattern_numbers_;  // by hash
};

}  // namespace ropewalk::machine
