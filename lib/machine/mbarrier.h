// An mbarrier object in shared memory, as the machine keeps its 64 bits, which PTX leaves open (PTX ISA, mbarrier):
// bits 0 to 23 are the arrivals that are still missing in this phase, 24 to 47 those that a phase expects, bit 63 is
// the phase, 0 or 1.
#pragma once
#include "lib/base/types.h"

namespace ropewalk::machine::mbarrier {

constexpr u32 expected_bit = 24, phase_bit = 63;
constexpr u64 count_mask = (u64(1) << expected_bit) - 1;

constexpr u64 missing(u64 object) { return object & count_mask; }
constexpr u64 expected(u64 object) { return object >> expected_bit & count_mask; }
constexpr u64 phase(u64 object) { return object >> phase_bit; }

// After `count` arrivals, with which the phase may end. drops: they are expected no more.
constexpr u64 arrived(u64 object, u64 count, bool drops) {
  const u64 then = (expected(object) - (drops ? count : 0)) & count_mask, left = (missing(object) - count) & count_mask;
  return (left == 0 ? phase(object) ^ 1 : phase(object)) << phase_bit | then << expected_bit |
         (left == 0 ? then : left);
}

}  // namespace ropewalk::machine::mbarrier
