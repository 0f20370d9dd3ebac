#include "lib/machine/overflow.h"

#include "lib/machine/op.h"

namespace ropewalk::machine {

namespace {

constexpr i64 far = i64(1) << 62;

i64 clamp(__int128 value) { return value > far ? far : value < -far ? -far : i64(value); }

i64 combine(char arithmetic, i64 a, i64 b, i64 c) {
  switch (arithmetic) {
    case '+': return clamp(__int128(a) + b);
    case '-': return clamp(__int128(a) - b);
    case '*': return clamp(__int128(a) * b);
    case 'm': return clamp(__int128(a) * b + c);
    default: return b < 0 || b > 61 ? 0 : clamp(__int128(a) * (i64(1) << b));  // '<'
  }
}

// Whether extending the low 32 bits of a number to 64 gives the number again.
bool extends_right(i64 exact, bool is_signed) {
  const u32 low = u32(u64(exact));
  return exact == (is_signed ? i64(i32(low)) : i64(low));
}

}  // namespace

OverflowNotes before_arithmetic(const Context& context, const Step& step) {
  OverflowNotes notes;
  notes.lanes.resize(context.lane_count());
  const Program& program = *context.program;
  Shadow& shadow = *context.shadow;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      OverflowNotes::Lane& note = notes.lanes[warp * lanes_per_warp + lane];
      i64 exact[3] = {};
      const u32 operands[] = {step.a, step.b, step.c};
      for (u32 i = 0; i < 3; ++i) {
        if (operands[i] == no_value || program.code->values[operands[i]].size != 4) continue;
        exact[i] = i32(program.lanes<u32>(context.registers, operands[i], warp)[lane]);
        if (!shadow.any || !(shadow.taint(operands[i], warp)[lane] & overflowed)) continue;
        const auto at = shadow.exact.find(shadow.cell(operands[i], warp, lane));
        if (at == shadow.exact.end()) continue;
        exact[i] = at->second.value;
        note.step = at->second.step;
        note.tainted = true;
        // mul.wide and mad.wide extend their factors: what is wrong is wrong before the product.
        if (step.arithmetic == 'x') note.wrong |= !extends_right(exact[i], step.is_signed);
        if (step.arithmetic == 'x' && note.wrong) break;
      }
      note.exact = step.arithmetic == 'x' ? exact[0] : combine(step.arithmetic, exact[0], exact[1], exact[2]);
    }
  }
  return notes;
}

void after_arithmetic(Context& context, const Op* op, const OverflowNotes& notes) {
  const Program& program = *context.program;
  const Step& step = program.code->steps[op->step];
  Shadow& shadow = *context.shadow;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      const OverflowNotes::Lane& note = notes.lanes[warp * lanes_per_warp + lane];
      const u64 cell = shadow.cell(step.d, warp, lane);
      if (step.arithmetic == 'x') {
        if (!note.wrong) continue;
        shadow.mark(step.d, warp, lane, wrong_address);
        shadow.exact[cell] = {note.exact, note.step};
        continue;
      }
      // Read as signed. An unsigned result above 2^31 is marked too, and found right where it is zero-extended.
      if (note.exact == i32(program.lanes<u32>(context.registers, step.d, warp)[lane])) continue;
      shadow.mark(step.d, warp, lane, overflowed);
      shadow.exact[cell] = {note.exact, note.tainted ? note.step : op->step};
    }
  }
}

}  // namespace ropewalk::machine
