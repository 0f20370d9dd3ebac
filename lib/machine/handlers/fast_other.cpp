// Local memory, parameters, index statements, overflow checks and shuffles, in the fast tier.
#include "lib/machine/handlers/fast_lanes.h"
#include "lib/machine/handlers/fast_memory.h"
#include "lib/machine/local_memory.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

using ptx::Calculation;

const Op* load_local(Context& context, const Op* op) {
  const FastAccess& access = access_of(op);
  const u32 width = access.element_bytes * access.count;
  const OwnPart part(context.local_bytes, access.first_byte, access.last_byte);
  alignas(64) u64 addresses[max_warps][lanes_per_warp];
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    load_addresses(context, access, warp, addresses[warp]);
    for (u32 rest = context.bits[warp]; rest; rest &= rest - 1) {
      const u32 lane = u32(__builtin_ctz(rest));
      const u64 at = addresses[warp][lane];
      if (!part.holds(at, width) || !is_aligned(at, width) || !local_initialized(context, u32(at), warp, lane, width)) {
        return stop_careful(context, op);
      }
    }
  }
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    alignas(64) std::byte gathered[lanes_per_warp * 32];
    for (u32 rest = context.bits[warp]; rest; rest &= rest - 1) {
      const u32 lane = u32(__builtin_ctz(rest));
      local_load(context, u32(addresses[warp][lane]), warp, lane, gathered + lane * width, width);
    }
    take_elements(context, access, warp, Rows(gathered, width));
  }
  return op + 1;
}

const Op* store_local(Context& context, const Op* op) {
  const FastAccess& access = access_of(op);
  const u32 width = access.element_bytes * access.count;
  const OwnPart part(context.local_bytes, access.first_byte, access.last_byte);
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    alignas(64) u64 addresses[lanes_per_warp];
    alignas(64) std::byte data[lanes_per_warp * 32];
    load_addresses(context, access, warp, addresses);
    give_elements(context, access, warp, data);
    for (u32 rest = context.bits[warp]; rest; rest &= rest - 1) {
      const u32 lane = u32(__builtin_ctz(rest));
      const u64 at = addresses[lane];
      if (!part.holds(at, width) || !is_aligned(at, width)) return stop_careful(context, op);
      local_store(context, u32(at), warp, lane, data + lane * width, width);
      mark_local(context, u32(at), warp, lane, width, true);
    }
  }
  return op + 1;
}

namespace {

// Negative where what(lane), a word, is so for an active lane.
template <class What>
[[gnu::always_inline]] inline i32 any_lane(const Context& context, u32 warp, What what) {
  i32 all = 0;
  if (context.bits[warp] == 0xffffffffu) {
    for (u32 i = 0; i < lanes_per_warp; ++i) all |= what(i);
    return all;
  }
  const u8* lanes = context.lanes + warp * lanes_per_warp;
  for (u32 i = 0; i < lanes_per_warp; ++i) all |= what(i) & i32(i8(lanes[i]));
  return all;
}

}  // namespace

const Op* index_statement(Context& context, const Op* op) {
  i32 bad = 0;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    const i32* index = reinterpret_cast<const i32*>(context.registers + op->a + warp * op->step_a);
    const i32* bound = reinterpret_cast<const i32*>(context.registers + op->b + warp * op->step_b);
    const auto outside = [&](u32 i) { return index[i] | -i32(index[i] >= bound[i]); };
    bad |= any_lane(context, warp, outside);
  }
  return bad < 0 ? stop_careful(context, op) : op + 1;
}

namespace {

// Negative where 32-bit signed arithmetic overflows.
template <Calculation Kind>
[[gnu::always_inline]] inline i32 overflows(i32 a, i32 b, i32 c) {
  if constexpr (Kind == Calculation::Add) {
    const i32 sum = i32(u32(a) + u32(b));
    return (a ^ sum) & (b ^ sum);
  } else if constexpr (Kind == Calculation::Subtract) {
    return (a ^ b) & (a ^ i32(u32(a) - u32(b)));
  } else if constexpr (Kind == Calculation::ShiftLeft) {
    return -i32(u32(b) < 32 && i32(u32(a) << (u32(b) & 31)) >> (u32(b) & 31) != a);
  } else {
    // The upper word of a * b + c must be the sign of the lower one. Words of 32 bits stay in vectors.
    const u32 product = u32(a) * u32(b), sum = product + u32(c);
    const i32 upper = i32(i64(a) * b >> 32) + (c >> 31) + i32(sum < product);
    return -i32(upper != i32(sum) >> 31);
  }
}

// A word without its sign: of -a, a - 1.
[[gnu::always_inline]] inline u32 magnitude(i32 word) { return u32(word ^ word >> 31); }

[[gnu::always_inline]] inline u32 bits_of(u32 magnitudes) {
  return magnitudes ? 32 - u32(__builtin_clz(magnitudes)) : 0;
}

// Whether the products, plus c, are so small in all lanes, active or not, that none can overflow: |a| <= 2^m and
// |b| <= 2^n with m + n < 30, and |c| <= 2^30.
[[gnu::always_inline]] inline bool are_small_products(const i32* a, const i32* b, const i32* c) {
  u32 of_a = 0, of_b = 0, of_c = 0;
  for (u32 i = 0; i < lanes_per_warp; ++i) of_a |= magnitude(a[i]);
  for (u32 i = 0; i < lanes_per_warp; ++i) of_b |= magnitude(b[i]);
  for (u32 i = 0; c && i < lanes_per_warp; ++i) of_c |= magnitude(c[i]);
  return bits_of(of_a) + bits_of(of_b) < 30 && bits_of(of_c) <= 30;
}

}  // namespace

