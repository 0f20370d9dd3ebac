#include "lib/machine/unknown_bits.h"

#include <cstring>

namespace ropewalk::machine {

namespace {

using Flow = BitFlow::Kind;
using Relation = BitFlow::Relation;

// Runs the handler of a step on other operands than its own, in one warp whose lanes are all active.
class Bench {
 public:
  Bench(const Code& code, const Step& step) : code_(code), step_(step) {
    const u32 values[] = {step.a, step.b, step.c, step.e};
    for (u32 n = 0; n < 4; ++n) sizes_[n] = values[n] == no_value ? 0 : code.values[values[n]].size;
  }

  void put(u32 operand, u32 lane, u64 bits) {
    std::memcpy(area_ + (operand + 1) * row + lane * sizes_[operand], &bits, sizes_[operand]);
  }
  void run() {
    Context context;
    context.registers = area_;
    context.warps = 1;
    context.bits[0] = 0xffffffffu;
    context.unpack_mask();
    Op op;
    op.a = row;
    op.b = 2 * row;
    op.c = 3 * row;
    op.e = 4 * row;
    step_.vector(context, &op);
  }
  u64 result(u32 lane) const {
    u64 bits = 0;
    const u32 size = code_.values[step_.d].size;
    std::memcpy(&bits, area_ + lane * size, size);
    return bits;
  }
  u32 size(u32 operand) const { return sizes_[operand]; }

 private:
  static constexpr u32 row = lanes_per_warp * 8;
  const Code& code_;
  const Step& step_;
  u32 sizes_[4] = {};
  alignas(64) std::byte area_[5 * row] = {};
};

// Operand number n of the lane, or zero where the step has none.
KnownBits operand(const LaneBits& lanes, u32 n, u32 lane) { return lanes.operands[n][lane]; }

void moved(const Code& code, const Step& step, const LaneBits& lanes, u32 which, u64 (&unknown)[lanes_per_warp]) {
  Bench bench(code, step);
  u32 everything = 0;  // lanes of which it is not known how the bits move
  for (u32 bits = which; bits; bits &= bits - 1) {
    const u32 lane = u32(__builtin_ctz(bits));
    bool knows_how = true, is_zero = true;
    for (u32 n = 0; n < 4 && bench.size(n); ++n) {
      const KnownBits it = operand(lanes, n, lane);
      const bool is_moved = (step.flow.moved >> n) & 1;
      if (is_moved)
        is_zero &= it.is_zero();
      else
        knows_how &= it.is_known();
      bench.put(n, lane, is_moved ? it.unknown : it.value);
    }
    if (!knows_how && !is_zero) everything |= 1u << lane;
  }
  bench.run();
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    unknown[lane] = (everything >> lane) & 1 ? ~u64(0) : bench.result(lane);
  }
}

void monotonic(const Code& code, const Step& step, const LaneBits& lanes, u32 which, u64 (&unknown)[lanes_per_warp]) {
  Bench least(code, step), most(code, step);
  const u32 size = 8 * least.size(0);
  for (u32 bits = which; bits; bits &= bits - 1) {
    const u32 lane = u32(__builtin_ctz(bits));
    const KnownBits ordered = in_order(operand(lanes, 0, lane), size, step.flow.is_signed);
    least.put(0, lane, in_order({ordered.least(), 0}, size, step.flow.is_signed).value);
    most.put(0, lane, in_order({ordered.most(), 0}, size, step.flow.is_signed).value);
  }
  least.run();
  most.run();
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) unknown[lane] = between(least.result(lane), most.result(lane));
}

// Numbers side by side. What one of the result is made of is the numbers at its place of all operands that have them.
u64 packed(const LaneBits& lanes, u32 lane, u32 bits, const u32 (&operand_bits)[4]) {
  u64 unknown = 0;
  for (u32 n = 0; n < 4; ++n) {
    if (!operand_bits[n]) continue;
    for (u32 part = 0; part < 2; ++part) {
      const u32 width = operand_bits[n] / 2;
      if ((operand(lanes, n, lane).unknown >> (part * width)) & bits_mask(width))
        unknown |= bits_mask(bits / 2) << (part * bits / 2);
    }
  }
  return unknown;
}

// Whether it is not known how two numbers compare.
bool is_open(const BitFlow& flow, KnownBits a, KnownBits b, u32 bits) {
  if (a.is_known() && b.is_known()) return false;
  if (flow.is_equality()) return ((a.value ^ b.value) & ~(a.unknown | b.unknown)) == 0;
  a = in_order(a, bits, flow.is_signed);
  b = in_order(b, bits, flow.is_signed);
  if (flow.relation == Relation::Greater || flow.relation == Relation::LessEqual) std::swap(a, b);
  // a < b, or its negation
  return !(a.most() < b.least()) && !(a.least() >= b.most());
}

