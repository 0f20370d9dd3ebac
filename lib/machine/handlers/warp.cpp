#include "lib/machine/handlers/warp.h"

#include <algorithm>

#include "lib/machine/absence.h"
#include "lib/machine/arithmetic/float32.h"
#include "lib/machine/checks/lanes.h"
#include "lib/machine/handlers/shuffle_source.h"
#include "lib/machine/judge.h"
#include "lib/machine/launch_state.h"

namespace ropewalk::machine::warp_wide {

namespace {

// In place of the lane that is read: the member mask names the lane; the lane's mask is not that of those it names.
constexpr u32 any_lane = lanes_per_warp, unlike_masks = lanes_per_warp + 1;

template <class Type>
Type* lanes_of(Context& context, u32 value, u32 warp) {
  return context.program->lanes<Type>(context.registers, value, warp);
}

// A value may be kept once for all lanes: lane i of such a value is lane i of its copy, so reading is the same.
void tell_inactive(Context& context, const Op* op, u32 warp, u32 lane, u32 from, Severity severity = Severity::Error) {
  for (const auto& checker : context.block->launch->checkers) {
    checker->on_inactive_lane(context, op->step, warp, lane, from, severity);
  }
}

// The fast tier has no shadow to mark a value in: the careful one runs the operation.
const Op* stop_carefully(Context& context, const Op* op) {
  context.stop = Stop::Careful;
  context.op = op;
  return nullptr;
}

// Of the lanes those that give the same mask as the first of them.
u32 like_the_first(const u32* masks, u32 lanes) {
  const u32 mask = masks[__builtin_ctz(lanes)];
  u32 alike = 0;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) alike |= u32(masks[lane] == mask) << lane;
  return alike & lanes;
}

// Lanes that execute a warp-wide operation must be in its member mask, and those that it names must give the same.
void check_own(Context& context, const Op* op, u32 warp, const u32* masks) {
  const u32 active = context.bits[warp];
  u32 unlike = 0;
  for (u32 lanes = active; lanes;) {
    const u32 mask = masks[__builtin_ctz(lanes)], alike = like_the_first(masks, lanes);
    for (u32 outside = alike & ~mask; outside; outside &= outside - 1) {
      const u32 lane = u32(__builtin_ctz(outside));
      tell_inactive(context, op, warp, lane, lane);
    }
    if (mask & active & ~alike) unlike |= alike;
    lanes &= ~alike;
  }
  for (; unlike; unlike &= unlike - 1) tell_inactive(context, op, warp, u32(__builtin_ctz(unlike)), unlike_masks);
}

// And those that it names must come: lanes that are alive but elsewhere and never come, the operation would wait for.
void check_named(Context& context, const Op* op, u32 warp, const u32* masks) {
  const u32 elsewhere = context.live[warp] & ~context.bits[warp];
  for (u32 bits = elsewhere ? context.bits[warp] : 0; bits; bits &= bits - 1) {
    const u32 missing = masks[__builtin_ctz(bits)] & elsewhere;
    if (missing) tell_inactive(context, op, warp, u32(__builtin_ctz(missing)), any_lane);
  }
}

void check_members(Context& context, const Op* op, u32 warp, const u32* masks) {
  check_own(context, op, warp, masks);
  check_named(context, op, warp, masks);
}

// Lanes that give the same mask meet.
void each_meeting(Context& context, u32 warp, const u32* masks, void (*meet)(order::BlockOrder&, u32 warp, u32 lanes)) {
  for (u32 lanes = context.bits[warp]; lanes;) {
    const u32 together = like_the_first(masks, lanes);
    meet(*context.block->order, context.first_thread / lanes_per_warp + warp, together);
    lanes &= ~together;
  }
}

// What the lanes that exchange values have acquired from others, each of them goes on with: one lane of a warp takes a
// signal, and a shuffle tells the rest of it.
void pass_on(Context& context, u32 warp, const u32* masks) {
  if (context.block->order) each_meeting(context, warp, masks, order::Order::pass_on);
}

// Lanes that were waited for and have left: a finding where they went round the operation, or came to another one in
// its place. One that returned before it is not missed (CUDA C++ Programming Guide, warp functions: all non-exited
// threads that the mask names must execute them).
void look_for_those_who_left(Context& context, const Op* op) {
  const auto at =
      std::find_if(context.awaited.begin(), context.awaited.end(), [&](const Awaited& it) { return it.op == op; });
  if (at == context.awaited.end()) return;
  const Block& block = *context.block;
  if (block.trails.empty()) block.launch->note_missed(op->step);
  for (u32 warp = 0; warp < context.warps && !block.trails.empty(); ++warp) {
    for (u32 left = at->lanes[warp] & ~context.live[warp]; left; left &= left - 1) {
      const u32 lane = u32(__builtin_ctz(left));
      const Trail& trail = block.trails[context.first_thread + warp * lanes_per_warp + lane];
      const WentRound went = block.absences->lane_went_round(op->step, trail);
      if (went == WentRound::No) continue;
      tell_inactive(context, op, warp, lane, any_lane, went == WentRound::Yes ? Severity::Error : Severity::Warning);
    }
  }
  context.awaited.erase(at);
}

// Stops where lanes that are needed are alive and elsewhere: they are waited for. False: the operation can run.
// members(warp): the lanes that those of a warp name which execute the operation.
template <class Members>
bool waits_for(Context& context, const Op* op, Members members) {
  Awaited missing{op, {}};
  bool any = false;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    const u32 elsewhere = context.live[warp] & ~context.bits[warp];
    if (elsewhere && context.bits[warp]) missing.lanes[warp] = members(warp) & elsewhere;
    any |= missing.lanes[warp] != 0;
  }
  if (!any && context.awaited.empty()) return false;
  if (!any || context.forced == op) {
    context.forced = nullptr;
    look_for_those_who_left(context, op);
    return false;
  }
  const auto at =
      std::find_if(context.awaited.begin(), context.awaited.end(), [&](const Awaited& it) { return it.op == op; });
  if (at == context.awaited.end())
    context.awaited.push_back(missing);
  else
    for (u32 warp = 0; warp < max_warps; ++warp) at->lanes[warp] |= missing.lanes[warp];
  context.stop = Stop::Lanes;
  context.op = op;
  return true;
}

