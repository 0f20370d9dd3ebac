// What the careful tier knows of the registers besides their values.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/machine/program.h"

namespace ropewalk::machine {

// Why a value is not to be trusted.
enum Taint : u8 {
  clean = 0,
  poisoned = 1,          // comes from an access that was reported: its spreading is not reported again
  undefined = 2,         // comes from a register that nobody wrote
  overflowed = 4,        // exact arithmetic gives another value than these 32 bits read as signed
  wrong_address = 16     // 64 bits extended from 32 that had overflowed
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

  const Program& program;
  std::vector<u8> taints;  // by value, warp and lane
  bool any = false;        // some taint was set: until then nothing is propagated
  // By cell: the exact value of 32-bit arithmetic that overflowed, and the step where.
  struct Exact { i64 value = 0; u32 step = 0; };
  std::unordered_map<u64, Exact> exact;
  // By value, warp and lane: the step that made a NaN or infinity out of numbers, plus one. Empty: not asked for.
  std::vector<u32> origins;
};

}  // namespace ropewalk::machine
