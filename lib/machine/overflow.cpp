#include "lib/machine/overflow.h"

#include <algorithm>

#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/handlers/careful_marks.h"
#include "lib/machine/known_bits.h"
#include "lib/machine/op.h"

namespace ropewalk::machine {

namespace {

using Flow = BitFlow::Kind;
using Wrap = Shadow::Wrap;

constexpr i64 far = i64(1) << 62;

i64 clamp(__int128 value) { return value > far ? far : value < -far ? -far : i64(value); }

i64 combine(ptx::Calculation calculation, i64 a, i64 b, i64 c) {
  switch (calculation) {
    case ptx::Calculation::Add:
      return clamp(__int128(a) + b);
    case ptx::Calculation::Subtract:
      return clamp(__int128(a) - b);
    case ptx::Calculation::Multiply:
      return clamp(__int128(a) * b);
    case ptx::Calculation::MultiplyAdd:
      return clamp(__int128(a) * b + c);
    default:
      return b < 0 || b > 61 ? 0 : clamp(__int128(a) * (i64(1) << b));  // '<'
  }
}

// Whether extending the low 32 bits of a number to 64 gives the number again.
bool extends_right(i64 exact, bool is_signed) {
  const u32 low = u32(u64(exact));
  return exact == (is_signed ? i64(i32(low)) : i64(low));
}

// What an operand is known to be: its exact value where it overflowed, else as it is.
struct Operand {
  i64 exact = 0, without_sign = 0;  // read as a signed number, and as an unsigned one
  u32 step = 0, root = 0;           // as in Shadow::Exact
  u8 taints = clean;
  bool is_unsigned = false;

