// How the addresses of a warp lie: what the fast tier's memory handlers have in common.
#pragma once
#include "lib/base/bits.h"
#include "lib/machine/handlers/fast_access.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

[[gnu::always_inline]] inline const FastAccess& access_of(const Op* op) {
  return *static_cast<const FastAccess*>(op->extra);
}

// Stops the context before the operation: the careful tier runs it.
[[gnu::noinline]] inline const Op* stop_careful(Context& context, const Op* op) {
  context.stop = Stop::Careful;
  context.op = op;
  return nullptr;
}

// The lanes' addresses of one warp, with the offset added.
[[gnu::always_inline]] inline void load_addresses(const Context& context, const FastAccess& access, u32 warp, u64* to) {
  if (access.absolute) {
    for (u32 i = 0; i < lanes_per_warp; ++i) to[i] = u64(access.offset);
    return;
  }
  const std::byte* from = context.registers + access.address + warp * access.address_pitch;
  if (access.narrow) {
    const u32* addresses = reinterpret_cast<const u32*>(from);
    const u32 offset = u32(access.offset);
    for (u32 i = 0; i < lanes_per_warp; ++i) to[i] = u32(addresses[i] + offset);
  } else {
    const u64* addresses = reinterpret_cast<const u64*>(from);
    const u64 offset = u64(access.offset);
    for (u32 i = 0; i < lanes_per_warp; ++i) to[i] = addresses[i] + offset;
  }
}

// Whether active lanes lie side by side: lane i at base + i * width. Lanes that are not active do not count.
[[gnu::always_inline]] inline bool contiguous(const u64* addresses, u32 bits, u64 width, u64& base) {
  const u32 first = u32(__builtin_ctz(bits));
  base = addresses[first] - first * width;
  u64 difference = 0;
  if (bits == 0xffffffffu) {
    for (u32 i = 0; i < lanes_per_warp; ++i) difference |= addresses[i] ^ (base + i * width);
  } else {
    for (u32 i = 0; i < lanes_per_warp; ++i) {
      const u64 wanted = 0 - u64((bits >> i) & 1u);
      difference |= (addresses[i] ^ (base + i * width)) & wanted;
    }
  }
  return difference == 0;
}

// Bytes between an element in memory and the register that takes or gives it.
[[gnu::always_inline]] inline u64 widened(const std::byte* from, u32 bytes, bool sign_extend) {
  u64 bits = 0;
  switch (bytes) {
    case 1: { u8 v; __builtin_memcpy(&v, from, 1); bits = sign_extend ? u64(i64(i8(v))) : v; break; }
    case 2: { u16 v; __builtin_memcpy(&v, from, 2); bits = sign_extend ? u64(i64(i16(v))) : v; break; }
    case 4: { u32 v; __builtin_memcpy(&v, from, 4); bits = sign_extend ? u64(i64(i32(v))) : v; break; }
    default: __builtin_memcpy(&bits, from, 8); break;
  }
  return bits;
}

// Puts what lies at data[lane * pitch] into the registers of the active lanes.
template <class Element>
[[gnu::always_inline]] inline void take_lanes(const std::byte* data, u64 pitch, Element* to, u32 bits, const u8* lanes) {
  if (bits == 0xffffffffu) {
    if (pitch == sizeof(Element)) {
      __builtin_memcpy(to, data, sizeof(Element) * lanes_per_warp);
      return;
    }
    for (u32 i = 0; i < lanes_per_warp; ++i) __builtin_memcpy(&to[i], data + i * pitch, sizeof(Element));
    return;
  }
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    if (lanes[i]) __builtin_memcpy(&to[i], data + i * pitch, sizeof(Element));
  }
}

// Vectors of elements whose registers have the same size: the distances are known when this is compiled, so that it
// becomes permutations.
template <class Element, u32 count>
[[gnu::always_inline]] inline bool take_vectors(Context& context, const FastAccess& access, u32 warp, const std::byte* data) {
  if (context.bits[warp] != 0xffffffffu) return false;
  const Element* from = reinterpret_cast<const Element*>(data);
  for (u32 n = 0; n < count; ++n) {
    if (access.value_bytes[n] == 0) continue;
    if (access.value_bytes[n] != sizeof(Element)) return false;
    Element* to = reinterpret_cast<Element*>(context.registers + access.value[n] + warp * access.value_pitch[n]);
#pragma GCC ivdep
    for (u32 i = 0; i < lanes_per_warp; ++i) to[i] = from[i * count + n];
  }
  return true;
}

