// cvt.pack: two integers, saturated, beside each other.
#include <fmt/format.h>

#include "lib/machine/decode/decoder.h"

namespace ropewalk::machine {

// cvt.pack.sat.TYPE.s32 d, a, b and cvt.pack.sat.TYPE.s32.b32 d, a, b, c (PTX ISA, cvt.pack): b goes to the low bits, a
// above it, and the low bits of c above both.
bool decode_parts(Decoder& decoder) {
  if (decoder.opcode().op != "cvt"_op || decoder.modifier(0) != "pack") return false;
  const std::string_view type = decoder.modifier(2);
  u32 bits = 0;
  for (const u32 width : {2u, 4u, 8u, 16u}) {
    if (type.size() > 1 && type.substr(1) == std::to_string(width)) bits = width;
  }
  const bool has_rest = decoder.modifier(4) == "b32";
  const bool known = bits != 0 && decoder.modifier(1) == "sat" && decoder.modifier(3) == "s32" &&
                     has_rest == (bits < 16) && decoder.operand_count() == (has_rest ? 4u : 3u);
  if (!known) return false;
  const bool is_signed = type[0] == 's';
  const i32 low = is_signed ? -(1 << (bits - 1)) : 0, high = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  const auto saturated = [&](u32 n) {
    const u32 at_least =
        decoder.computed("max.s32", 4, decoder.source(decoder.operand(n), 4), decoder.constant(u32(low), 4));
    return decoder.computed("min.s32", 4, at_least, decoder.constant(u32(high), 4));
  };
  const u32 a = saturated(1), b = saturated(2);
  const u32 size = decoder.constant(bits, 4), both = decoder.constant(2 * bits, 4);
  const u32 c = has_rest ? decoder.source(decoder.operand(3), 4) : decoder.constant(0, 4);
  // From the low bits upwards: what is there is replaced by a field.
  const u32 rest = decoder.computed("shl.b32", 4, c, both);
  const u32 with_b = decoder.computed("bfi.b32", 4, b, rest, decoder.constant(0, 4), size);
  decoder.compute("bfi.b32", decoder.destination(decoder.operand(0), 4), a, with_b, size, size);
  return true;
}

}  // namespace ropewalk::machine
