// Words of the lanes of a warp in vectors: whether lanes agree is asked of every load.
#pragma once
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "lib/machine/context.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

// Eight addresses, or what they differ by.
typedef u64 EightWords __attribute__((vector_size(64), aligned(8), may_alias));

[[gnu::always_inline]] inline bool any_set(EightWords words) {
#ifdef __AVX512F__
  return _mm512_test_epi64_mask(__m512i(words), __m512i(words)) != 0;
#else
  words |= __builtin_shufflevector(words, words, 4, 5, 6, 7, 0, 1, 2, 3);
  words |= __builtin_shufflevector(words, words, 2, 3, 0, 1, 6, 7, 4, 5);
  return (words[0] | words[1]) != 0;
#endif
}

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
    return !any_set(EightWords((low ^ other.low) | (high ^ other.high)));
  }
};

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