KnownBits dot_product(const BitFlow& flow, KnownBits a, KnownBits b, KnownBits c) {
  const u32 terms = flow.has_halves ? 2 : 4, width = flow.has_halves ? 16 : 8;
  for (u32 n = 0; n < terms; ++n) {
    const auto part = [](KnownBits whole, u32 first, u32 bits, bool is_signed) {
      return truncated(extended({whole.value >> first, whole.unknown >> first}, bits, is_signed), 32);
    };
    const KnownBits x = part(a, n * width, width, flow.is_signed);
    const KnownBits y = part(b, 8 * n + (flow.is_high ? 16 : 0), 8, flow.is_signed_b);
    c = sum(c, product(x, y, 32), {}, 32);
  }
  return c;
}

KnownBits scalar(const Step& step, const LaneBits& lanes, u32 lane, u32 bits_a, u32 bits_d) {
  const BitFlow& flow = step.flow;
  const KnownBits a = operand(lanes, 0, lane), b = operand(lanes, 1, lane), c = operand(lanes, 2, lane);
  const auto wide = [&](KnownBits factor) { return truncated(extended(factor, bits_a, flow.is_signed), bits_d); };
  const auto low = [&](KnownBits factor) {
    return flow.factor_bits ? truncated(extended(factor, flow.factor_bits, flow.is_signed), bits_d) : factor;
  };
  switch (flow.kind) {
    case Flow::Logic: {
      const u8 table = step.e == no_value ? flow.table : u8(operand(lanes, 3, lane).value);
      if (step.e != no_value && !operand(lanes, 3, lane).is_known()) break;
      if (step.a == step.b && step.flow.table == BitFlow::table_of_xor) return {};
      return logic(table, a, step.b == no_value ? KnownBits{} : b, step.c == no_value ? KnownBits{} : c, bits_d);
    }
    case Flow::Select:
      return chosen(a, b, c);
    case Flow::SelectSign:
      return chosen(b, a, {c.value >> 31, c.unknown >> 31});
    case Flow::Sum:
      return sum(a, b, {}, bits_d);
    case Flow::Difference:
      if (step.a == step.b) return {};
      return step.b == no_value ? difference({}, a, bits_d) : difference(a, b, bits_d);
    case Flow::Absolute:
      if ((a.unknown >> (bits_d - 1)) & 1u) break;
      return (a.value >> (bits_d - 1)) & 1u ? difference({}, a, bits_d) : a;
    case Flow::Product:
      return product(low(a), low(b), bits_d);
    case Flow::SumOfProduct:
      return sum(product(low(a), low(b), bits_d), c, {}, bits_d);
    case Flow::HighProduct:
      return high_product(a, b, bits_d, flow.is_signed);
    case Flow::WideProduct:
      return product(wide(a), wide(b), bits_d);
    case Flow::WideSumOfProduct:
      return sum(product(wide(a), wide(b), bits_d), c, {}, bits_d);
    case Flow::CarryOfSum: {
      KnownBits carry;
      sum(a, b, c, bits_a, &carry);
      return carry;
    }
    case Flow::SumWithCarry:
      return sum(a, b, c, bits_d);
    case Flow::Quotient:
      return quotient(a, b, bits_d, flow.is_signed);
    case Flow::Remainder:
      return remainder(a, b, bits_d, flow.is_signed);
    case Flow::Least:
      return least(a, b, bits_d, flow.is_signed);
    case Flow::Greatest:
      return greatest(a, b, bits_d, flow.is_signed);
    case Flow::IsZero:
      return {0, a.least() != 0 || a.is_known() ? u64(0) : u64(1)};
    case Flow::Comparison:
      return {0, step.a != step.b && is_open(flow, a, b, bits_a) ? u64(0xff) : u64(0)};
    case Flow::DotProduct:
      return dot_product(flow, a, b, c);
    default:
      break;
  }
  return {0, a.unknown | b.unknown | c.unknown | operand(lanes, 3, lane).unknown ? ~u64(0) : 0};
}

}  // namespace

void unknown_bits(const Code& code, const Step& step, const LaneBits& lanes, u32 which,
                  u64 (&unknown)[lanes_per_warp]) {
  if (step.flow.kind == Flow::Moved) return moved(code, step, lanes, which, unknown);
  if (step.flow.kind == Flow::Monotonic) return monotonic(code, step, lanes, which, unknown);
  const u32 values[] = {step.a, step.b, step.c, step.e};
  u32 operand_bits[4] = {};
  for (u32 n = 0; n < 4; ++n) operand_bits[n] = values[n] == no_value ? 0 : 8 * code.values[values[n]].size;
  const u32 bits_d = 8 * code.values[step.d].size;
  for (u32 bits = which; bits; bits &= bits - 1) {
    const u32 lane = u32(__builtin_ctz(bits));
    if (step.flow.kind == Flow::Packed) {
      unknown[lane] = packed(lanes, lane, bits_d, operand_bits);
    } else if (step.flow.kind == Flow::Pack) {
      unknown[lane] = (operand(lanes, 1, lane).unknown ? bits_mask(bits_d / 2) : 0) |
                      (operand(lanes, 0, lane).unknown ? bits_mask(bits_d / 2) << bits_d / 2 : 0);
    } else {
      unknown[lane] = scalar(step, lanes, lane, operand_bits[0], bits_d).unknown;
    }
  }
}

}  // namespace ropewalk::machine