inline void take_elements(Context& context, const FastAccess& access, u32 warp, const std::byte* data, u64 pitch) {
  const u32 bits = context.bits[warp];
  const u8* lanes = context.lanes + warp * lanes_per_warp;
  if (access.count > 1 && pitch == u64(access.element_bytes) * access.count) {
    bool done = false;
    switch (access.element_bytes * 16 + access.count) {
      case 2 * 16 + 2: done = take_vectors<u16, 2>(context, access, warp, data); break;
      case 2 * 16 + 4: done = take_vectors<u16, 4>(context, access, warp, data); break;
      case 4 * 16 + 2: done = take_vectors<u32, 2>(context, access, warp, data); break;
      case 4 * 16 + 4: done = take_vectors<u32, 4>(context, access, warp, data); break;
      case 8 * 16 + 2: done = take_vectors<u64, 2>(context, access, warp, data); break;
      default: break;
    }
    if (done) return;
  }
  for (u32 n = 0; n < access.count; ++n) {
    if (access.value_bytes[n] == 0) continue;
    std::byte* to = context.registers + access.value[n] + warp * access.value_pitch[n];
    const std::byte* from = data + n * access.element_bytes;
    if (access.value_bytes[n] == access.element_bytes) {
      switch (access.element_bytes) {
        case 2: take_lanes(from, pitch, reinterpret_cast<u16*>(to), bits, lanes); continue;
        case 4: take_lanes(from, pitch, reinterpret_cast<u32*>(to), bits, lanes); continue;
        case 8: take_lanes(from, pitch, reinterpret_cast<u64*>(to), bits, lanes); continue;
        default: break;
      }
    }
    for (u32 i = 0; i < lanes_per_warp; ++i) {
      if (!lanes[i]) continue;
      const u64 value = widened(from + i * pitch, access.element_bytes, access.sign_extend);
      __builtin_memcpy(to + i * access.value_bytes[n], &value, access.value_bytes[n]);
    }
  }
}

template <class Element, u32 count>
[[gnu::always_inline]] inline bool give_vectors(const Context& context, const FastAccess& access, u32 warp, std::byte* data) {
  Element* to = reinterpret_cast<Element*>(data);
  for (u32 n = 0; n < count; ++n) {
    if (access.value_bytes[n] != sizeof(Element)) return false;
    const Element* from = reinterpret_cast<const Element*>(context.registers + access.value[n] + warp * access.value_pitch[n]);
#pragma GCC ivdep
    for (u32 i = 0; i < lanes_per_warp; ++i) to[i * count + n] = from[i];
  }
  return true;
}

// The bytes that lane i stores, at to[i * element_bytes * count].
inline void give_elements(const Context& context, const FastAccess& access, u32 warp, std::byte* to) {
  const u32 width = access.element_bytes * access.count;
  bool done = false;
  switch (access.element_bytes * 16 + access.count) {
    case 2 * 16 + 1: done = give_vectors<u16, 1>(context, access, warp, to); break;
    case 2 * 16 + 2: done = give_vectors<u16, 2>(context, access, warp, to); break;
    case 2 * 16 + 4: done = give_vectors<u16, 4>(context, access, warp, to); break;
    case 4 * 16 + 1: done = give_vectors<u32, 1>(context, access, warp, to); break;
    case 4 * 16 + 2: done = give_vectors<u32, 2>(context, access, warp, to); break;
    case 4 * 16 + 4: done = give_vectors<u32, 4>(context, access, warp, to); break;
    case 8 * 16 + 1: done = give_vectors<u64, 1>(context, access, warp, to); break;
    case 8 * 16 + 2: done = give_vectors<u64, 2>(context, access, warp, to); break;
    default: break;
  }
  if (done) return;
  for (u32 n = 0; n < access.count; ++n) {
    const std::byte* from = context.registers + access.value[n] + warp * access.value_pitch[n];
    for (u32 i = 0; i < lanes_per_warp; ++i) {
      __builtin_memcpy(to + i * width + n * access.element_bytes, from + i * access.value_bytes[n], access.element_bytes);
    }
  }
}

// body(first lane, lanes) for every run of neighbouring active lanes.
template <class Body>
[[gnu::always_inline]] inline void for_runs(u32 bits, Body body) {
  while (bits) {
    const u32 first = u32(__builtin_ctz(bits));
    const u32 rest = bits >> first;
    const u32 length = rest == 0xffffffffu ? 32 : u32(__builtin_ctz(~rest));
    body(first, length);
    bits = first + length >= 32 ? 0 : bits & (~u32(0) << (first + length));
  }
}

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
