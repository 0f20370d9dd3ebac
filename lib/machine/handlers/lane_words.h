// SomeWords of the lanes of a warp in vectors of the instruction set's own width: whether lanes agree is asked of every
// access. Wider ones, which the compiler takes apart, go through memory.
#pragma once
#if defined __AVX512F__ || defined __AVX2__
#include <immintrin.h>
#endif

#include "lib/machine/context.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

#if defined __AVX512F__
constexpr u32 vector_bytes = 64;
#elif defined __AVX2__
constexpr u32 vector_bytes = 32;
#else
constexpr u32 vector_bytes = 16;
#endif

template <class Word>
struct VectorOf {
  typedef Word Type __attribute__((vector_size(vector_bytes), aligned(1), may_alias));
};

// A vector of words, or of bytes of any kind.
template <class Word>
using Vector = typename VectorOf<Word>::Type;

template <class Word>
[[gnu::always_inline]] inline Vector<Word> load_vector(const void* from) {
  Vector<Word> out;
  __builtin_memcpy(&out, from, vector_bytes);
  return out;
}

// The same as memcpy, which the compiler turns into a string instruction where it takes the path for a rare one.
template <u32 bytes>
[[gnu::always_inline]] inline void copy_row(void* to, const void* from) {
  static_assert(bytes % vector_bytes == 0);
  for (u32 at = 0; at < bytes; at += vector_bytes) {
    const Vector<u8> some = load_vector<u8>(static_cast<const u8*>(from) + at);
    __builtin_memcpy(static_cast<u8*>(to) + at, &some, vector_bytes);
  }
}

[[gnu::always_inline]] inline bool any_set(Vector<u64> words) {
#if defined __AVX512F__
  return _mm512_test_epi64_mask(__m512i(words), __m512i(words)) != 0;
#elif defined __AVX2__
  return !_mm256_testz_si256(__m256i(words), __m256i(words));
#else
  return (words[0] | words[1]) != 0;
#endif
}

// So many words in vectors, one after the other.
template <class Word, u32 count>
struct SomeWords {
  static constexpr u32 at_once = vector_bytes / sizeof(Word), vectors = count / at_once;
  Vector<Word> part[vectors];

  static SomeWords load(const Word* from) {
    SomeWords out;
    for (u32 p = 0; p < vectors; ++p) out.part[p] = load_vector<Word>(from + p * at_once);
    return out;
  }
  // Word i is i * step; step is a power of two, or 0.
  static SomeWords ramp(Word step) {
    alignas(64) constexpr Word numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    static_assert(at_once <= std::size(numbers));
    const Vector<Word> first = load_vector<Word>(numbers) * step;
    SomeWords out;
    for (u32 p = 0; p < vectors; ++p) out.part[p] = first + Word(p * at_once * step);
    return out;
  }
  // What the words are apart from those of a ramp that starts there: 0 where they are the same.
  Vector<u64> apart(const SomeWords& ramp, Word start) const {
    Vector<u64> out{};
    for (u32 p = 0; p < vectors; ++p) out |= Vector<u64>(part[p] ^ (ramp.part[p] + start));
    return out;
  }
  bool operator==(const SomeWords& other) const { return !any_set(apart(other, 0)); }
};

using EightWords = SomeWords<u64, 8>;
using LaneWords = SomeWords<u32, lanes_per_warp>;

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