// Of an operation that gives its members by a mask.
bool waits(Context& context, const Op* op, u32 mask) {
  return waits_for(context, op, [&](u32 warp) {
    const u32* masks = lanes_of<u32>(context, mask, warp);
    u32 named = 0;
    for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) named |= masks[__builtin_ctz(bits)];
    return named;
  });
}

template <bool is_settled>
const Op* shuffle_lanes(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  const auto mode = std::get<ShuffleMode>(step.mode);
  u32 results[max_warps][lanes_per_warp] = {};
  u8 valid[max_warps][lanes_per_warp] = {};
  u32 sources[max_warps][lanes_per_warp] = {};  // of what lanes read from one that does not take part
  // Where it has been reported that lanes do not come, nobody waits for them.
  if (!is_settled && waits(context, op, step.inputs[3])) return nullptr;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    const u32 active = context.bits[warp];
    if (active == 0) continue;
    const u32* a = lanes_of<u32>(context, step.inputs[0], warp);
    const u32* b = lanes_of<u32>(context, step.inputs[1], warp);
    const u32* c = lanes_of<u32>(context, step.inputs[2], warp);
    const u32* members = lanes_of<u32>(context, step.inputs[3], warp);
    if (!is_settled) check_own(context, op, warp, members);
    pass_on(context, warp, members);
    if (RaceJudge* judge = context.block->launch->judge) judge->note_shuffle(context, warp, a);
    bool is_reported = false;
    for (u32 bits = active; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      const ShuffleSource source = shuffle_source(mode, lane, b[lane], c[lane]);
      const u32 from = source.lane;
      valid[warp][lane] = source.inside ? 0xff : 0;
      results[warp][lane] = a[from];
      if (is_settled && (members[lane] & context.live[warp] & ~active)) context.block->met_settled = true;
      if ((active & (members[lane] | 1u << lane)) >> from & 1u) continue;
      if (is_settled) {
        context.block->met_settled = true;
        continue;
      }
      if (!context.shadow) return stop_carefully(context, op);  // a value that is not to be trusted
      // A lane that the mask names and that is elsewhere should have come. What others have is undefined, and no more.
      if (members[lane] & context.live[warp] & ~active & 1u << from) {
        sources[warp][lane] = UnwrittenReads::a_finding;
        tell_inactive(context, op, warp, lane, from);
        is_reported = true;
      } else {
        sources[warp][lane] = source_of_inactive_lane(context, op->step, warp, lane, from);
      }
    }
    if (!is_settled && !is_reported) check_named(context, op, warp, members);
  }
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    u32* d = lanes_of<u32>(context, step.d, warp);
    u8* p = step.d2 == no_value ? nullptr : lanes_of<u8>(context, step.d2, warp);
    for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      d[lane] = results[warp][lane];
      if (p) p[lane] = valid[warp][lane];
      if (sources[warp][lane]) context.shadow->set_whole(step.d, warp, lane, sources[warp][lane]);
    }
  }
  return op + 1;
}

}  // namespace

