#include "lib/machine/known_ranges.h"

#include <algorithm>
#include <numeric>

#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/known_bits.h"
#include "lib/machine/known_differences.h"

namespace ropewalk::machine {

namespace {

using Flow = BitFlow::Kind;
using Relation = BitFlow::Relation;

constexpr i64 too_far = i64(1) << 40;  // no index moves so far by chance

i64 signed_value(u64 bits, u32 size) { return i64(bits << (64 - 8 * size)) >> (64 - 8 * size); }

std::optional<Range> checked(Range range) {
  if (range.below < 0 || range.above < 0 || range.below > too_far || range.above > too_far) return {};
  return range;
}

Range scaled(Range range, i64 factor) {
  if (factor < 0) std::swap(range.below, range.above);
  // More than this is refused by `checked`.
  const __int128 size = factor < 0 ? -__int128(factor) : factor;
  const auto times = [&](i64 distance) { return i64(std::min<__int128>(distance * size, too_far + 1)); };
  return {times(range.below), times(range.above), times(range.step)};
}

Range sum(Range a, Range b) { return {a.below + b.below, a.above + b.above, std::gcd(a.step, b.step)}; }

// A number, read with or without a sign, between these.
struct Interval {
  __int128 low = 0, high = 0;
};

// One operand of a computation.
struct RangedOperand {
  u64 bits = 0;
  u32 size = 0;
  std::optional<Range> range;

