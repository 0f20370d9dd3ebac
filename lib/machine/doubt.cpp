#include "lib/machine/doubt.h"

#include "lib/machine/decode/step_values.h"
#include "lib/machine/handlers/careful_marks.h"
#include "lib/machine/handlers/careful_memory.h"
#include "lib/machine/launch_state.h"

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
    case StepKind::Nothing:
    case StepKind::IndexStatement:
      return true;
    default:
      return false;
  }
}

// What lies between a branch and the place where its ways meet.
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
      region.only_computes &= only_computes(code.steps[s]);
      for_writes(code.steps[s], [&](u32 value) { written[value] = true; });
    }
  }
  for (u32 value = 0; value < written.size(); ++value) {
    if (written[value]) region.written.push_back(value);
  }
  const u32 target = flow.block_of[branch.target], next = start + 1;
  if (target != next && (target == join || next == join)) region.goes_in = (next == join) != branch.guard_negated;
  return region;
}

const BranchRegion& known_region(Context& context, u32 step) {
  auto& regions = context.shadow->regions;
  const auto at = regions.find(step);
  if (at != regions.end()) return at->second;
  const Code& code = *context.program->code;
  return regions.emplace(step, region_of(code, code.steps[step])).first->second;
}

}  // namespace

namespace {

// The lanes that are in doubt by a branch already, or nullptr.
Doubt* open_doubt(Shadow& shadow, u32 step) {
  for (Doubt& doubt : shadow.doubts) {
    if (doubt.step == step) return &doubt;
  }
  return nullptr;
}

// A register has no read that could be told of: the branch on it is told of instead, where it matters.
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

// Whether a store goes to the lane's own memory: it is as if it were a register.
bool is_own(const Context& context, const Step& step, u32 warp, u32 lane) {
  const MemoryStep& memory = *step.memory;
  if (memory.space == MemorySpace::Local || memory.space == MemorySpace::Parameter) return true;
  if (memory.space != MemorySpace::Generic || memory.address == no_value) return false;
  const u64 base = context.program->lanes<u64>(context.registers, memory.address, warp)[lane];
  return window_of(base + u64(memory.offset)) == local_window;
}

void store_in_doubt(Context& context, const Step& step, u32 warp, u32 lane, Watched& out) {
  Shadow& shadow = *context.shadow;
  const Mark mark = careful::whole_mark(source_of_doubts(context, warp, lane));
  for (u32 i = 0; i < step.memory->count; ++i) {
    const u32 value = step.memory->values[i];
    out.stored.push_back({value, warp, lane, shadow.mark_of(value, warp, lane)});
    shadow.set(value, warp, lane, careful::joined(*context.block, out.stored.back().before, mark));
  }
}

}  // namespace

Watched before_watched(Context& context, const Op* op) {
  Watched out;
  const Step& step = step_of(context, op);
  for (Doubt& doubt : context.shadow->doubts) {
    for (u32 warp = 0; warp < context.warps; ++warp) {
      u32 lanes = doubt.watched[warp] & context.bits[warp];
      for (u32 bits = only_computes(step) ? 0 : lanes; bits; bits &= bits - 1) {
        const u32 lane = u32(__builtin_ctz(bits));
        if (step.kind == StepKind::Store && is_own(context, step, warp, lane)) {
          store_in_doubt(context, step, warp, lane, out);
          continue;
        }
        const Mark mark = careful::whole_mark(doubt.sources[warp * lanes_per_warp + lane]);
        careful::note_use(context, doubt.step, warp, lane, mark, "decides a branch");
        doubt.watched[warp] &= ~(1u << lane);
        lanes &= ~(1u << lane);
      }
      out.lanes[warp] |= lanes;
      out.any |= lanes != 0;
    }
  }
  return out;
}

void after_watched(Context& context, const Op* op, const Watched& watched) {
  const Step& step = step_of(context, op);
  for (auto it = watched.stored.rbegin(); it != watched.stored.rend(); ++it) {
    context.shadow->set(it->value, it->warp, it->lane, it->before);
  }
  for (u32 warp = 0; warp < context.warps; ++warp) {
    for (u32 bits = watched.lanes[warp]; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      const Mark mark = careful::whole_mark(source_of_doubts(context, warp, lane));
      for_writes(step, [&](u32 value) {
        context.shadow->set(value, warp, lane,
                            careful::joined(*context.block, context.shadow->mark_of(value, warp, lane), mark));
      });
    }
  }
}

void begin_doubt(Context& context, const Op* op) {
  Shadow& shadow = *context.shadow;
  Block& block = *context.block;
  const Step& step = step_of(context, op);
  Doubt doubt{.step = op->step, .join = u32(op->immediate), .sources = {}, .lanes = {}};
  Doubt* const before = open_doubt(shadow, op->step);
  bool some = false;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (!shadow.has(step.guard, warp, poisoned | undefined)) continue;
    for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      const Mark mark = shadow.mark_of(step.guard, warp, lane);
      u32 source = careful::source_of(block, mark);
      if (source == UnwrittenReads::none || source == UnwrittenReads::a_finding) continue;
      const BranchRegion& region = known_region(context, op->step);
      // Whether a loop ever ends is an effect where what decides it was read in a race: who waits for a flag reads it
      // so.
      const bool is_wait = region.repeats && block.launch->judge;
      if (is_wait || (!region.only_computes && !region.goes_in)) {
        careful::note_use(context, op->step, warp, lane, mark, "decides a branch");
        continue;
      }
      if (source == UnwrittenReads::a_register) {
        if (!block.launch->options.checks.has(Check::Uninitialized)) continue;
        if (before && ((before->lanes[warp] >> lane) & 1u)) continue;
        source = source_of_branch(context, op->step, warp, lane);
      }
      if (region.goes_in) {
        // Once: a loop that goes on by chance need not end.
        const bool again = before && ((before->lanes[warp] >> lane) & 1u);
        context.program->lanes<u8>(context.registers, step.guard, warp)[lane] = *region.goes_in != again ? 0xff : 0;
        if (!again) doubt.watched[warp] |= 1u << lane;
      }
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
  }
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
        const Mark mark = careful::whole_mark(doubt.sources[warp * lanes_per_warp + lane]);
        const BranchRegion& region = known_region(context, doubt.step);
        for (std::size_t i = 0; i < region.written.size() && !region.goes_in; ++i) {
          const u32 value = region.written[i];
          shadow.set(value, warp, lane, careful::joined(*context.block, shadow.mark_of(value, warp, lane), mark));
        }
        doubt.sources[warp * lanes_per_warp + lane] = 0;
      }
      doubt.lanes[warp] &= ~ended;
      doubt.watched[warp] &= ~ended;
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
