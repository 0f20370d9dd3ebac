// set of single values: a comparison and a choice between two constants. (set of pairs is in the table of forms.)
#include <fmt/format.h>

#include "lib/machine/decode/decoder.h"

namespace ropewalk::machine {

namespace {

// What a comparison that holds gives: all ones in an integer, 1.0 in a float.
u64 bits_of_true(ptx::Type type) {
  switch (type) {
    case ptx::Type::F16:
      return 0x3c00;
    case ptx::Type::BF16:
      return 0x3f80;
    case ptx::Type::F32:
      return 0x3f800000u;
    default:
      return ~u64(0);
  }
}

}  // namespace

// set.OP[.BOOL][.ftz].DTYPE.STYPE d, a, b[, c]: d = ((a OP b) BOOL c) ? true : 0.
bool decode_set(Decoder& decoder) {
  const ptx::Opcode& opcode = decoder.opcode();
  if (opcode.modifiers.size() < 3) return false;
  const ptx::Type result = ptx::type_named(opcode.modifiers[opcode.modifiers.size() - 2]);
  std::string compare = "setp", combine;
  for (std::size_t i = 0; i < opcode.modifiers.size(); ++i) {
    const std::string& modifier = opcode.modifiers[i];
    if (modifier == "and" || modifier == "or" || modifier == "xor")
      combine = modifier;
    else if (i + 2 != opcode.modifiers.size())
      compare += "." + modifier;
  }
  const KnownForm* form = decoder.form(canonical_opcode(compare));
  const u32 size = ptx::size_of(result);
  if (!form || form->size_d != 1 || size < 2 || decoder.operand_count() != (combine.empty() ? 3u : 4u)) return false;
  const u32 a = decoder.source(decoder.operand(1), form->size_a), b = decoder.source(decoder.operand(2), form->size_b);
  u32 holds = decoder.temporary(1, true);
  decoder.compute(*form, holds, a, b);
  if (!combine.empty()) {
    const u32 c = decoder.predicate(decoder.operand(3)), combined = decoder.temporary(1, true);
    decoder.compute(combine + ".pred", combined, holds, c);
    holds = combined;
  }
  const u32 d = decoder.destination(decoder.operand(0), size, ptx::name_of(result)[0] == 's');
  decoder.compute(fmt::format("selp.b{}", 8 * size), d, decoder.constant(bits_of_true(result), size),
                  decoder.constant(0, size), holds);
  return true;
}

}  // namespace ropewalk::machine