  bool is_known() const { return range && range->below == 0 && range->above == 0; }
  __int128 number(bool is_signed) const { return is_signed ? __int128(signed_value(bits, size)) : __int128(bits); }
  // Nothing: it may wrap, read so.
  std::optional<Interval> interval(bool is_signed) const {
    if (!range) return {};
    const Interval out{number(is_signed) - range->below, number(is_signed) + range->above};
    const __int128 count = __int128(1) << (8 * size), least = is_signed ? -count / 2 : 0;
    if (out.low < least || out.high >= least + count) return {};
    return out;
  }
};

RangedOperand ranged_operand(const Context& context, u32 value, u32 warp, u32 lane) {
  if (value == no_value) return {0, 8, Range()};
  return {careful::read_value(context, value, warp, lane), context.program->code->values[value].size,
          range_of(context, value, warp, lane)};
}

// Of a * b, where one of them is known.
std::optional<Range> range_of_product(const RangedOperand& a, const RangedOperand& b) {
  if (b.is_known() && a.range) return scaled(*a.range, signed_value(b.bits, b.size));
  if (a.is_known() && b.range) return scaled(*b.range, signed_value(a.bits, a.size));
  return {};
}

std::optional<Range> range_of_wide_product(const RangedOperand& a, const RangedOperand& b, bool is_signed) {
  if (!a.interval(is_signed) || !b.interval(is_signed)) return {};
  const auto wide = [&](RangedOperand one) {
    if (is_signed) one.bits = u64(signed_value(one.bits, one.size));
    one.size = 8;
    return one;
  };
  return range_of_product(wide(a), wide(b));
}

std::optional<Range> range_of_extreme(const RangedOperand& a, const RangedOperand& b, const BitFlow& flow) {
  const auto x = a.interval(flow.is_signed), y = b.interval(flow.is_signed);
  if (!x || !y) return {};
  const auto pick = [&](__int128 one, __int128 other) {
    return flow.kind == Flow::Least ? std::min(one, other) : std::max(one, other);
  };
  const __int128 result = pick(a.number(flow.is_signed), b.number(flow.is_signed));
  const i64 apart = i64(a.number(flow.is_signed) - b.number(flow.is_signed));
  return Range{i64(result - pick(x->low, y->low)), i64(pick(x->high, y->high) - result),
               std::gcd(std::gcd(a.range->step, b.range->step), apart)};
}

// Whether a comparison has the same result wherever both lie.
bool is_decided(const RangedOperand& a, const RangedOperand& b, const BitFlow& flow) {
  auto x = a.interval(flow.is_signed), y = b.interval(flow.is_signed);
  if (flow.is_equality() && !(x && y)) x = a.interval(!flow.is_signed), y = b.interval(!flow.is_signed);
  if (!x || !y) return false;
  const bool is_below = x->high < y->low, is_above = y->high < x->low;
  switch (flow.relation) {
    case Relation::Equal:
    case Relation::NotEqual:
      return is_below || is_above;
    case Relation::Less:
    case Relation::GreaterEqual:
      return is_below || y->high <= x->low;
    default:
      return is_above || x->high <= y->low;
  }
}

}  // namespace

std::optional<Range> range_of_base(const Block& block, u32 base) {
  const auto known = block.ranges.find(base & ~negated_base);
  if (known == block.ranges.end()) return {};
  return base & negated_base ? scaled(known->second, -1) : known->second;
}

std::optional<Range> range_of(const Context& context, u32 value, u32 warp, u32 lane) {
  const Mark mark = careful::mark_of(context, value, warp, lane);
  if (mark.bits == 0) return Range();
  if (const auto known = range_of_base(*context.block, context.shadow->base(value, warp, lane))) return known;
  const u64 bits = careful::read_value(context, value, warp, lane);
  return checked({i64(bits & mark.bits), i64(~bits & mark.bits), i64(mark.bits & (~mark.bits + 1))});
}

std::optional<Range> range_of_both(Range first, Range other, u64 difference, u32 bytes) {
  const i64 distance = signed_value(difference, bytes);
  if (distance > too_far || distance < -too_far) return {};
  return Range{std::max(first.below, other.below - distance), std::max(first.above, other.above + distance),
               std::gcd(std::gcd(first.step, other.step), distance)};
}

bool keeps_numbers(const Step& step) {
  switch (step.flow.kind) {
    case Flow::Moved:
      return step.flow.is_resized || step.flow.is_left_shift;
    case Flow::Comparison:
    case Flow::Select:
    case Flow::Sum:
    case Flow::Difference:
    case Flow::Product:
    case Flow::SumOfProduct:
    case Flow::WideProduct:
    case Flow::WideSumOfProduct:
    case Flow::Least:
    case Flow::Greatest:
      return true;
    default:
      return false;
  }
}

RangeOfResult range_after(const Context& context, const Step& step, u32 warp, u32 lane) {
  const BitFlow& flow = step.flow;
  const RangedOperand a = ranged_operand(context, step.a, warp, lane), b = ranged_operand(context, step.b, warp, lane),
                      c = ranged_operand(context, step.c, warp, lane);
  const auto result = [](std::optional<Range> range) -> RangeOfResult {
    return {range ? checked(*range) : std::nullopt, false};
  };
  const auto plus_c = [&](std::optional<Range> product) {
    return product && c.range ? result(sum(*product, *c.range)) : RangeOfResult();
  };
  switch (flow.kind) {
    case Flow::Moved:
      if (flow.is_left_shift)
        return a.range && b.is_known() && b.bits < 32 ? result(scaled(*a.range, i64(1) << b.bits)) : RangeOfResult();
      // Cut, or extended.
      return a.size >= context.program->code->values[step.d].size || a.interval(flow.is_signed) ? result(a.range)
                                                                                                : RangeOfResult();
    case Flow::Sum:
      return a.range && b.range ? result(sum(*a.range, *b.range)) : RangeOfResult();
    case Flow::Difference:
      if (step.b == no_value) return a.range ? result(scaled(*a.range, -1)) : RangeOfResult();
      return a.range && b.range ? result(sum(*a.range, scaled(*b.range, -1))) : RangeOfResult();
    case Flow::Product:
      return result(range_of_product(a, b));
    case Flow::SumOfProduct:
      return plus_c(range_of_product(a, b));
    case Flow::WideProduct:
      return result(range_of_wide_product(a, b, flow.is_signed));
    case Flow::WideSumOfProduct:
      return plus_c(range_of_wide_product(a, b, flow.is_signed));
    case Flow::Least:
    case Flow::Greatest:
      return result(range_of_extreme(a, b, flow));
    case Flow::Select: {
      if (!a.range || !b.range) return {};
      const bool is_a = c.bits != 0;
      const Range taken = is_a ? *a.range : *b.range, other = is_a ? *b.range : *a.range;
      if (c.is_known()) return result(taken);
      return result(range_of_both(taken, other, is_a ? b.bits - a.bits : a.bits - b.bits, a.size));
    }
    case Flow::Comparison:
      return {{}, is_decided(a, b, flow)};
    default:
      return {};
  }
}

void set_range(Context& context, u32 value, u32 warp, u32 lane, const Range& range) {
  const u32 base = new_base(*context.block);
  if (base == 0) return;
  context.shadow->set_base(value, warp, lane, base);
  context.block->ranges[base] = range;
}

bool is_inside_everywhere(const AccessEvent& event) {
  const auto range = range_of(event.context, event.address_value, event.warp, event.lane);
  if (!range || event.offset - range->below < event.start) return false;
  if (event.window && (event.window->freed || event.window->allowed_shift)) return false;
  return u64(event.offset) + event.bytes + u64(range->above) <= event.extent;
}

}  // namespace ropewalk::machine
