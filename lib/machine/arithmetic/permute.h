// Byte permutation (PTX ISA: prmt). The eight source bytes are those of a (0 to 3) and b (4 to 7).
#pragma once
#include "lib/machine/arithmetic/lane.h"

namespace ropewalk::machine::arithmetic {

// Byte number `index` of the result: selected by the low three bits of its nibble; the nibble's fourth bit asks for
// eight copies of the byte's sign instead.
RW_LANE u32 permuted_byte(u64 bytes, u32 selector, u32 index) {
  const u32 nibble = selector >> (4 * index);
  const u32 byte = u32(bytes >> (8 * (nibble & 7u))) & 0xffu;
  const u32 sign = byte & 0x80u ? 0xffu : 0u;
  return (nibble & 8u ? sign : byte) << (8 * index);
}

// prmt.b32 without a mode: four nibbles of c select the bytes.
struct Prmt {
  RW_THREE_OPERANDS(u32);
  RW_LANE u32 apply(u32 a, u32 b, u32 c) {
    const u64 bytes = u64(b) << 32 | a;
    return permuted_byte(bytes, c, 0) | permuted_byte(bytes, c, 1) | permuted_byte(bytes, c, 2) |
           permuted_byte(bytes, c, 3);
  }
};

// The modes that need only the low two bits of c; each nibble of an entry is the source byte for that index.
enum class PermuteMode { F4e, B4e, Rc8, Ecl, Ecr, Rc16 };

// Selectors for c = 0 (lowest 16 bits) to c = 3, as in the manual's table.
template <PermuteMode Mode>
constexpr u64 permute_selectors() {
  switch (Mode) {
    case PermuteMode::F4e:
      return 0x6543'5432'4321'3210u;  // a window moving up through b:a
    case PermuteMode::B4e:
      return 0x0123'7012'6701'5670u;  // the same, moving down
    case PermuteMode::Rc8:
      return 0x3333'2222'1111'0000u;  // one byte everywhere
    case PermuteMode::Ecl:
      return 0x3333'3222'3211'3210u;  // lower indices clamped to the byte
    case PermuteMode::Ecr:
      return 0x3210'2210'1110'0000u;  // upper indices clamped to the byte
    case PermuteMode::Rc16:
      return 0x3232'1010'3232'1010u;  // one half everywhere
  }
  return 0;
}

template <PermuteMode Mode>
struct PrmtMode {
  RW_THREE_OPERANDS(u32);
  RW_LANE u32 apply(u32 a, u32 b, u32 c) {
    return Prmt::apply(a, b, u32(permute_selectors<Mode>() >> (16 * (c & 3u))) & 0xffffu);
  }
};

}  // namespace ropewalk::machine::arithmetic