const Op* shuffle(Context& context, const Op* op) { return shuffle_lanes<false>(context, op); }
const Op* shuffle_settled(Context& context, const Op* op) { return shuffle_lanes<true>(context, op); }

const Op* vote(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  const auto mode = std::get<VoteMode>(step.mode);
  if (waits(context, op, step.inputs[1])) return nullptr;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    const u32 active = context.bits[warp];
    if (active == 0) continue;
    const u8* a = lanes_of<u8>(context, step.inputs[0], warp);
    const u32* masks = lanes_of<u32>(context, step.inputs[1], warp);
    check_members(context, op, warp, masks);
    pass_on(context, warp, masks);
    u32 holds = 0;
    for (u32 bits = active; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      holds |= a[lane] ? 1u << lane : 0;
    }
    for (u32 bits = active; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      const u32 members = masks[lane] & active;
      if (mode == VoteMode::Ballot) {
        lanes_of<u32>(context, step.d, warp)[lane] = holds & members;
        continue;
      }
      const bool all = (holds & members) == members, none = (holds & members) == 0;
      const bool result = mode == VoteMode::All ? all : mode == VoteMode::Any ? !none : all || none;
      lanes_of<u8>(context, step.d, warp)[lane] = result ? 0xff : 0;
    }
  }
  return op + 1;
}

const Op* match(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  const auto mode = std::get<MatchMode>(step.mode);
  if (waits(context, op, step.inputs[1])) return nullptr;
  const u32 size = context.program->code->values[step.inputs[0]].size;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    const u32 active = context.bits[warp];
    if (active == 0) continue;
    const std::byte* a = lanes_of<std::byte>(context, step.inputs[0], warp);
    const u32* masks = lanes_of<u32>(context, step.inputs[1], warp);
    check_members(context, op, warp, masks);
    pass_on(context, warp, masks);
    u64 values[lanes_per_warp] = {};
    u32 results[lanes_per_warp] = {};
    for (u32 i = 0; i < lanes_per_warp; ++i) __builtin_memcpy(&values[i], a + i * size, size);
    for (u32 bits = active; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      for (u32 other = 0; other < lanes_per_warp; ++other) {
        if (((masks[lane] & active) >> other & 1u) && values[other] == values[lane]) results[lane] |= 1u << other;
      }
    }
    for (u32 bits = active; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      const u32 members = masks[lane] & active;
      const bool all = results[lane] == members;
      lanes_of<u32>(context, step.d, warp)[lane] = mode == MatchMode::Any || all ? results[lane] : 0;
      if (step.d2 != no_value) lanes_of<u8>(context, step.d2, warp)[lane] = all ? 0xff : 0;
    }
  }
  return op + 1;
}

namespace {

u32 combined(LaneReduction operation, bool is_signed, u32 x, u32 y) {
  const bool less = is_signed ? i32(x) < i32(y) : x < y;
  switch (operation) {
    case LaneReduction::Add:
      return x + y;
    case LaneReduction::And:
      return x & y;
    case LaneReduction::Or:
      return x | y;
    case LaneReduction::Xor:
      return x ^ y;
    case LaneReduction::Min:
      return less ? x : y;
    case LaneReduction::Max:
      return less ? y : x;
  }
  return 0;
}

u32 combined(FloatReduction operation, u32 x, u32 y) {
  using namespace arithmetic;
  const u32 kept = operation.of_magnitudes ? 0x7fffffffu : ~0u;
  const float a = bits_to_f32(x & kept), b = bits_to_f32(y & kept);
  if (operation.propagates_nan && (is_nan(a) || is_nan(b))) return canonical_nan_f32;
  return f32_to_bits(operation.is_maximum ? greater(a, b) : lesser(a, b));
}

}  // namespace