  // The overflow that a reduced value made of this one goes back to.
  u32 origin() const { return taints & (overflowed | wrong_address) ? step : root; }
};
Operand operand_of(const Context& context, u32 value, u32 warp, u32 lane) {
  Operand out;
  if (value == no_value) return out;
  Shadow& shadow = *context.shadow;
  const u64 bits = careful::read_value(context, value, warp, lane);
  const bool is_narrow = context.program->code->values[value].size == 4;
  out.exact = is_narrow ? i64(i32(u32(bits))) : i64(bits);
  out.without_sign = is_narrow ? i64(u32(bits)) : i64(bits);
  if (!shadow.any) return out;
  const Wrap wrap = shadow.wrap_of(value, warp, lane);
  out.taints = wrap.taints;
  if (out.taints & (overflowed | wrong_address)) {
    out.exact = wrap.exact.value;
    out.without_sign = wrap.exact.without_sign;
    out.is_unsigned = wrap.exact.is_unsigned;
  }
  out.step = wrap.exact.step;
  out.root = wrap.exact.root;
  return out;
}

// Whether x - y is a remainder: x wrapped, and y is made of it by a division.
bool is_remainder(const Operand& x, const Operand& y) {
  return (x.taints & (overflowed | wrong_address)) && (y.taints & reduced) && x.step == y.root;
}

}  // namespace

OverflowNotes before_arithmetic(const Context& context, const Step& step) {
  OverflowNotes notes;
  notes.lanes.resize(context.lane_count());
  const u32 operands[] = {step.a, step.b, step.c};
  careful::for_active_lanes(context, [&](u32 warp, u32 lane) {
    OverflowNotes::Lane& note = notes.lanes[warp * lanes_per_warp + lane];
    Operand known[3];
    for (u32 i = 0; i < 3; ++i) {
      if (operands[i] == no_value || context.program->code->values[operands[i]].size != 4) continue;
      known[i] = operand_of(context, operands[i], warp, lane);
      if (known[i].taints & reduced) {
        note.reduced = true;
        note.root = known[i].root;
      }
      if (!(known[i].taints & overflowed)) continue;
      note.wrapped = true;
      note.step = known[i].step;
      // mul.wide and mad.wide extend their factors: what is wrong is wrong before the product.
      if (step.calculation != ptx::Calculation::Extend) continue;
      note.exact = known[i].exact;
      note.without_sign = known[i].without_sign;
      note.wrong |= !extends_right(known[i].exact, step.is_signed) &&
                    (step.is_signed || !extends_right(known[i].without_sign, false));
      if (note.wrong) return;
    }
    if (step.calculation == ptx::Calculation::Extend) return;
    note.is_remainder = (step.calculation == ptx::Calculation::Subtract && is_remainder(known[0], known[1])) ||
                        (step.calculation == ptx::Calculation::MultiplyAdd &&
                         (is_remainder(known[2], known[0]) || is_remainder(known[2], known[1])));
    note.exact = combine(step.calculation, known[0].exact, known[1].exact, known[2].exact);
    // A remainder of x without a sign, as compilers make it of a quotient: less than 2^31, where x is read as it is
    // meant.
    const Operand& from = known[step.calculation == ptx::Calculation::MultiplyAdd ? 2 : 0];
    if ((step.calculation == ptx::Calculation::MultiplyAdd || step.calculation == ptx::Calculation::Subtract) &&
        !(from.taints & overflowed) && from.exact < 0) {
      const i64 as_meant = note.exact + (i64(1) << 32);
      note.fits_without_sign = as_meant >= 0 && as_meant <= 0x7fffffff;
    }
    note.without_sign = combine(step.calculation, known[0].without_sign, known[1].without_sign, known[2].without_sign);
    // Numbers without a sign above 2^31 go together with others that are read without one.
    note.has_no_sign = note.wrapped && std::ranges::all_of(known, [](const Operand& one) {
                         return !(one.taints & overflowed) || extends_right(one.without_sign, false);
                       });
  });
  return notes;
}

void after_arithmetic(Context& context, const Op* op, const OverflowNotes& notes) {
  const Program& program = *context.program;
  const Step& step = program.code->steps[op->step];
  Shadow& shadow = *context.shadow;
  careful::for_active_lanes(context, [&](u32 warp, u32 lane) {
    const OverflowNotes::Lane& note = notes.lanes[warp * lanes_per_warp + lane];
    if (step.calculation == ptx::Calculation::Extend) {
      if (!note.wrong) return;
      shadow.add_wrap(step.d, warp, lane,
                      {wrong_address, {note.exact, note.step, note.root, note.without_sign, !step.is_signed}});
      return;
    }
    const u32 result = program.lanes<u32>(context.registers, step.d, warp)[lane];
    Shadow::Exact exact{note.exact, note.wrapped ? note.step : op->step, note.root, note.without_sign};
    // Read as signed. An unsigned result above 2^31 is marked too, and found right where it is zero-extended.
    u8 taints = note.reduced ? u8(reduced) : u8(clean);
    if (!note.is_remainder && !note.fits_without_sign && note.exact != i32(result)) {
      // Of numbers that are too far away only the low bits are kept: what a mask leaves is right all the same.
      const auto with_low_bits = [&](i64 value) {
        return value >= far || value <= -far ? i64((u64(value) & ~u64(0xffffffffu)) | result) : value;
      };
      const bool is_right = note.has_no_sign && note.without_sign == i64(result);
      exact.value = is_right ? note.without_sign : with_low_bits(note.exact);
      exact.without_sign = with_low_bits(note.without_sign);
      if (exact.value != i32(result)) taints |= overflowed;
    }
    shadow.add_wrap(step.d, warp, lane, {taints, exact});
  });
}

namespace {

Wrap as_is(const Operand& operand) {
  return {operand.taints, {operand.exact, operand.step, operand.root, operand.without_sign, operand.is_unsigned}};
}

// Bits of the exact values at the same positions.
Wrap by_logic(const Context& context, const Step& step, const Operand (&known)[4], u32 warp, u32 lane, u32 origin) {
  const u8 table = step.e == no_value ? step.flow.table : u8(known[3].exact);
  const auto of = [&](auto value) {
    return logic(table, {value(0), 0}, {step.b == no_value ? 0 : value(1), 0}, {step.c == no_value ? 0 : value(2), 0},
                 64)
        .value;
  };
  const u32 operands[] = {step.a, step.b, step.c};
  const u64 result = of([&](u32 n) { return careful::read_value(context, operands[n], warp, lane); });
  // Numbers that are right without a sign stay so, whatever the sign bit of a constant is.
  bool has_no_sign = true;
  for (const Operand& one : known) has_no_sign &= !(one.taints & overflowed) || extends_right(one.exact, false);
  const i64 exact = has_no_sign ? i64(u32(result)) : i64(of([&](u32 n) { return u64(known[n].exact); }));
  if (exact == i32(u32(result))) return {};
  return {overflowed, {exact, origin, origin}};
}

// The result of a step with an operand that wrapped. Arithmetic of 32 bits is not asked for.
Wrap wrapped(const Context& context, const Step& step, u32 warp, u32 lane) {
  const u32 values[] = {step.a, step.b, step.c, step.e};
  Operand known[4];
  for (u32 n = 0; n < 4; ++n) known[n] = operand_of(context, values[n], warp, lane);
  const Operand* first = nullptr;
  for (const Operand& one : known) {
    if (one.taints && (!first || (first->taints & reduced))) first = &one;
  }
  if (!first) return {};
  const Wrap dropped{reduced, {0, first->origin(), first->origin()}};
  const auto bits_of = [&](u32 n) { return careful::read_value(context, values[n], warp, lane); };
  const u32 size = context.program->code->values[step.d].size;
  const bool is_wide = size == 8;
  if (size < 4) return dropped;
  // Of an extension the factors are looked at when it has run.
  if (step.calculation == ptx::Calculation::Extend)
    return known[2].taints ? as_is(known[2]) : first->taints & reduced ? dropped : Wrap();
  switch (step.flow.kind) {
    case Flow::Moved:
      if (step.is_move) return as_is(known[0]);
      return is_wide && step.flow.is_left_shift ? as_is(known[0]) : dropped;
    case Flow::Select:
      return as_is(known[bits_of(2) ? 0 : 1]);
    case Flow::SelectSign:
      return as_is(known[i32(u32(bits_of(2))) >= 0 ? 0 : 1]);
    case Flow::Least:
    case Flow::Greatest: {
      const u64 a = in_order({bits_of(0), 0}, 8 * size, step.flow.is_signed).value,
                b = in_order({bits_of(1), 0}, 8 * size, step.flow.is_signed).value;
      return as_is(known[(a <= b) == (step.flow.kind == Flow::Least) ? 0 : 1]);
    }
    case Flow::Logic: {
      if (!is_wide) return by_logic(context, step, known, warp, lane, first->origin());
      // A mask of 32 bits leaves nothing of what is wrong in the others.
      const bool is_mask = step.flow.table == BitFlow::table_of_and && step.e == no_value;
      const u32 other = first == &known[0] ? 1 : 0;
      return is_mask && bits_of(other) >> 32 == 0 ? dropped : as_is(*first);
    }
    case Flow::Sum:
    case Flow::Difference:
    case Flow::Product:
    case Flow::SumOfProduct:
    case Flow::WideSumOfProduct: {
      if (!is_wide) return dropped;
      const u32 minuend = step.flow.kind == Flow::SumOfProduct ? 2 : 0;
      if (step.flow.kind != Flow::Difference && step.flow.kind != Flow::SumOfProduct) return as_is(*first);
      for (u32 n = 0; n < 3; ++n) {
        if (n != minuend && is_remainder(known[minuend], known[n])) return dropped;
      }
      return as_is(*first);
    }
    default:
      return dropped;
  }
}

}  // namespace

void propagate_wraps(Context& context, const Step& step, u32 warp, u8 (&taints)[lanes_per_warp]) {
  // Arithmetic of 32 bits is done exactly.
  if (step.calculation != ptx::Calculation::None && step.calculation != ptx::Calculation::Extend &&
      step.overflow_matters)
    return;
  Shadow& shadow = *context.shadow;
  for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) {
    const u32 lane = u32(__builtin_ctz(bits));
    const Wrap wrap = wrapped(context, step, warp, lane);
    taints[lane] = wrap.taints;
    if (wrap.taints) shadow.exact[shadow.cell(step.d, warp, lane)] = wrap.exact;
  }
}

