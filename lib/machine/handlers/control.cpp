#include "lib/machine/handlers/control.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/machine/address.h"
#include "lib/machine/block.h"
#include "lib/machine/checks/check.h"
#include "lib/machine/launch_state.h"
#include "lib/machine/program.h"

namespace ropewalk::machine::control {

namespace {

bool any(const u32 (&bits)[max_warps]) { return (bits[0] | bits[1] | bits[2] | bits[3]) != 0; }

void set_mask(Context& context, const u32 (&bits)[max_warps]) {
  for (u32 w = 0; w < max_warps; ++w) context.bits[w] = bits[w];
  context.unpack_mask();
}

// 32 predicate bytes (0 or 0xff) as bits.
u32 pack_bits(const u8* lanes) {
  u32 bits = 0;
  for (u32 i = 0; i < lanes_per_warp; i += 8) {
    u64 eight;
    __builtin_memcpy(&eight, lanes + i, 8);
    bits |= u32(((eight & 0x8040201008040201ull) * 0x0101010101010101ull) >> 56) << i;
  }
  return bits;
}

const Op* stop(Context& context, const Op* op, Stop why) {
  context.stop = why;
  context.op = op;
  return nullptr;
}

// Jumping backwards is what an endless loop must do: it is counted there.
const Op* go(Context& context, const Op* from, const Op* to) {
  if (to <= from) {
    context.budget -= from - to + 1;
    if (context.budget < 0) return stop(context, to, Stop::Budget);
  }
  return to;
}

}  // namespace

// No lane is active: the waiting side of the innermost split goes on, or those that wait at its join.
const Op* resume(Context& context) {
  const Op* ops = context.program->ops.data();
  while (!context.open.empty()) {
    Divergence& top = context.open.back();
    u32 bits[max_warps];
    for (u32 w = 0; w < max_warps; ++w) bits[w] = top.pending_bits[w] & context.live[w];
    const u32 join = top.join, pending = top.pending;
    if (any(bits)) {
      for (u32& waiting : top.pending_bits) waiting = 0;
      // Nobody waits where these sides do not meet.
      if (join == Divergence::nowhere) context.open.pop_back();
      set_mask(context, bits);
      return ops + pending;
    }
    for (u32 w = 0; w < max_warps; ++w) bits[w] = top.join_bits[w] & context.live[w];
    context.open.pop_back();
    if (join != Divergence::nowhere && any(bits)) {
      set_mask(context, bits);
      return ops + join;
    }
  }
  return stop(context, nullptr, Stop::Done);
}

namespace {

// Lanes that can run on their own from an operation.
struct Party {
  u32 at = 0;
  u32 bits[max_warps] = {};
  bool parked = false;
};

// Who of a context's lanes is where: those that are active first, then from the innermost split outwards. Lanes that
// wait at a join are there.
std::vector<Party> parties_of(const Context& context, u32 at, bool parked) {
  std::vector<Party> out;
  u32 seen[max_warps] = {};
  const auto add = [&](u32 where, const u32(&bits)[max_warps], bool is_parked) {
    Party party{where, {}, is_parked};
    for (u32 w = 0; w < max_warps; ++w) {
      party.bits[w] = bits[w] & context.live[w] & ~seen[w];
      seen[w] |= party.bits[w];
    }
    if (!any(party.bits)) return;
    for (Party& other : out) {
      if (other.at != where) continue;
      for (u32 w = 0; w < max_warps; ++w) other.bits[w] |= party.bits[w];
      other.parked = false;
      return;
    }
    out.push_back(party);
  };
  add(at, context.bits, parked);
  for (auto split = context.open.rbegin(); split != context.open.rend(); ++split) {
    add(split->pending, split->pending_bits, split->parked);
    if (split->join != Divergence::nowhere) add(split->join, split->join_bits, false);
  }
  return out;
}

}  // namespace

Yielded yield(Context& context, const Op* at, bool parked) {
  const Op* ops = context.program->ops.data();
  std::vector<Party> parties = parties_of(context, u32(at - ops), parked);
  if (parties.empty()) return Yielded::Alone;
  bool merged = false;
  for (u32 w = 0; w < max_warps; ++w) merged |= parties[0].bits[w] != context.bits[w];
  std::size_t next = 0;
  if (!merged) {
    for (next = 1; next < parties.size() && parties[next].parked; ++next) {
    }
    if (next == parties.size()) return Yielded::Alone;
  }
  // The others take turns: who has run waits longest.
  const Party active = parties[next];
  parties.erase(parties.begin() + long(next));
  if (!merged) std::rotate(parties.begin(), parties.begin() + 1, parties.end());
  context.open.clear();
  for (auto party = parties.rbegin(); party != parties.rend(); ++party) {
    Divergence split;
    split.join = Divergence::nowhere;
    split.pending = party->at;
    split.parked = party->parked;
    for (u32 w = 0; w < max_warps; ++w) split.pending_bits[w] = party->bits[w];
    context.open.push_back(split);
  }
  set_mask(context, active.bits);
  context.op = ops + active.at;
  return merged ? Yielded::Merged : Yielded::Switched;
}

void active_where(const Context& context, u32 offset, u32 pitch, bool negated, u32 (&bits)[max_warps]) {
  for (u32 w = 0; w < max_warps; ++w) bits[w] = 0;
  for (u32 w = 0; w < context.warps; ++w) {
    if (context.bits[w] == 0) continue;
    const u32 holds = pack_bits(reinterpret_cast<const u8*>(context.registers + offset + w * pitch));
    bits[w] = context.bits[w] & (negated ? ~holds : holds);
  }
}

const Op* jump(Context& context, const Op* op) { return go(context, op, context.program->ops.data() + op->target); }

const Op* branch_uniform(Context& context, const Op* op) {
  const bool holds = *reinterpret_cast<const u8*>(context.registers + op->a) != 0;
  if (holds == step_of(context, op).predicate_negated) return op + 1;
  return go(context, op, context.program->ops.data() + op->target);
}

namespace {

// Whether nothing comes from here on but the end of the lanes.
bool leads_out(const Context& context, const Op* op) {
  while (op->run == join) ++op;
  return op->run == exit_lanes && step_of(context, op).predicate == no_value;
}

}  // namespace

const Op* branch(Context& context, const Op* op) {
  u32 taken[max_warps];
  active_where(context, op->a, op->step_a, step_of(context, op).predicate_negated, taken);
  const Op* ops = context.program->ops.data();
  if (!any(taken)) return op + 1;
  u32 stays[max_warps];
  for (u32 w = 0; w < max_warps; ++w) stays[w] = context.bits[w] & ~taken[w];
  if (!any(stays)) return go(context, op, ops + op->target);

  // Who leaves is gone, and nobody waits for it.
  if (leads_out(context, ops + op->target)) return leave(context, taken, op);
  if (leads_out(context, op + 1)) {
    leave(context, stays, op);
    return go(context, op, ops + op->target);
  }
  const u32 join = u32(op->immediate), next = u32(op + 1 - ops);
  const bool taken_joins = op->target == join, stays_joins = next == join;
  // A loop that lanes leave one after the other: those that left wait at the join that is open already.
  const bool reuse =
      !context.open.empty() && context.open.back().join == join && !any(context.open.back().pending_bits);
  if (!(reuse && (taken_joins || stays_joins))) {
    Divergence split;
    split.join = join;
    for (u32 w = 0; w < max_warps; ++w) split.join_bits[w] = context.bits[w];
    if (!taken_joins && !stays_joins) {
      split.pending = op->target;
      for (u32 w = 0; w < max_warps; ++w) split.pending_bits[w] = taken[w];
    }
    context.open.push_back(split);
  }
  if (stays_joins) {
    set_mask(context, taken);
    return go(context, op, ops + op->target);
  }
  set_mask(context, stays);
  return op + 1;
}

namespace {

// Lanes whose index is past the list of targets: where they would go is undefined, so they end here.
const Op* branch_nowhere(Context& context, const Op* op) {
  if (!context.shadow) return stop(context, op, Stop::Careful);
  const u32 targets = u32(step_of(context, op).targets.size());
  Block& block = *context.block;
  u32 lost[max_warps] = {};
  for (u32 w = 0; w < context.warps; ++w) {
    const u32* index = reinterpret_cast<const u32*>(context.registers + op->a + w * op->step_a);
    for (u32 bits = context.bits[w]; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      if (index[lane] < targets) continue;
      lost[w] |= 1u << lane;
      for (const auto& checker : block.launch->checkers) {
        checker->on_branch_table(context, op->step, w, lane, index[lane], targets);
      }
    }
  }
  block.launch->lost_stores = true;
  const Op* const next = leave(context, lost, op);
  return next == op + 1 ? op : next;  // the others branch
}

}  // namespace

const Op* branch_table(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  const Op* ops = context.program->ops.data();
  const u32 join = u32(op->immediate);
  // One target after the other: the lanes of the lowest one run, the others wait as a split that ends here again.
  u32 lowest = 0xffffffffu;
  for (u32 w = 0; w < context.warps; ++w) {
    const u32* index = reinterpret_cast<const u32*>(context.registers + op->a + w * op->step_a);
    for (u32 i = 0; i < lanes_per_warp; ++i) {
      if (((context.bits[w] >> i) & 1u) && index[i] < lowest) lowest = index[i];
    }
  }
  u32 highest = 0;
  for (u32 w = 0; w < context.warps; ++w) {
    const u32* index = reinterpret_cast<const u32*>(context.registers + op->a + w * op->step_a);
    for (u32 bits = context.bits[w]; bits; bits &= bits - 1) highest = std::max(highest, index[__builtin_ctz(bits)]);
  }
  if (highest >= step.targets.size()) return branch_nowhere(context, op);
  u32 taken[max_warps] = {}, stays[max_warps] = {};
  for (u32 w = 0; w < context.warps; ++w) {
    const u32* index = reinterpret_cast<const u32*>(context.registers + op->a + w * op->step_a);
    for (u32 i = 0; i < lanes_per_warp; ++i) {
      if (!((context.bits[w] >> i) & 1u)) continue;
      (index[i] == lowest ? taken[w] : stays[w]) |= 1u << i;
    }
  }
  const Op* target = ops + context.program->op_of_instruction[step.targets[lowest]];
  if (any(stays)) {
    Divergence split;
    split.join = join;
    split.pending = u32(op - ops);
    for (u32 w = 0; w < max_warps; ++w) {
      split.join_bits[w] = context.bits[w];
      split.pending_bits[w] = stays[w];
    }
    context.open.push_back(split);
    set_mask(context, taken);
  }
  return go(context, op, target);
}

const Op* join(Context& context, const Op* op) {
  const Op* ops = context.program->ops.data();
  const u32 here = u32(op - ops);
  while (!context.open.empty() && context.open.back().join == here) {
    Divergence& top = context.open.back();
    u32 bits[max_warps];
    for (u32 w = 0; w < max_warps; ++w) bits[w] = top.pending_bits[w] & context.live[w];
    if (any(bits)) {
      for (u32& pending : top.pending_bits) pending = 0;
      set_mask(context, bits);
      return go(context, op, ops + top.pending);
    }
    for (u32 w = 0; w < max_warps; ++w) bits[w] = top.join_bits[w] & context.live[w];
    context.open.pop_back();
    set_mask(context, bits);
  }
  return op + 1;
}

const Op* predicated(Context& context, const Op* op) {
  u32 bits[max_warps];
  const Step& step = step_of(context, op);
  const Program& program = *context.program;
  active_where(context, program.offset[step.predicate], program.pitch[step.predicate], step.predicate_negated, bits);
  u32 before[max_warps];
  if (!narrow(context, bits, before)) return op + 1;
  context.around = before;
  const Op* next = op->inner(context, op);
  context.around = nullptr;
  widen(context, before);
  return next;
}

bool narrow(Context& context, const u32 (&active)[max_warps], u32 (&before)[max_warps]) {
  if (!any(active)) return false;
  bool all = true;
  for (u32 w = 0; w < max_warps; ++w) {
    before[w] = context.bits[w];
    all &= before[w] == active[w];
  }
  if (!all) set_mask(context, active);
  return true;
}

void widen(Context& context, const u32 (&before)[max_warps]) {
  bool all = true;
  for (u32 w = 0; w < max_warps; ++w) all &= before[w] == context.bits[w];
  if (!all) set_mask(context, before);
}

const Op* predicated_uniform(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  const bool holds = *reinterpret_cast<const u8*>(context.registers + context.program->offset[step.predicate]) != 0;
  if (holds == step.predicate_negated) return op + 1;
  return op->inner(context, op);
}

const Op* exit_lanes(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  u32 leaving[max_warps];
  if (step.predicate == no_value) {
    for (u32 w = 0; w < max_warps; ++w) leaving[w] = context.bits[w];
  } else {
    active_where(context, op->a, op->step_a, step.predicate_negated, leaving);
    if (!any(leaving)) return op + 1;
  }
  return leave(context, leaving, op);
}

const Op* leave(Context& context, const u32 (&leaving)[max_warps], const Op* op) {
  u32 stays[max_warps];
  for (u32 w = 0; w < max_warps; ++w) {
    context.live[w] &= ~leaving[w];
    stays[w] = context.bits[w] & ~leaving[w];
  }
  if (any(stays)) {
    set_mask(context, stays);
    return op + 1;
  }
  return resume(context);
}

const Op* end(Context& context, const Op*) {
  for (u32 w = 0; w < max_warps; ++w) context.live[w] &= ~context.bits[w];
  return resume(context);
}

const Op* count(Context& context, const Op* op) {
  u32 lanes = 0;
  for (u32 w = 0; w < context.warps; ++w) lanes += u32(__builtin_popcount(context.bits[w]));
  context.block->thread_instructions += op->immediate * lanes;
  return op + 1;
}

const Op* observe(Context& context, const Op* op) {
  u32 taken[max_warps];
  active_where(context, op->a, op->step_a, step_of(context, op).predicate_negated, taken);
  u8& seen = context.block->branches[op->step];
  for (u32 w = 0; w < context.warps; ++w) {
    const u32 active = context.bits[w];
    if (taken[w]) seen |= Block::branch_taken;
    if (active & ~taken[w]) seen |= Block::branch_not_taken;
    if (taken[w] && taken[w] != active) seen |= Block::branch_divergent;
  }
  return op + 1;
}

const Op* note_trail(Context& context, const Op* op) {
  Trail* const trails = context.block->trails.data() + context.first_thread;
  const Landmark& here = *static_cast<const Landmark*>(op->extra);
  for (u32 w = 0; w < context.warps; ++w) {
    Trail* const of_warp = trails + w * lanes_per_warp;
    for (u32 bits = context.bits[w]; bits; bits &= bits - 1) of_warp[__builtin_ctz(bits)].enter(here);
  }
  return op + 1;
}

const Op* nothing(Context&, const Op* op) { return op + 1; }

const Op* trap(Context& context, const Op* op) { return stop(context, op, Stop::Trap); }

const Op* refuse(Context& context, const Op* op) {
  context.block->refusal = step_of(context, op).text;
  context.block->refusal_step = op->step;
  return stop(context, op, Stop::Refused);
}

const Op* call_astray(Context& context, const Op* op) {
  Block& block = *context.block;
  const u64 functions = block.launch->code->module->functions.size();
  const auto for_lanes = [&](const auto& body) {
    for (u32 w = 0; w < context.warps; ++w) {
      const u64* const addresses = reinterpret_cast<const u64*>(context.registers + op->a + w * op->step_a);
      for (u32 bits = context.bits[w]; bits; bits &= bits - 1) {
        const u32 lane = u32(__builtin_ctz(bits));
        body(w, lane, addresses[lane]);
      }
    }
  };
  bool is_function = false;
  for_lanes([&](u32, u32, u64 address) {
    is_function |= address >= address_of_function(0) && address < address_of_function(u32(functions));
  });
  if (is_function) return refuse(context, op);
  if (!context.shadow) return stop(context, op, Stop::Careful);
  for_lanes([&](u32 w, u32 lane, u64 address) {
    Occurrence out;
    out.rule = Rule::IllegalAddress;
    out.step = op->step;
    out.block = block.number;
    out.thread = context.first_thread + w * lanes_per_warp + lane;
    block.collector->report(out, [&](Occurrence& example) {
      example.detail = address ? fmt::format("calls address {:#x}, where no function of the device is", address)
                               : "calls a null pointer to a function";
    });
  });
  block.launch->lost_stores = true;
  u32 lost[max_warps];
  for (u32 w = 0; w < max_warps; ++w) lost[w] = context.bits[w];
  return leave(context, lost, op);
}

}  // namespace ropewalk::machine::control
