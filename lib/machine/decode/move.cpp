// mov in all its forms, cvta, selp of addresses: what only carries bits about.
#include <fmt/format.h>

#include <algorithm>

#include "lib/machine/address.h"
#include "lib/machine/decode/decoder.h"

namespace ropewalk::machine {

using ptx::Operand;
using Kind = ptx::Operand::Kind;

namespace {

bool is_split(const Operand& parts, u32 size) {
  return (parts.count == 2 || parts.count == 4) && size >= parts.count && size <= 8 * parts.count;
}

// A register of 8 bits has 16, of which the high ones say nothing.
u32 register_bytes(u32 part) { return std::max(part, 2u); }

// Two parts of so many bytes beside each other.
void join(Decoder& decoder, u32 bytes, u32 d, u32 low, u32 high) {
  if (bytes > 1) {
    decoder.compute(fmt::format("%pack.u{}", 8 * bytes), d, low, high);
    return;
  }
  const u32 low_byte = decoder.computed("and.b16", 2, low, decoder.constant(0xff, 2));
  decoder.compute("or.b16", d, low_byte, decoder.computed("shl.b16", 2, high, decoder.constant(8, 4)));
}

// mov.b64 d, {a, b, ...}: the first part has the lowest bits.
void pack(Decoder& decoder, const Operand& target, const Operand& parts, u32 size) {
  if (!is_split(parts, size)) decoder.reject(fmt::format("{} of {} parts", decoder.opcode().text, parts.count));
  const u32 part = size / parts.count;
  std::vector<u32> values;
  for (u32 i = 0; i < parts.count; ++i) values.push_back(decoder.source(decoder.part(parts, i), register_bytes(part)));
  const u32 d = decoder.destination(target, size);
  // Pairs are joined until one value is left.
  for (u32 width = part; values.size() > 1; width *= 2) {
    std::vector<u32> joined;
    for (u32 i = 0; i < values.size(); i += 2) {
      joined.push_back(values.size() == 2 ? d : decoder.temporary(2 * width));
      join(decoder, width, joined.back(), values[i], values[i + 1]);
    }
    values = joined;
  }
}

// mov.b64 {a, b, ...}, s
void unpack(Decoder& decoder, const Operand& parts, u32 source, u32 size) {
  if (!is_split(parts, size)) decoder.reject(fmt::format("{} into {} parts", decoder.opcode().text, parts.count));
  const u32 part = size / parts.count;
  for (u32 i = 0; i < parts.count; ++i) {
    const Operand& target = decoder.part(parts, i);
    if (target.kind == Kind::Sink) continue;
    const u32 d = decoder.destination(target, register_bytes(part));
    const u32 first_bit = decoder.constant(8 * part * i, 4);
    if (part > 1) {
      decoder.compute(fmt::format("%unpack.u{}.u{}", 8 * size, 8 * part), d, source, first_bit);
      continue;
    }
    const u32 lowest = size == 2 ? decoder.computed("shr.u16", 2, source, first_bit)
                                 : decoder.computed(fmt::format("%unpack.u{}.u16", 8 * size), 2, source, first_bit);
    decoder.compute("and.b16", d, lowest, decoder.constant(0xff, 2));
  }
}

void move_scalar(Decoder& decoder, const Operand& target, const Operand& from, u32 size) {
  if (from.kind == Kind::Special) {
    const auto special = ptx::Special(from.id);
    switch (special) {
      case ptx::Special::Unknown:
        return decoder.refuse(fmt::format("the machine does not know the special register {}",
                                          decoder.function().texts[u32(from.value)]));
      case ptx::Special::Clock:
      case ptx::Special::Clock64:
      case ptx::Special::ClockHi:
      case ptx::Special::Globaltimer:
      case ptx::Special::GlobaltimerLo:
      case ptx::Special::GlobaltimerHi: {
        decoder.code().reads_clock = true;
        const bool is_high = special == ptx::Special::ClockHi || special == ptx::Special::GlobaltimerHi;
        const u32 d = decoder.destination(target, size), whole = is_high ? decoder.temporary(8) : d;
        const u32 bytes = is_high ? 8 : size;
        Step& step = decoder.compute(fmt::format("%clock.u{}", 8 * bytes), whole, decoder.constant(0, bytes));
        step.pure = false;
        step.is_clock = true;
        step.uniform = nullptr;
        if (!is_high) return;
        const u32 high = decoder.computed("shr.u64", 8, whole, decoder.constant(32, 4));
        decoder.compute(fmt::format("%resize.u64.u{}", 8 * size), d, high);
        return;
      }
      case ptx::Special::Envreg1:
      case ptx::Special::Envreg2: {
        const bool has_barrier = decoder.code().is_cooperative;
        const u64 address = has_barrier ? grid_workspace(decoder.code().module->variables.size()) : 0;
        const u32 half = u32(special == ptx::Special::Envreg1 ? address >> 32 : address);
        decoder.code().uses_grid_workspace = true;
        decoder.compute(fmt::format("%move.u{}", 8 * size), decoder.destination(target, size),
                        decoder.constant(half, size));
        return;
      }
      default:
        break;
    }
  }
  const u32 value = decoder.source(from, size);
  const u32 d = decoder.destination(target, size);
  decoder.compute(fmt::format("%move.u{}", 8 * size), d, value);
}

void move(Decoder& decoder) {
  const Operand &target = decoder.operand(0), &from = decoder.operand(1);
  if (decoder.type() == ptx::Type::Pred) {
    const u32 value = decoder.predicate(from);
    decoder.compute("%move.u8", decoder.destination(target, 1), value);
    return;
  }
  const u32 size = ptx::size_of(decoder.type());
  if (size == 16) return decoder.refuse(fmt::format("{} is not supported", decoder.opcode().text));
  if (from.kind == Kind::Vector && from.count > 1) return pack(decoder, target, from, size);
  if (target.kind == Kind::Vector && target.count > 1) {
    return unpack(decoder, target, decoder.source(from, size), size);
  }
  const auto single = [&](const Operand& operand) -> const Operand& {
    return operand.kind == Kind::Vector ? decoder.part(operand, 0) : operand;
  };
  move_scalar(decoder, single(target), single(from), size);
}

// cvta.SPACE d, a makes a generic address; cvta.to.SPACE the way back. Global and constant addresses are generic.
void convert_address(Decoder& decoder) {
  const bool back = decoder.modifier(0) == "to";
  std::string_view space = decoder.modifier(back ? 1 : 0);
  space = space.substr(0, space.find("::"));
  const u32 size = ptx::size_of(decoder.type());
  u64 base = 0;
  if (space == "shared") base = generic_base(shared_window);
  if (space == "local") base = generic_base(local_window);
  if (space == "param") base = generic_base(parameter_window);
  // Generic addresses have 64 bits, whatever an instruction says.
  const u32 whole = base == 0 ? size : 8;
  const u32 value = decoder.source(decoder.operand(1), whole);
  const u32 d = decoder.destination(decoder.operand(0), whole);
  if (base == 0) {
    decoder.compute(fmt::format("%move.u{}", 8 * size), d, value);
  } else {
    decoder.compute(back ? "sub.u64" : "add.u64", d, value, decoder.constant(base, 8));
  }
}

// A local variable's offset is generic only after cvta; the symbols of parameters likewise.
}  // namespace

bool decode_move(Decoder& decoder) {
  switch (decoder.opcode().op) {
    case "mov"_op:
      return move(decoder), true;
    case "cvta"_op:
      return convert_address(decoder), true;
    case "isspacep"_op: {
      const u32 d = decoder.destination(decoder.operand(0), 1);
      std::string_view space = decoder.modifier(0);
      space = space.substr(0, space.find("::"));
      decoder.compute(fmt::format("%isspace.{}", space), d, decoder.source(decoder.operand(1), 8));
      return true;
    }
    default:
      return false;
  }
}

}  // namespace ropewalk::machine
