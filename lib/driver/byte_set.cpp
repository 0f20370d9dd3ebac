#include "lib/driver/byte_set.h"

#include <algorithm>
#include <bit>

#include "lib/base/bits.h"

namespace ropewalk::driver {

ByteSet ByteSet::of_bits(const u64* words, u64 bytes) {
  ByteSet out;
  for (u64 word = 0; words && word < (bytes + 63) / 64; ++word) {
    if (words[word]) out.add_words(word, 1, words[word]);
  }
  return out;
}

void ByteSet::add_words(u64 first, u64 count, u64 bits) {
  if (!count) return;
  if (!runs_.empty() && runs_.back().end() > first) {
    Run& last = runs_.back();  // they share a word
    const u64 both = last.bits | bits;
    if (--last.count == 0) runs_.pop_back();
    add_words(first, 1, both);
    return add_words(first + 1, count - 1, bits);
  }
  if (!runs_.empty() && runs_.back().end() == first && runs_.back().bits == bits)
    runs_.back().count += count;
  else
    runs_.push_back({first, count, bits});
}

void ByteSet::add(u64 first, u64 last) {
  if (first >= last) return;
  const u64 low = first / 64, high = (last - 1) / 64;
  const u32 from = u32(first % 64), to = u32((last - 1) % 64) + 1;
  if (low == high) return add_words(low, 1, bit_range(from, to));
  add_words(low, 1, bit_range(from, 64));
  add_words(low + 1, high - low - 1, ~u64(0));
  add_words(high, 1, bit_range(0, to));
}

bool ByteSet::has_all(const ByteSet& other) const {
  auto mine = runs_.begin();
  for (const Run& theirs : other.runs_) {
    for (u64 word = theirs.first; word < theirs.end(); word = mine->end()) {
      while (mine != runs_.end() && mine->end() <= word) ++mine;
      if (mine == runs_.end() || mine->first > word || (theirs.bits & ~mine->bits)) return false;
    }
  }
  return true;
}

ByteSet ByteSet::united(const ByteSet& other) const {
  ByteSet out;
  auto mine = runs_.begin(), theirs = other.runs_.begin();
  u64 word = 0;  // all before is done
  while (mine != runs_.end() || theirs != other.runs_.end()) {
    const auto next = [&](auto run, auto last) { return run == last ? ~u64(0) : std::max(run->first, word); };
    const u64 a = next(mine, runs_.end()), b = next(theirs, other.runs_.end());
    const bool both = a == b;
    const Run& first = a <= b ? *mine : *theirs;
    const u64 end = both ? std::min(mine->end(), theirs->end()) : std::min(first.end(), std::max(a, b));
    word = std::min(a, b);
    out.add_words(word, end - word, both ? mine->bits | theirs->bits : first.bits);
    word = end;
    if (mine != runs_.end() && mine->end() <= word) ++mine;
    if (theirs != other.runs_.end() && theirs->end() <= word) ++theirs;
  }
  return out;
}

std::optional<ByteRange> ByteSet::overlap(const ByteSet& other) const {
  std::optional<ByteRange> out;
  auto mine = runs_.begin(), theirs = other.runs_.begin();
  while (mine != runs_.end() && theirs != other.runs_.end()) {
    const u64 first = std::max(mine->first, theirs->first), end = std::min(mine->end(), theirs->end());
    const u64 bits = mine->bits & theirs->bits;
    if (first < end && bits) {
      if (!out) out = ByteRange{first * 64 + u64(std::countr_zero(bits)), 0};
      out->last = end * 64 - u64(std::countl_zero(bits));
    }
    ++(mine->end() < theirs->end() ? mine : theirs);
  }
  return out;
}

}  // namespace ropewalk::driver
