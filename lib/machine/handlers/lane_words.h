// A word of each lane of a warp, as a value: whether lanes agree is asked of every load.
#pragma once
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "lib/machine/context.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

struct LaneWords {
  typedef u32 Half __attribute__((vector_size(64), aligned(4), may_alias));
  Half low, high;

  static LaneWords load(const u32* from) {
    LaneWords out;
    __builtin_memcpy(&out.low, from, sizeof(Half));
    __builtin_memcpy(&out.high, from + 16, sizeof(Half));
    return out;
  }
  // Lane i has start + i * step; step is a power of two, or 0.
  static LaneWords ramp(u32 start, u32 step) {
    constexpr Half lanes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const Half apart = lanes * step;
    return {apart + start, apart + (start + 16 * step)};
  }
  bool operator==(const LaneWords& other) const {
    const Half apart = (low ^ other.low) | (high ^ other.high);
#ifdef __AVX512F__
    return _mm512_test_epi32_mask(__m512i(apart), __m512i(apart)) == 0;
#else
    u64 parts[8], any = 0;
    __builtin_memcpy(parts, &apart, sizeof parts);
    for (const u64 part : parts) any |= part;
    return any == 0;
#endif
  }
};

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