// Runs the computation (op->extra) where no active lane overflows.
template <Calculation Kind>
const Op* checked(Context& context, const Op* op) {
  i32 bad = 0;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    const i32* a = reinterpret_cast<const i32*>(context.registers + op->a + warp * op->step_a);
    const i32* b = reinterpret_cast<const i32*>(context.registers + op->b + warp * op->step_b);
    const i32* c = reinterpret_cast<const i32*>(context.registers + op->c + warp * op->step_c);
    if ((Kind == Calculation::MultiplyAdd || Kind == Calculation::Multiply) &&
        are_small_products(a, b, Kind == Calculation::MultiplyAdd ? c : nullptr))
      continue;
    bad |= any_lane(context, warp,
                    [&](u32 i) { return overflows<Kind>(a[i], b[i], Kind == Calculation::MultiplyAdd ? c[i] : 0); });
  }
  if (bad < 0) return stop_careful(context, op);
  return reinterpret_cast<Handler>(const_cast<void*>(op->extra))(context, op);
}

template <Calculation Kind>
const Op* checked_uniform(Context& context, const Op* op) {
  const auto at = [&](u32 offset) { return *reinterpret_cast<const i32*>(context.registers + offset); };
  if (overflows<Kind>(at(op->a), at(op->b), Kind == Calculation::MultiplyAdd ? at(op->c) : 0) < 0)
    return stop_careful(context, op);
  return reinterpret_cast<Handler>(const_cast<void*>(op->extra))(context, op);
}

Handler overflow_handler(Calculation kind, bool uniform) {
  switch (kind) {
    case Calculation::Add:
      return uniform ? checked_uniform<Calculation::Add> : checked<Calculation::Add>;
    case Calculation::Subtract:
      return uniform ? checked_uniform<Calculation::Subtract> : checked<Calculation::Subtract>;
    case Calculation::Multiply:
      return uniform ? checked_uniform<Calculation::Multiply> : checked<Calculation::Multiply>;
    case Calculation::MultiplyAdd:
      return uniform ? checked_uniform<Calculation::MultiplyAdd> : checked<Calculation::MultiplyAdd>;
    default:
      return uniform ? checked_uniform<Calculation::ShiftLeft> : checked<Calculation::ShiftLeft>;
  }
}

// shfl.sync with a lane or distance, a clamp and no segments that are the same in all lanes: the sources are worked out
// by the maker of the program. op->extra points to 32 source lanes and 32 results of the predicate.
const Op* shuffle_fixed(Context& context, const Op* op) {
  const u8* from = static_cast<const u8*>(op->extra);
  for (u32 warp = 0; warp < context.warps; ++warp) {
    const u32 bits = context.bits[warp];
    if (bits == 0) continue;
    if (bits != 0xffffffffu) return reinterpret_cast<Handler>(op->immediate)(context, op);
    const u32* a = reinterpret_cast<const u32*>(context.registers + op->a + warp * op->step_a);
    u32* d = reinterpret_cast<u32*>(context.registers + op->d + warp * op->step_d);
    alignas(64) u32 results[lanes_per_warp];
    for (u32 i = 0; i < lanes_per_warp; ++i) results[i] = a[from[i]];
    copy_row<sizeof results>(d, results);
    if (op->target)
      __builtin_memcpy(context.registers + op->b + warp * op->step_b, from + lanes_per_warp, lanes_per_warp);
  }
  return op + 1;
}

