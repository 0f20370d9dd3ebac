#include "lib/machine/known_bits.h"

#include <bit>

namespace ropewalk::machine {

namespace {

using Wide = unsigned __int128;

u32 trailing_zeros(u64 bits) { return u32(std::countr_zero(bits)); }

u64 sign_of(u32 bits) { return u64(1) << (bits - 1); }

i64 as_signed(u64 value, u32 bits) { return i64(value << (64 - bits)) >> (64 - bits); }

// A result of which nothing is known, unless all of the operands are.
KnownBits whole(u64 value, bool is_known, u32 bits) { return {value, is_known ? 0 : bits_mask(bits)}; }

}  // namespace

u64 between(u64 low, u64 high) {
  const u64 differing = low ^ high;
  return differing ? bits_mask(64 - u32(std::countl_zero(differing))) : 0;
}

KnownBits truncated(KnownBits a, u32 bits) { return {a.value & bits_mask(bits), a.unknown & bits_mask(bits)}; }

KnownBits extended(KnownBits a, u32 from_bits, bool is_signed) {
  a = truncated(a, from_bits);
  if (!is_signed) return a;
  return {u64(as_signed(a.value, from_bits)), u64(as_signed(a.unknown, from_bits))};
}

KnownBits in_order(KnownBits a, u32 bits, bool is_signed) {
  if (is_signed) a.value ^= sign_of(bits);
  return a;
}

// A bit of the sum is known where both bits are and the carry into it is: the carry is lowest with the least numbers
// and highest with the greatest.
KnownBits sum(KnownBits a, KnownBits b, KnownBits carry, u32 bits, KnownBits* carry_out) {
  const Wide low = Wide(a.least()) + b.least() + carry.least(), high = Wide(a.most()) + b.most() + carry.most();
  const u64 value = a.value + b.value + carry.value;
  if (carry_out) {
    const u64 out = u64((Wide(a.value) + b.value + carry.value) >> bits) & 1;
    *carry_out = {out, u64((low ^ high) >> bits) & 1};
  }
  return truncated({value, u64(low ^ high) | a.unknown | b.unknown}, bits);
}

KnownBits difference(KnownBits a, KnownBits b, u32 bits) {
  return sum(a, {~b.value & bits_mask(bits), b.unknown}, {1, 0}, bits);
}

KnownBits product(KnownBits a, KnownBits b, u32 bits) {
  const u64 value = a.value * b.value;
  if (a.is_zero() || b.is_zero()) return {0, 0};
  if (a.is_known() && b.is_known()) return truncated({value, 0}, bits);
  // An unknown bit n of a reaches no bit below n plus the zeros at the end of b.
  const u32 by_a = a.is_known() ? 64 : trailing_zeros(a.unknown) + trailing_zeros(b.most());
  const u32 by_b = b.is_known() ? 64 : trailing_zeros(b.unknown) + trailing_zeros(a.most());
  u64 unknown = ~bits_mask(by_a < by_b ? by_a : by_b);
  const Wide low = Wide(a.least()) * b.least(), high = Wide(a.most()) * b.most();
  if (high >> bits == 0) unknown &= between(u64(low), u64(high));
  return truncated({value, unknown}, bits);
}

KnownBits high_product(KnownBits a, KnownBits b, u32 bits, bool is_signed) {
  if (a.is_zero() || b.is_zero()) return {0, 0};
  if (bits <= 32) {
    const KnownBits wide = product(truncated(extended(a, bits, is_signed), 2 * bits),
                                   truncated(extended(b, bits, is_signed), 2 * bits), 2 * bits);
    return {wide.value >> bits, wide.unknown >> bits};
  }
  const u64 value = is_signed ? u64(__int128(i64(a.value)) * i64(b.value) >> 64) : u64(Wide(a.value) * b.value >> 64);
  if (is_signed && ((a.most() | b.most()) & sign_of(bits))) return whole(value, a.is_known() && b.is_known(), bits);
  return {value, between(u64(Wide(a.least()) * b.least() >> 64), u64(Wide(a.most()) * b.most() >> 64))};
}

KnownBits quotient(KnownBits a, KnownBits b, u32 bits, bool is_signed) {
  const bool is_known = a.is_known() && b.is_known();
  const bool may_be_negative = is_signed && ((a.most() | b.most()) & sign_of(bits)) != 0;
  if (is_known || may_be_negative || b.least() == 0) return whole(0, is_known, bits);
  return {a.value / b.value, between(a.least() / b.most(), a.most() / b.least())};
}

KnownBits remainder(KnownBits a, KnownBits b, u32 bits, bool is_signed) {
  const bool is_known = a.is_known() && b.is_known();
  const bool may_be_negative = is_signed && ((a.most() | b.most()) & sign_of(bits)) != 0;
  if (is_known || may_be_negative || b.least() == 0) return whole(0, is_known, bits);
  if (b.is_known() && std::has_single_bit(b.value)) return {a.value % b.value, a.unknown & (b.value - 1)};
  if (a.most() < b.least()) return a;
  return {a.value % b.value, between(0, b.most() - 1)};
}

KnownBits least(KnownBits a, KnownBits b, u32 bits, bool is_signed) {
  const KnownBits x = in_order(a, bits, is_signed), y = in_order(b, bits, is_signed);
  if (x.most() <= y.least()) return a;
  if (y.most() <= x.least()) return b;
  const bool is_a = x.value <= y.value;
  const u64 range = between(x.least() < y.least() ? x.least() : y.least(), x.most() < y.most() ? x.most() : y.most());
  return {is_a ? a.value : b.value, range & chosen(a, b, {0, 1}).unknown};
}

KnownBits greatest(KnownBits a, KnownBits b, u32 bits, bool is_signed) {
  const KnownBits x = in_order(a, bits, is_signed), y = in_order(b, bits, is_signed);
  if (x.least() >= y.most()) return a;
  if (y.least() >= x.most()) return b;
  const bool is_a = x.value >= y.value;
  const u64 range = between(x.least() > y.least() ? x.least() : y.least(), x.most() > y.most() ? x.most() : y.most());
  return {is_a ? a.value : b.value, range & chosen(a, b, {0, 1}).unknown};
}

KnownBits chosen(KnownBits a, KnownBits b, KnownBits c) {
  const u64 value = c.value ? a.value : b.value;
  if (c.is_known()) return c.value ? a : b;
  return {value, a.unknown | b.unknown | (a.value ^ b.value)};
}

KnownBits logic(u8 table, KnownBits a, KnownBits b, KnownBits c, u32 bits) {
  u64 may_be_one = 0, may_be_zero = 0, value = 0;
  const auto may_be = [](KnownBits operand, bool bit) {
    return operand.unknown | (bit ? operand.value : ~operand.value);
  };
  const auto is = [](KnownBits operand, bool bit) { return bit ? operand.value : ~operand.value; };
  for (u32 n = 0; n < 8; ++n) {
    const u64 possible = may_be(a, n & 4) & may_be(b, n & 2) & may_be(c, n & 1);
    const bool gives_one = (table >> n) & 1;
    (gives_one ? may_be_one : may_be_zero) |= possible;
    if (gives_one) value |= is(a, n & 4) & is(b, n & 2) & is(c, n & 1);
  }
  return truncated({value, may_be_one & may_be_zero}, bits);
}

}  // namespace ropewalk::machine
