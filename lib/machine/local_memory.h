// Local memory of a group of warps: interleaved by words, so that lanes that access the same offset lie side by side.
#pragma once
#include "lib/base/bits.h"
#include "lib/machine/context.h"

namespace ropewalk::machine {

// Where the byte at `offset` of a lane's local memory lies.
inline u64 local_offset(const Context& context, u32 offset, u32 warp, u32 lane) {
  const u64 row = u64(context.lane_count()) * 4;
  return offset / 4 * row + (warp * lanes_per_warp + lane) * 4 + offset % 4;
}

// Calls body(byte, at, bytes) for each part of an access that lies in one word.
template <class Body>
void for_local_words(const Context& context, u32 offset, u32 warp, u32 lane, u32 bytes, Body body) {
  for (u32 at = 0; at < bytes;) {
    const u32 part = bytes - at < 4 - (offset + at) % 4 ? bytes - at : 4 - (offset + at) % 4;
    body(local_offset(context, offset + at, warp, lane), at, part);
    at += part;
  }
}

inline void local_load(const Context& context, u32 offset, u32 warp, u32 lane, std::byte* to, u32 bytes) {
  for_local_words(context, offset, warp, lane, bytes,
                  [&](u64 byte, u32 at, u32 part) { __builtin_memcpy(to + at, context.local + byte, part); });
}

inline void local_store(const Context& context, u32 offset, u32 warp, u32 lane, const std::byte* from, u32 bytes) {
  for_local_words(context, offset, warp, lane, bytes,
                  [&](u64 byte, u32 at, u32 part) { __builtin_memcpy(context.local + byte, from + at, part); });
}

inline bool local_initialized(const Context& context, u32 offset, u32 warp, u32 lane, u32 bytes) {
  bool all = true;
  for_local_words(context, offset, warp, lane, bytes,
                  [&](u64 byte, u32, u32 part) { all &= all_bits(context.local_initialized, byte, byte + part); });
  return all;
}

inline void mark_local(const Context& context, u32 offset, u32 warp, u32 lane, u32 bytes, bool initialized) {
  for_local_words(context, offset, warp, lane, bytes, [&](u64 byte, u32, u32 part) {
    if (initialized)
      set_bits(context.local_initialized, byte, byte + part);
    else
      clear_bits(context.local_initialized, byte, byte + part);
  });
}

}  // namespace ropewalk::machine