namespace {

// Where a lane reads, and whether that is inside its segment (PTX ISA, shfl.sync).
template <ShuffleMode Mode>
[[gnu::always_inline]] inline i32 source_lane(i32 lane, i32 distance, i32 clamp, i32 segment) {
  const i32 highest = (lane & segment) | (clamp & ~segment & 31);
  if constexpr (Mode == ShuffleMode::Up) return lane - (distance & 31) >= highest ? lane - (distance & 31) : ~lane;
  const i32 from = Mode == ShuffleMode::Down        ? lane + (distance & 31)
                   : Mode == ShuffleMode::Butterfly ? lane ^ (distance & 31)
                                                    : (lane & segment) | (distance & 31 & ~segment);
  return from <= highest ? from : ~lane;
}

}  // namespace

// The same with a distance that is known only now; op->target: clamp, segment and whether there is a predicate.
template <ShuffleMode Mode>
const Op* shuffle_by(Context& context, const Op* op) {
  const i32 clamp = i32(op->target & 31), segment = i32(op->target >> 8 & 31);
  for (u32 warp = 0; warp < context.warps; ++warp) {
    const u32 bits = context.bits[warp];
    if (bits != 0 && bits != 0xffffffffu) return reinterpret_cast<Handler>(op->immediate)(context, op);
  }
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    const u32* a = reinterpret_cast<const u32*>(context.registers + op->a + warp * op->step_a);
    const i32* distances = reinterpret_cast<const i32*>(context.registers + op->c + warp * op->step_c);
    u32* d = reinterpret_cast<u32*>(context.registers + op->d + warp * op->step_d);
    if (Mode == ShuffleMode::Index && segment == 0 && clamp == 31) {
      // Most often one lane's value is given to all.
      i32 different = 0;
      for (u32 i = 0; i < lanes_per_warp; ++i) different |= distances[i] ^ distances[0];
      if (different == 0) {
        const u32 value = a[distances[0] & 31];
        for (u32 i = 0; i < lanes_per_warp; ++i) d[i] = value;
        if (op->target >> 16) __builtin_memset(context.registers + op->b + warp * op->step_b, 0xff, lanes_per_warp);
        continue;
      }
    }
    alignas(64) i32 from[lanes_per_warp];
    alignas(64) u32 results[lanes_per_warp];
    for (u32 i = 0; i < lanes_per_warp; ++i) from[i] = source_lane<Mode>(i32(i), distances[i], clamp, segment);
    for (u32 i = 0; i < lanes_per_warp; ++i) results[i] = a[from[i] < 0 ? ~from[i] : from[i]];
    copy_row<sizeof results>(d, results);
    if (op->target >> 16) {
      u8* inside = reinterpret_cast<u8*>(context.registers + op->b + warp * op->step_b);
      for (u32 i = 0; i < lanes_per_warp; ++i) inside[i] = from[i] < 0 ? 0 : 0xff;
    }
  }
  return op + 1;
}

Handler shuffle_handler(ShuffleMode mode) {
  switch (mode) {
    case ShuffleMode::Up:
      return shuffle_by<ShuffleMode::Up>;
    case ShuffleMode::Down:
      return shuffle_by<ShuffleMode::Down>;
    case ShuffleMode::Butterfly:
      return shuffle_by<ShuffleMode::Butterfly>;
    default:
      return shuffle_by<ShuffleMode::Index>;
  }
}

// A kernel parameter: the same for all lanes, and always there.
const Op* load_parameter(Context& context, const Op* op) {
  const FastAccess& access = access_of(op);
  const u32 width = access.element_bytes * access.count;
  u64 address = u64(access.offset);
  if (!access.absolute) {
    address += access.narrow ? *reinterpret_cast<const u32*>(context.registers + access.address)
                             : *reinterpret_cast<const u64*>(context.registers + access.address);
  }
  if (!OwnPart(context.parameter_bytes, access.first_byte, access.last_byte).holds(address, width) ||
      !is_aligned(address, width))
    return stop_careful(context, op);
  for (u32 n = 0; n < access.count; ++n) {
    if (access.value_bytes[n] == 0) continue;
    const u64 value =
        widened(context.parameters + address + n * access.element_bytes, access.element_bytes, access.sign_extend);
    std::byte* to = context.registers + access.value[n];
    switch (access.value_bytes[n]) {
      case 8:
        for (u32 i = 0; i < lanes_per_warp; ++i) reinterpret_cast<u64*>(to)[i] = value;
        break;
      case 4:
        for (u32 i = 0; i < lanes_per_warp; ++i) reinterpret_cast<u32*>(to)[i] = u32(value);
        break;
      default:
        for (u32 i = 0; i < lanes_per_warp; ++i) reinterpret_cast<u16*>(to)[i] = u16(value);
        break;
    }
  }
  return op + 1;
}

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