const Op* reduce(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  if (waits(context, op, step.inputs[1])) return nullptr;
  const auto* const of_floats = std::get_if<FloatReduction>(&step.mode);
  const auto combine = [&](u32 x, u32 y) {
    return of_floats ? combined(*of_floats, x, y)
                     : combined(std::get<LaneReduction>(step.mode), op->immediate != 0, x, y);
  };
  for (u32 warp = 0; warp < context.warps; ++warp) {
    const u32 active = context.bits[warp];
    if (active == 0) continue;
    const u32* a = lanes_of<u32>(context, step.inputs[0], warp);
    const u32* masks = lanes_of<u32>(context, step.inputs[1], warp);
    check_members(context, op, warp, masks);
    pass_on(context, warp, masks);
    u32 results[lanes_per_warp] = {};
    for (u32 bits = active; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      u32 members = masks[lane] & active;
      if (members == 0) continue;
      u32 result = a[__builtin_ctz(members)];
      if (of_floats) result = combine(result, result);  // of one lane alone
      for (members &= members - 1; members; members &= members - 1) result = combine(result, a[__builtin_ctz(members)]);
      results[lane] = result;
    }
    for (u32 bits = active; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      lanes_of<u32>(context, step.d, warp)[lane] = results[lane];
    }
  }
  return op + 1;
}

const Op* active_mask(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  for (u32 warp = 0; warp < context.warps; ++warp) {
    u32* d = lanes_of<u32>(context, step.d, warp);
    for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) d[__builtin_ctz(bits)] = context.bits[warp];
  }
  return op + 1;
}

const Op* elect(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  if (waits(context, op, step.inputs[0])) return nullptr;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    const u32 active = context.bits[warp];
    if (active == 0) continue;
    const u32* masks = lanes_of<u32>(context, step.inputs[0], warp);
    for (u32 bits = active; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      const u32 members = masks[lane] & active;
      const u32 leader = members ? u32(__builtin_ctz(members)) : lane;
      lanes_of<u32>(context, step.d, warp)[lane] = leader;
      lanes_of<u8>(context, step.d2, warp)[lane] = leader == lane ? 0xff : 0;
    }
  }
  return op + 1;
}

const Op* whole_warps(Context& context, const Op* op) {
  constexpr u32 all = 0xffffffffu;
  const auto is_part = [](u32 bits) { return bits != 0 && bits != all; };
  if (std::none_of(context.bits, context.bits + context.warps, is_part)) return op;
  if (!context.shadow) return stop_carefully(context, op);
  if (waits_for(context, op, [](u32) { return all; })) return nullptr;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    const u32 bits = context.bits[warp];
    if (is_part(bits)) tell_inactive(context, op, warp, u32(__builtin_ctz(bits)), u32(__builtin_ctz(~bits)));
  }
  return op;
}

// Lane l holds the elements (2l % 8, 2l % 8 + 1) of row l / 4: the 8x8 matrix is transposed (PTX ISA, movmatrix).
const Op* move_matrix(Context& context, const Op* op) {
  if (!whole_warps(context, op)) return nullptr;
  const Step& step = step_of(context, op);
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    const u32* a = lanes_of<u32>(context, step.inputs[0], warp);
    u16 rows[8][8];
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
      rows[lane / 4][lane % 4 * 2] = u16(a[lane]);
      rows[lane / 4][lane % 4 * 2 + 1] = u16(a[lane] >> 16);
    }
    u32* d = lanes_of<u32>(context, step.d, warp);
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
      d[lane] = u32(rows[lane % 4 * 2][lane / 4]) | u32(rows[lane % 4 * 2 + 1][lane / 4]) << 16;
    }
  }
  return op + 1;
}

const Op* warp_barrier(Context& context, const Op* op) {
  if (waits(context, op, step_of(context, op).a)) return nullptr;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    const u32* masks = lanes_of<u32>(context, step_of(context, op).a, warp);
    check_members(context, op, warp, masks);
    if (context.block->order) each_meeting(context, warp, masks, order::Order::meet_in_warp);
  }
  return op + 1;
}

}  // namespace ropewalk::machine::warp_wide
