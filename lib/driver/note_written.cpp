#include "lib/driver/note_written.h"

#include <algorithm>
#include <cstring>

namespace ropewalk::driver {

namespace {

constexpr u64 fresh = ~u64(0);
constexpr u64 part_bytes = 512;  // that are looked at together: 64 words, 8 words of bits

bool is_fresh(const std::byte* part) {
  u64 all = fresh;
  for (u64 n = 0; n < part_bytes / 8; ++n) {
    u64 word;
    std::memcpy(&word, part + 8 * n, 8);
    all &= word;
  }
  return all == fresh;
}

// The bits of up to 8 bytes; those that are missing count as fresh.
u8 after(u64 word, u8 bits, u8 all) {
  for (u32 byte = 0; byte < 8; ++byte) {
    if ((word >> (8 * byte) & 0xff) != 0xff && !(bits >> byte & 1)) return all;
  }
  return bits;
}

}  // namespace

bool note_written(const std::byte* data, u64 bytes, u64* written) {
  u8* const bits = reinterpret_cast<u8*>(written);
  bool all_written = true;
  for (u64 first = 0; first < bytes; first += part_bytes) {
    const u64 last = std::min(first + part_bytes, bytes);
    const bool is_known = last - first == part_bytes && std::all_of(written + first / 64, written + last / 64,
                                                                    [](u64 word) { return word == fresh; });
    if (is_known) continue;
    if (last - first == part_bytes && is_fresh(data + first)) {
      all_written = false;
      continue;
    }
    for (u64 at = first; at < last; at += 8) {
      u64 word = fresh;
      std::memcpy(&word, data + at, std::min<u64>(8, last - at));
      const u8 all = u8(0xff >> (8 - std::min<u64>(8, last - at)));
      bits[at / 8] = after(word, bits[at / 8], all);
      all_written &= (bits[at / 8] & all) == all;
    }
  }
  return all_written;
}

}  // namespace ropewalk::driver
