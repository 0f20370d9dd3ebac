// Arithmetic on integers of which some bits are not known: which bits of the result are not known either. What is
// claimed to be known is so whatever the unknown bits are; the converse holds for most operations, for others in most
// cases.
#pragma once
#include "lib/base/types.h"

namespace ropewalk::machine {

// A number in the low bits of a word. Unknown bits of `value` have the values that they have in this run.
struct KnownBits {
  u64 value = 0;
  u64 unknown = 0;

  u64 least() const { return value & ~unknown; }  // as an unsigned number
  u64 most() const { return value | unknown; }
  bool is_known() const { return unknown == 0; }
  bool is_zero() const { return (value | unknown) == 0; }
};

constexpr u64 bits_mask(u32 bits) { return bits >= 64 ? ~u64(0) : (u64(1) << bits) - 1; }
// The bits in which numbers between these two may differ: from their highest difference down.
u64 between(u64 low, u64 high);
KnownBits truncated(KnownBits a, u32 bits);
KnownBits extended(KnownBits a, u32 from_bits, bool is_signed);
// With the sign bit turned over signed numbers are in the order of unsigned ones.
KnownBits in_order(KnownBits a, u32 bits, bool is_signed);

// The carry is 0 or 1. `carry_out`: the carry of the sum, where it is asked for.
KnownBits sum(KnownBits a, KnownBits b, KnownBits carry, u32 bits, KnownBits* carry_out = nullptr);
KnownBits difference(KnownBits a, KnownBits b, u32 bits);
KnownBits product(KnownBits a, KnownBits b, u32 bits);
// The upper half of the product of twice as many bits.
KnownBits high_product(KnownBits a, KnownBits b, u32 bits, bool is_signed);
KnownBits quotient(KnownBits a, KnownBits b, u32 bits, bool is_signed);
KnownBits remainder(KnownBits a, KnownBits b, u32 bits, bool is_signed);
KnownBits least(KnownBits a, KnownBits b, u32 bits, bool is_signed);
KnownBits greatest(KnownBits a, KnownBits b, u32 bits, bool is_signed);
// a where c is not 0, else b; c is one bit.
KnownBits chosen(KnownBits a, KnownBits b, KnownBits c);
// The bit (a << 2 | b << 1 | c) of the table at each bit position.
KnownBits logic(u8 table, KnownBits a, KnownBits b, KnownBits c, u32 bits);

}  // namespace ropewalk::machine
