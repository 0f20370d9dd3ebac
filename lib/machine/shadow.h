// What the careful tier knows of the registers besides their values.
#pragma once
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/machine/program.h"

namespace ropewalk::machine {

// Why a value is not to be trusted.
enum Taint : u8 {
  clean = 0,
  poisoned = 1,          // comes from an access that was reported: its spreading is not reported again
  undefined = 2,         // nobody wrote it, or what it was made of: a finding only where it matters
  overflowed = 4,        // exact arithmetic gives another value than these 32 bits read as signed
  wrong_address = 16     // 64 bits extended from 32 that had overflowed
};

// What is known of one value besides its bits. `source` says of an undefined one where it comes from (see unwritten.h).
struct Mark {
  u8 taint = clean;
  u32 source = 0;
};

// Lanes that took a branch on what nobody wrote, until its ways meet (see doubt.h).
struct Doubt {
  u32 step = 0;  // the branch
  u32 join = 0;  // the operation where the ways meet
  std::array<u32, max_warps * lanes_per_warp> sources{};
  u32 lanes[max_warps] = {};
};
struct BranchRegion {
  bool only_computes = true;
  std::vector<u32> written;  // values that a step between the branch and the join writes
};

struct Shadow {
  Shadow(const Program& program, bool track_origins);

  u8* taint(u32 value, u32 warp) { return taints.data() + (std::size_t(value) * program.warps + warp) * lanes_per_warp; }
  u64 cell(u32 value, u32 warp, u32 lane) const {
    return (u64(value) * program.warps + warp) * lanes_per_warp + lane;
  }
  // Marks a value and remembers that something is marked.
  void mark(u32 value, u32 warp, u32 lane, u8 bits) {
    taint(value, warp)[lane] |= bits;
    any = true;
  }
  Mark mark_of(u32 value, u32 warp, u32 lane) const {
    const u64 at = cell(value, warp, lane);
    return {taints[at], (taints[at] & undefined) ? sources[at] : 0};
  }
  void set(u32 value, u32 warp, u32 lane, Mark mark) {
    const u64 at = cell(value, warp, lane);
    taints[at] = mark.taint;
    if (mark.taint) any = true;
    if (!(mark.taint & undefined)) return;
    if (sources.empty()) sources.assign(taints.size(), 0);
    sources[at] = mark.source;
  }

  const Program& program;
  std::vector<u8> taints;  // by value, warp and lane
  bool any = false;        // some taint was set: until then nothing is propagated
  std::vector<u32> sources;  // of undefined values, by value, warp and lane; empty: there are none
  std::vector<Doubt> doubts;
  std::unordered_map<u32, BranchRegion> regions;  // by branch, of those that were in doubt
  // By cell: the exact value of 32-bit arithmetic that overflowed, and the step where.
  struct Exact { i64 value = 0; u32 step = 0; };
  std::unordered_map<u64, Exact> exact;
  // By value, warp and lane: where a NaN or infinity was made out of numbers (see nonfinite.h). Empty: not asked for.
  std::vector<u64> origins;
};

}  // namespace ropewalk::machine
