#include "lib/machine/doubt.h"

#include <algorithm>
#include <cstring>

#include "lib/machine/address.h"
#include "lib/machine/decode/step_values.h"
#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/handlers/careful_marks.h"
#include "lib/machine/handlers/careful_memory.h"
#include "lib/machine/known_differences.h"
#include "lib/machine/known_ranges.h"
#include "lib/machine/launch_state.h"
#include "lib/machine/local_memory.h"
#include "lib/machine/maybe_stored.h"

namespace ropewalk::machine {

namespace {

// Whether a step does nothing but give values to registers.
bool only_computes(const Step& step) {
  switch (step.kind) {
    // Who looks again and again at what others change waits for them: with it goes the order of what follows.
    case StepKind::Load:
      return !step.memory->is_strong();
    case StepKind::Compute:
    case StepKind::Branch:
    case StepKind::Fence:
    case StepKind::GridControl:
    case StepKind::Nothing:
    case StepKind::IndexStatement:
      return true;
    default:
      return false;
  }
}

// The moves on the way from a block to the point where ways meet; nothing: more is done there.
std::optional<std::vector<std::pair<u32, u32>>> moves_only(const Code& code, u32 block, u32 join) {
  const ptx::Flow& flow = code.flow;
  std::vector<std::pair<u32, u32>> moves;
  for (std::size_t jumps = 0; block != join; ++jumps) {
    const ptx::Block& range = flow.blocks[block];
    if (range.successors.size() != 1 || range.first == range.last || jumps == flow.blocks.size()) return {};
    for (u32 s = code.first_step[range.first]; s < code.first_step[range.last]; ++s) {
      const Step& step = code.steps[s];
      if (step.kind == StepKind::Compute && step.is_move && step.predicate == no_value)
        moves.emplace_back(step.d, step.a);
      else if (step.kind != StepKind::Branch && step.kind != StepKind::Nothing)
        return {};
    }
    block = range.successors[0];
  }
  return moves;
}

// What lies between a branch and the point where its ways meet.
BranchRegion region_of(const Code& code, const Step& branch) {
  BranchRegion region;
  const ptx::Flow& flow = code.flow;
  const u32 start = flow.block_of[branch.instruction], join = flow.post_dominator[start];
  std::vector<bool> seen(flow.blocks.size(), false), written(code.values.size(), false);
  std::vector<u32> open(flow.blocks[start].successors);
  while (!open.empty()) {
    const u32 block = open.back();
    open.pop_back();
    region.repeats |= block == start;
    if (block == join || seen[block]) continue;
    seen[block] = true;
    const ptx::Block& range = flow.blocks[block];
    open.insert(open.end(), range.successors.begin(), range.successors.end());
    for (u32 s = code.first_step[range.first]; range.first < range.last && s < code.first_step[range.last]; ++s) {
      if (only_stores(code.steps[s]))
        region.stores.push_back(s);
      else
        region.only_computes &= only_computes(code.steps[s]);
      for_writes(code.steps[s], [&](u32 value) { written[value] = true; });
    }
  }
  for (const u32 store : region.stores) {
    const MemoryStep& memory = *code.steps[store].memory;
    region.targets_are_known &= memory.address == no_value || !written[memory.address];
    region.may_stay_in_block &= !region.repeats && memory.space != MemorySpace::Global;
  }
  written[branch.predicate] = true;  // lanes are sent by it
  for (u32 value = 0; value < written.size(); ++value) {
    if (written[value]) region.written.push_back(value);
  }
  // A label may stand past the end of the instructions.
  const u32 target = branch.target < flow.block_of.size() ? flow.block_of[branch.target] : flow.exit;
  if (const auto moves = moves_only(code, target, join)) {
    region.goes_in = branch.predicate_negated;
    region.moves = *moves;
  } else if (const auto moves_on = moves_only(code, start + 1, join)) {
    region.goes_in = !branch.predicate_negated;
    region.moves = *moves_on;
  }
  return region;
}

const BranchRegion& known_region(Context& context, u32 step) {
  auto& regions = context.shadow->regions;
  const auto at = regions.find(step);
  if (at != regions.end()) return at->second;
  const Code& code = *context.program->code;
  return regions.emplace(step, region_of(code, code.steps[step])).first->second;
}

// The lanes that are in doubt by a branch already, or nullptr.
Doubt* open_doubt(Shadow& shadow, u32 step) {
  for (Doubt& doubt : shadow.doubts) {
    if (doubt.step == step) return &doubt;
  }
  return nullptr;
}

// A register has no read that could be reported: the branch on it is reported instead, where it matters.
u32 source_of_branch(const Context& context, u32 step, u32 warp, u32 lane) {
  Occurrence branch;
  branch.rule = Rule::UninitializedRead;
  branch.step = step;
  branch.block = context.block->number;
  branch.thread = context.first_thread + warp * lanes_per_warp + lane;
  branch.detail = "a register that nobody wrote decides a branch";
  return context.block->unwritten.add(std::move(branch));
}

// What a lane is in doubt by, each branch once.
u32 source_of_doubts(Context& context, u32 warp, u32 lane) {
  u32 source = UnwrittenReads::none;
  for (const Doubt& doubt : context.shadow->doubts) {
    if (!((doubt.watched[warp] >> lane) & 1u)) continue;
    source = context.block->unwritten.join(source, doubt.sources[warp * lanes_per_warp + lane]);
  }
  return source;
}

// Where a store of a lane goes in its own memory, as if that were a register; nothing: elsewhere.
std::optional<u32> own_offset(const Context& context, const Step& step, u32 warp, u32 lane) {
  const MemoryStep& memory = *step.memory;
  const u64 base = memory.address == no_value ? 0 : careful::read_value(context, memory.address, warp, lane);
  u64 at = base + u64(memory.offset);
  if (memory.space == MemorySpace::Generic && window_of(at) == local_window)
    at -= generic_base(local_window);
  else if (memory.space != MemorySpace::Local)
    return {};
  if (at + u64(memory.element_bytes) * memory.count > context.local_bytes) return {};
  return u32(at);
}

void store_in_doubt(Context& context, const Step& step, u32 offset, u32 warp, u32 lane,
                    std::vector<StoredInDoubt>& out) {
  Shadow& shadow = *context.shadow;
  const u32 bytes = step.memory->element_bytes;
  const Mark mark = careful::whole_mark(source_of_doubts(context, warp, lane));
  for (u32 i = 0; i < step.memory->count; ++i, offset += bytes) {
    const u32 value = step.memory->values[i];
    const u64 bits = careful::read_value(context, value, warp, lane);
    OwnBytes old{offset, bytes};
    local_load(context, offset, warp, lane, old.held.data(), bytes);
    // It holds that already: either way it is the same.
    if (std::memcmp(old.held.data(), &bits, bytes) == 0 && local_initialized(context, offset, warp, lane, bytes))
      continue;
    for (Doubt& doubt : shadow.doubts) {
      if ((doubt.diverted[warp] >> lane) & 1u) doubt.stored[warp * lanes_per_warp + lane].push_back(old);
    }
    out.push_back({value, warp, lane, shadow.mark_of(value, warp, lane)});
    shadow.set(value, warp, lane, careful::joined(*context.block, out.back().before, mark));
  }
}

// Whether a lane was sent on a way, by any branch; else it goes its own.
bool is_sent(const Context& context, u32 warp, u32 lane) {
  return std::ranges::any_of(context.shadow->doubts, [&](const Doubt& doubt) {
    return doubt.otherwise.contains(warp * lanes_per_warp + lane);
  });
}

// What a lane stores on its own way is undefined from the point on where the ways meet.
void note_own_store(Context& context, const Step& step, u32 offset, u32 warp, u32 lane) {
  for (Doubt& doubt : context.shadow->doubts) {
    if (!((doubt.watched[warp] >> lane) & 1u)) continue;
    doubt.own_stored[warp * lanes_per_warp + lane].push_back(
        {offset, u32(step.memory->element_bytes) * step.memory->count});
  }
}

Known known_of(const Context& context, u32 value, u32 warp, u32 lane) {
  return {careful::read_value(context, value, warp, lane), context.shadow->mark_of(value, warp, lane),
          base_of(context, value, warp, lane)};
}

// What a lane would know of the values that a region writes, had it gone the way of moves alone.
std::vector<Known> known_otherwise(const Context& context, const BranchRegion& region, u32 warp, u32 lane) {
  std::vector<Known> out;
  for (const u32 value : region.written) out.push_back(known_of(context, value, warp, lane));
  const auto index_in = [&](u32 value) {
    return std::ranges::lower_bound(region.written, value) - region.written.begin();
  };
  for (const auto& [to, from] : region.moves) {
    const auto at = std::size_t(index_in(from));
    const bool is_written = at < out.size() && region.written[at] == from;
    out[std::size_t(index_in(to))] = is_written ? out[at] : known_of(context, from, warp, lane);
  }
  return out;
}

// What either way of a region may store to, for a lane at the branch; nothing: not all of it is known.
std::optional<std::vector<BlockBytes>> targets_of(Context& context, const BranchRegion& region, u32 warp, u32 lane) {
  if (!region.targets_are_known) return {};
  std::vector<BlockBytes> out;
  for (const u32 store : region.stores) {
    const auto target = shared_target(context, store, warp, lane);
    if (!target) return {};
    out.push_back(*target);
  }
  return out;
}

// Of a lane that goes its own way.
void follow_stores(Context& context, const BranchRegion& region, u32 warp, u32 lane, Doubt& doubt) {
  if (auto targets = targets_of(context, region, warp, lane))
    doubt.maybe_stored[warp * lanes_per_warp + lane] = std::move(*targets);
  else
    doubt.watched[warp] |= 1u << lane;
}

// Goes in once: a loop that goes on by chance need not end.
void send_in(Context& context, const Step& branch, const BranchRegion& region, u32 warp, u32 lane, bool again,
             Doubt& doubt) {
  u8& predicate = context.program->lanes<u8>(context.registers, branch.predicate, warp)[lane];
  if (!again) {
    doubt.watched[warp] |= 1u << lane;
    if ((predicate != 0) != *region.goes_in) doubt.diverted[warp] |= 1u << lane;
    doubt.otherwise[warp * lanes_per_warp + lane] = known_otherwise(context, region, warp, lane);
  }
  predicate = *region.goes_in != again ? 0xff : 0;
}

// Gives a value that is one of two the mark of both, and a range. `source`: of what decides which it is.
void mark_either(Context& context, u32 value, u32 warp, u32 lane, const Known& now, const Known& other, u32 source) {
  Block& block = *context.block;
  Mark mark = careful::whole_mark(source);
  mark.bits = now.bits ^ other.bits;
  if (mark.bits) mark.bits |= now.mark.bits | other.mark.bits;
  context.shadow->set(value, warp, lane, careful::joined(block, careful::joined(block, now.mark, other.mark), mark));
  const auto range = [&](const Known& one) -> std::optional<Range> {
    return one.mark.bits == 0 ? Range() : range_of_base(block, one.base);
  };
  const auto first = range(now), second = range(other);
  if (!first || !second) return;
  const u32 bytes = context.program->code->values[value].size;
  const auto both = range_of_both(*first, *second, other.bits - now.bits, bytes);
  if (both) set_range(context, value, warp, lane, *both);
}

// What a lane that was in doubt knows where the ways meet. A lane that was diverted has the values of its own way
// again: the program computes what it would compute without checks.
void mark_after(Context& context, Doubt& doubt, u32 warp, u32 lane) {
  const u32 lane_index = warp * lanes_per_warp + lane;
  const u32 source = doubt.sources[lane_index];
  const BranchRegion& region = known_region(context, doubt.step);
  const auto otherwise = doubt.otherwise.find(lane_index);
  const bool diverted = (doubt.diverted[warp] >> lane) & 1u;
  for (std::size_t i = 0; i < region.written.size(); ++i) {
    const u32 value = region.written[i];
    const Known now = known_of(context, value, warp, lane);
    const Known* const other = otherwise != doubt.otherwise.end() ? &otherwise->second[i] : nullptr;
    if (other && now == *other) continue;
    if (diverted) careful::write_value(context, value, warp, lane, other->bits);
    // A loop may end after any number of rounds.
    if (!other || region.repeats)
      context.shadow->set(value, warp, lane, careful::joined(*context.block, now.mark, careful::whole_mark(source)));
    else if (diverted)
      mark_either(context, value, warp, lane, *other, now, source);
    else
      mark_either(context, value, warp, lane, now, *other, source);
  }
  if (const auto maybe = doubt.maybe_stored.extract(lane_index)) {
    for (const BlockBytes& at : maybe.mapped())
      mark_maybe_stored(*context.block, {at, context.block->unwritten.computed(source)});
  }
  if (const auto own = doubt.own_stored.extract(lane_index)) {
    for (const BlockBytes& at : own.mapped())
      mark_own_maybe_stored(context, {at, context.block->unwritten.computed(source)}, warp, lane);
  }
  const auto stored = doubt.stored.find(lane_index);
  if (stored == doubt.stored.end()) return;
  for (auto old = stored->second.rbegin(); old != stored->second.rend(); ++old)
    local_store(context, old->offset, warp, lane, old->held.data(), old->bytes);
  doubt.stored.erase(stored);
}

// What a lane did on the way that it was sent counts.
void report_doubt(Context& context, Doubt& doubt, u32 warp, u32 lane) {
  if ((doubt.reported[warp] >> lane) & 1u) return;
  doubt.reported[warp] |= 1u << lane;
  const Mark mark = careful::whole_mark(doubt.sources[warp * lanes_per_warp + lane]);
  careful::note_use(context, doubt.step, warp, lane, mark, "decides a branch");
}

}  // namespace

StepInDoubt before_step_in_doubt(Context& context, const Op* op) {
  StepInDoubt out;
  const Step& step = step_of(context, op);
  if (only_computes(step)) return out;
  std::copy_n(context.bits, max_warps, out.made);
  for (u32 warp = 0; warp < context.warps; ++warp) {
    u32 watched = 0, diverted = 0;
    for (const Doubt& doubt : context.shadow->doubts) {
      watched |= doubt.watched[warp];
      diverted |= doubt.diverted[warp];
    }
    for (u32 bits = watched & context.bits[warp]; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      if (const auto own = step.kind == StepKind::Store ? own_offset(context, step, warp, lane) : std::nullopt) {
        if (is_sent(context, warp, lane))
          store_in_doubt(context, step, *own, warp, lane, out.own);
        else
          note_own_store(context, step, *own, warp, lane);
        continue;
      }
      const auto target = only_stores(step) ? shared_target(context, op->step, warp, lane) : std::nullopt;
      if (!target) {
        report_doubts(context, warp, lane);
        continue;
      }
      out.shared.push_back({*target, context.block->unwritten.computed(source_of_doubts(context, warp, lane))});
      if (!((diverted >> lane) & 1u)) continue;
      out.made[warp] &= ~(1u << lane);
      out.is_left_out = true;
    }
  }
  return out;
}

bool is_in_doubt(const Context& context, u32 warp, u32 lane) {
  return std::ranges::any_of(context.shadow->doubts,
                             [&](const Doubt& doubt) { return (doubt.watched[warp] >> lane) & 1u; });
}

void report_doubts(Context& context, u32 warp, u32 lane) {
  for (Doubt& doubt : context.shadow->doubts) {
    if ((doubt.watched[warp] >> lane) & 1u) report_doubt(context, doubt, warp, lane);
  }
}

void after_step_in_doubt(Context& context, const Op* op, const StepInDoubt& done) {
  for (auto it = done.own.rbegin(); it != done.own.rend(); ++it)
    context.shadow->set(it->value, it->warp, it->lane, it->before);
  for (const MaybeStored& store : done.shared) mark_maybe_stored(*context.block, store);
  const u32 result = step_of(context, op).d;
  if (!done.is_left_out || result == no_value) return;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    for (u32 bits = context.bits[warp] & ~done.made[warp]; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      context.shadow->set_whole(result, warp, lane, source_of_doubts(context, warp, lane));
    }
  }
}