void note_stored_wrap(const AccessEvent& event, u32 at, u32 bytes, u32 value) {
  if (!event.context.shadow->any || !event.is_in_block() || event.context.program->code->values[value].size != bytes)
    return;
  const Wrap wrap = event.context.shadow->wrap_of(value, event.warp, event.lane);
  if (wrap.taints == clean) return;
  Block& block = *event.context.block;
  for (u32 byte = at; byte < at + bytes; ++byte) {
    if (careful::is_initialized(event, byte))
      block.undefined_bytes[event.byte_in_block(byte)] = {UnwrittenReads::none, 0};
    careful::unset_initialized(event, byte);
  }
  block.wraps[event.byte_in_block(at)] = {wrap, bytes};
}

void note_loaded_wrap(const AccessEvent& event, u32 at, u32 bytes, u32 value) {
  const Block& block = *event.context.block;
  if (block.wraps.empty() || !event.is_in_block() || careful::is_initialized(event, at)) return;
  const auto found = block.wraps.find(event.byte_in_block(at));
  if (found == block.wraps.end() || found->second.bytes != bytes) return;
  Wrap wrap = found->second.wrap;
  if (bytes == 4 && event.context.program->code->values[value].size == 8 && (wrap.taints & overflowed)) {
    wrap.taints &= u8(~overflowed);
    if (!extends_right(wrap.exact.value, event.step.memory->sign_extend)) wrap.taints |= wrong_address;
  }
  event.context.shadow->add_wrap(value, event.warp, event.lane, wrap);
}

}  // namespace ropewalk::machine
