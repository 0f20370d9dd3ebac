// Bitmaps of one bit a byte, kept in 64-bit words: which bytes of a tensor were initialised or written.
#pragma once
#include "lib/base/types.h"

namespace ropewalk {

// Mask with the bits [first, last) of one word set; 0 <= first < last <= 64.
inline u64 bit_range(u32 first, u32 last) { return (~u64(0) >> (64 - (last - first))) << first; }

// A word that another thread may change meanwhile: at the edges of a range it owns other bits of it (see set_bits), and
// where a kernel's blocks race, the same.
inline u64 shared_word(const u64* words, u64 n) { return __atomic_load_n(&words[n], __ATOMIC_RELAXED); }

// Whether every bit of [first, last) is set.
inline bool all_bits(const u64* words, u64 first, u64 last) {
  if (first >= last) return true;
  const u64 low = first / 64, high = (last - 1) / 64;
  const u32 from = u32(first % 64), to = u32((last - 1) % 64) + 1;
  if (low == high) {
    const u64 mask = bit_range(from, to);
    return (shared_word(words, low) & mask) == mask;
  }
  u64 missing = ~shared_word(words, low) & bit_range(from, 64);
  for (u64 i = low + 1; i < high && !missing; ++i) missing = ~shared_word(words, i);
  return missing == 0 && (~shared_word(words, high) & bit_range(0, to)) == 0;
}

// Whether any bit of [first, last) is set.
inline bool any_bit(const u64* words, u64 first, u64 last) {
  if (first >= last) return false;
  const u64 low = first / 64, high = (last - 1) / 64;
  const u32 from = u32(first % 64), to = u32((last - 1) % 64) + 1;
  if (low == high) return (shared_word(words, low) & bit_range(from, to)) != 0;
  u64 found = shared_word(words, low) & bit_range(from, 64);
  for (u64 i = low + 1; i < high && !found; ++i) found = shared_word(words, i);
  return found != 0 || (shared_word(words, high) & bit_range(0, to)) != 0;
}

// How many bits are set in `count` words, without the instruction that not every processor has.
inline u64 count_bits(const u64* words, u64 count) {
  u64 sum = 0;
  for (u64 i = 0; i < count; ++i) {
    u64 word = words[i];
    word -= (word >> 1) & 0x5555555555555555ull;
    word = (word & 0x3333333333333333ull) + ((word >> 2) & 0x3333333333333333ull);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0full;
    sum += (word * 0x0101010101010101ull) >> 56;
  }
  return sum;
}

// Sets the bits [first, last). Words that lie wholly inside are stored; the words at the edges are changed atomically,
// because two blocks on two threads may own the two sides of an edge.
inline void set_bits(u64* words, u64 first, u64 last) {
  if (first >= last) return;
  const u64 low = first / 64, high = (last - 1) / 64;
  const u32 from = u32(first % 64), to = u32((last - 1) % 64) + 1;
  const auto edge = [&](u64 word, u64 mask) {
    if (mask == ~u64(0)) {
      __atomic_store_n(&words[word], mask, __ATOMIC_RELAXED);
    } else if ((shared_word(words, word) & mask) != mask) {
      __atomic_fetch_or(&words[word], mask, __ATOMIC_RELAXED);
    }
  };
  if (low == high) return edge(low, bit_range(from, to));
  edge(low, bit_range(from, 64));
  for (u64 i = low + 1; i < high; ++i) __atomic_store_n(&words[i], ~u64(0), __ATOMIC_RELAXED);
  edge(high, bit_range(0, to));
}

inline void clear_bits(u64* words, u64 first, u64 last) {
  for (u64 bit = first; bit < last;) {
    const u32 from = u32(bit % 64);
    const u64 end = (bit / 64 + 1) * 64 < last ? (bit / 64 + 1) * 64 : last;
    __atomic_fetch_and(&words[bit / 64], ~bit_range(from, from + u32(end - bit)), __ATOMIC_RELAXED);
    bit = end;
  }
}

}  // namespace ropewalk