void begin_doubt(Context& context, const Op* op) {
  Shadow& shadow = *context.shadow;
  Block& block = *context.block;
  const Step& step = step_of(context, op);
  Doubt doubt{.step = op->step, .join = u32(op->immediate)};
  Doubt* const before = open_doubt(shadow, op->step);
  bool some = false;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (!shadow.has(step.predicate, warp, poisoned | undefined)) continue;
    for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      const Mark mark = shadow.mark_of(step.predicate, warp, lane);
      u32 source = careful::source_of(block, mark);
      if (source == UnwrittenReads::none || source == UnwrittenReads::a_finding) continue;
      const BranchRegion& region = known_region(context, op->step);
      // Whether a loop ever ends is an effect where what decides it was read in a race: who waits for a flag reads it
      // so.
      const bool is_wait = region.repeats && block.launch->judge;
      if (is_wait || (!region.goes_in && !(region.only_computes && region.may_stay_in_block))) {
        careful::note_use(context, op->step, warp, lane, mark, "decides a branch");
        continue;
      }
      const bool again = before && ((before->lanes[warp] >> lane) & 1u);
      if (source == UnwrittenReads::a_register) {
        if (!block.launch->options.checks.has(Check::Uninitialized)) continue;
        source =
            again ? before->sources[warp * lanes_per_warp + lane] : source_of_branch(context, op->step, warp, lane);
      }
      if (region.goes_in)
        send_in(context, step, region, warp, lane, again, doubt);
      else if (!region.stores.empty())
        follow_stores(context, region, warp, lane, doubt);
      doubt.lanes[warp] |= 1u << lane;
      doubt.sources[warp * lanes_per_warp + lane] = source;
      some = true;
    }
  }
  if (!some) return;
  if (!before) {
    shadow.doubts.push_back(doubt);
    return;
  }
  for (u32 i = 0; i < doubt.sources.size(); ++i) {
    before->sources[i] = block.unwritten.join(before->sources[i], doubt.sources[i]);
  }
  for (u32 warp = 0; warp < max_warps; ++warp) {
    before->lanes[warp] |= doubt.lanes[warp];
    before->watched[warp] |= doubt.watched[warp];
    before->diverted[warp] |= doubt.diverted[warp];
  }
  before->otherwise.merge(doubt.otherwise);
  before->maybe_stored.merge(doubt.maybe_stored);
  before->own_stored.merge(doubt.own_stored);
}

void end_doubts(Context& context, const Op* op) {
  Shadow& shadow = *context.shadow;
  const u32 here = u32(op - context.program->ops.data());
  for (std::size_t n = 0; n < shadow.doubts.size();) {
    Doubt& doubt = shadow.doubts[n];
    bool open = false;
    for (u32 warp = 0; warp < context.warps; ++warp) {
      const u32 ended = doubt.join == here ? doubt.lanes[warp] & context.bits[warp] : 0;
      for (u32 bits = ended; bits; bits &= bits - 1) {
        const u32 lane = u32(__builtin_ctz(bits));
        mark_after(context, doubt, warp, lane);
        doubt.sources[warp * lanes_per_warp + lane] = 0;
        doubt.otherwise.erase(warp * lanes_per_warp + lane);
      }
      doubt.lanes[warp] &= ~ended;
      doubt.watched[warp] &= ~ended;
      doubt.reported[warp] &= ~ended;
      doubt.diverted[warp] &= ~ended;
      open |= (doubt.lanes[warp] & context.live[warp]) != 0;
    }
    if (open || doubt.join != here) {
      ++n;
    } else {
      shadow.doubts.erase(shadow.doubts.begin() + long(n));
    }
  }
}

}  // namespace ropewalk::machine
