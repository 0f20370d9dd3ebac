#include "lib/machine/known_differences.h"

#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/handlers/careful_marks.h"
#include "lib/machine/known_ranges.h"

namespace ropewalk::machine {

namespace {

using Flow = BitFlow::Kind;

u32 size_of_value(const Context& context, u32 value) { return context.program->code->values[value].size; }

bool is_marked(const Context& context, u32 value, u32 warp, u32 lane) {
  return (careful::taint_of(context, value, warp, lane) & (poisoned | undefined)) != 0;
}

// A bit for each byte of which some bit is marked.
u8 marked_bytes(const Mark& mark, u32 bytes) {
  u8 out = 0;
  for (u32 byte = 0; byte < bytes; ++byte) out |= u8(((mark.bits >> (8 * byte)) & 0xff) != 0) << byte;
  return out;
}

}  // namespace

u32 new_base(Block& block) { return block.last_base + 1 < negated_base ? ++block.last_base : 0; }

u32 base_of(const Context& context, u32 value, u32 warp, u32 lane) {
  if (!is_marked(context, value, warp, lane)) return 0;
  Shadow& shadow = *context.shadow;
  u32 base = shadow.base(value, warp, lane);
  if (base != 0) return base;
  const auto range = range_of(context, value, warp, lane);
  shadow.set_base(value, warp, lane, base = new_base(*context.block));
  if (range && base) context.block->ranges[base] = *range;
  return base;
}

Difference difference_of(const Context& context, const Step& step, u32 warp, u32 lane) {
  const auto marked = [&](u32 value) { return is_marked(context, value, warp, lane); };
  const bool a = marked(step.a), b = marked(step.b), c = marked(step.c);
  // Of the result, where it is made of this operand and what is known.
  const auto kept = [&](u32 value, u32 sign = 0) {
    if (!marked(value) || size_of_value(context, value) != size_of_value(context, step.d)) return Difference();
    const u32 base = base_of(context, value, warp, lane);
    return Difference{base ? base ^ sign : 0};
  };
  // Of both, where one is taken away from the other; sign: of the second.
  const auto together = [&](u32 sign) {
    const u32 one = context.shadow->base(step.a, warp, lane), other = context.shadow->base(step.b, warp, lane);
    return Difference{0, one != 0 && other != 0 && one == (other ^ sign)};
  };
  switch (step.flow.kind) {
    case Flow::Moved:
      return step.is_move ? kept(step.a) : Difference();
    case Flow::Select:
      return c ? Difference() : kept(careful::read_value(context, step.c, warp, lane) ? step.a : step.b);
    case Flow::Sum:
      return a && b ? together(negated_base) : kept(a ? step.a : step.b);
    case Flow::Difference:
      if (step.b == no_value) return kept(step.a, negated_base);
      return a && b ? together(0) : a ? kept(step.a) : kept(step.b, negated_base);
    case Flow::SumOfProduct:
      return a || b ? Difference() : kept(step.c);
    case Flow::Comparison:
      return a && b && step.flow.is_equality() ? together(0) : Difference();
    default:
      return {};
  }
}

void note_stored_base(const AccessEvent& event, u32 at, u32 bytes, u32 value) {
  const Context& context = event.context;
  if (!event.is_in_block() || !is_marked(context, value, event.warp, event.lane) ||
      size_of_value(context, value) != bytes)
    return;
  const u8 parts = marked_bytes(context.shadow->mark_of(value, event.warp, event.lane), bytes);
  const u32 base = base_of(context, value, event.warp, event.lane);
  auto& known = context.block->undefined_bytes;
  for (u32 byte = 0; byte < bytes; ++byte) {
    const auto stored = (parts >> byte) & 1 ? known.find(event.byte_in_block(at + byte)) : known.end();
    if (stored == known.end()) continue;
    stored->second.base = base;
    stored->second.part = u8(byte);
    stored->second.parts = parts;
  }
}

void note_loaded_base(const AccessEvent& event, u32 at, u32 bytes, u32 value) {
  const Context& context = event.context;
  if (!event.is_in_block() || event.raced || !is_marked(context, value, event.warp, event.lane) ||
      size_of_value(context, value) != bytes)
    return;
  Block& block = *context.block;
  const u8 parts = marked_bytes(context.shadow->mark_of(value, event.warp, event.lane), bytes);
  u32 base = 0, stored = 0;
  for (u32 byte = 0; byte < bytes; ++byte) {
    if (!((parts >> byte) & 1)) continue;
    if (careful::is_poisoned(event, at + byte)) return;
    const auto known = block.undefined_bytes.find(event.byte_in_block(at + byte));
    if (known == block.undefined_bytes.end()) continue;
    const UndefinedByte& one = known->second;
    if (one.base == 0 || one.part != byte || one.parts != parts || (stored && one.base != base)) return;
    base = one.base;
    ++stored;
  }
  const u32 marked = u32(__builtin_popcount(parts));
  if (stored == 0 && marked == bytes) {
    u32& unwritten = block.bases[event.byte_in_block(at) | u64(bytes) << 48];
    if (unwritten == 0) unwritten = new_base(block);
    base = unwritten;
  } else if (stored != marked) {
    return;
  }
  if (base) context.shadow->set_base(value, event.warp, event.lane, base);
}

}  // namespace ropewalk::machine
