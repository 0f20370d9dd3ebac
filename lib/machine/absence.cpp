#include "lib/machine/absence.h"

#include <algorithm>

#include "lib/ptx/dominators.h"

namespace ropewalk::machine {

namespace {

// How many barriers more a thread goes round that does nothing else: two may be a function that is left early, called
// by one that is left then.
constexpr u32 many_barriers = 2;

u32 block_of(const Code& code, u32 step) { return code.flow.block_of[code.steps[step].instruction]; }

// By block: its place in the reverse of the order in which a walk in depth from the entry leaves them, from 1. An edge
// closes a loop where it does not lead on in this order.
std::vector<u32> ranks_of(const ptx::Flow& flow) {
  std::vector<u32> ranks(flow.blocks.size(), 0);
  std::vector<bool> entered(flow.blocks.size(), false);
  struct Place {
    u32 block;
    std::size_t next;
  };
  std::vector<Place> walk{{0, 0}};
  entered[0] = true;
  u32 rank = u32(flow.blocks.size());
  while (!walk.empty()) {
    Place& at = walk.back();
    const auto& successors = flow.blocks[at.block].successors;
    if (at.next == successors.size()) {
      ranks[at.block] = rank--;
      walk.pop_back();
      continue;
    }
    const u32 next = successors[at.next++];
    if (entered[next]) continue;
    entered[next] = true;
    walk.push_back({next, 0});
  }
  return ranks;
}

// Blocks that can be reached from one; itself only by a loop.
std::vector<bool> reached(const ptx::Flow& flow, u32 from) {
  std::vector<bool> seen(flow.blocks.size(), false);
  std::vector<u32> open{from};
  while (!open.empty()) {
    const u32 block = open.back();
    open.pop_back();
    for (const u32 next : flow.blocks[block].successors) {
      if (seen[next]) continue;
      seen[next] = true;
      open.push_back(next);
    }
  }
  return seen;
}

// By block: where all its ways meet, but for those of threads that only leave; the exit where they do not.
std::vector<u32> meets_of_those_who_stay(const ptx::Flow& flow) {
  ptx::Edges forwards(flow.blocks.size()), backwards(flow.blocks.size());
  for (u32 block = 0; block < flow.exit; ++block) {
    if (flow.leaves[block]) continue;
    for (const u32 next : flow.blocks[block].successors) {
      if (!flow.leaves[next]) forwards[block].push_back(next);
    }
    if (forwards[block].empty()) forwards[block].push_back(flow.exit);
    for (const u32 next : forwards[block]) backwards[next].push_back(block);
  }
  return ptx::immediate_dominators(flow.exit, backwards, forwards);
}

bool is_meeting(const Step& step) {
  switch (step.kind) {
    case StepKind::Barrier:
    case StepKind::WarpBarrier:
    case StepKind::Shuffle:
    case StepKind::Vote:
    case StepKind::Match:
    case StepKind::Reduce:
      return true;
    default:
      return false;
  }
}

// Whether nobody but the thread itself sees that the step was executed.
bool is_private(const Step& step) {
  switch (step.kind) {
    case StepKind::Nothing:
    case StepKind::Compute:
    case StepKind::Load:
    case StepKind::Branch:
    case StepKind::BranchTable:
    case StepKind::Exit:
      return true;
    case StepKind::Store:
      return step.memory->space == MemorySpace::Local || step.memory->space == MemorySpace::Parameter;
    default:
      return false;
  }
}

// Whether a step does anything but leave, jump or go on to the next.
bool does_something(const Step& step) {
  return step.kind != StepKind::Exit && step.kind != StepKind::Branch && step.kind != StepKind::Nothing;
}

// Heads of the loops in which a barrier stands: what an edge that closes a loop leads to, where its way goes on to a
// barrier and from there to the edge.
void find_rounds(const ptx::Flow& flow, std::vector<Landmark>& landmarks) {
  // By head: a bit for the blocks of its loops, walked against the edges from those that close them.
  std::vector<std::vector<u32>> predecessors(flow.blocks.size());
  for (u32 block = 0; block < flow.blocks.size(); ++block) {
    for (const u32 next : flow.blocks[block].successors) predecessors[next].push_back(block);
  }
  for (u32 head = 0; head < flow.blocks.size(); ++head) {
    std::vector<u32> open;
    std::vector<bool> inside(flow.blocks.size(), false);
    inside[head] = true;
    const auto add = [&](u32 block) {
      if (inside[block] || landmarks[block].rank < landmarks[head].rank) return;
      inside[block] = true;
      open.push_back(block);
    };
    bool closes = false;
    for (const u32 block : predecessors[head]) {
      if (landmarks[block].rank < landmarks[head].rank) continue;
      closes = true;
      add(block);
    }
    if (!closes) continue;
    while (!open.empty()) {
      const u32 block = open.back();
      open.pop_back();
      for (const u32 before : predecessors[block]) add(before);
    }
    for (u32 block = 0; block < flow.blocks.size(); ++block) {
      landmarks[head].is_round = landmarks[head].is_round || (inside[block] && landmarks[block].meets);
    }
  }
}

}  // namespace

std::vector<Landmark> landmarks_of(const Code& code) {
  const ptx::Flow& flow = code.flow;
  const std::vector<u32> ranks = ranks_of(flow);
  std::vector<Landmark> out(flow.blocks.size());
  for (u32 block = 0; block < flow.blocks.size(); ++block) {
    Landmark& here = out[block];
    here.rank = ranks[block];
    const ptx::Block& range = flow.blocks[block];
    if (flow.leaves[block] || range.first >= range.last) continue;
    const u32 first = code.first_step[range.first];
    u32 end = code.first_step[range.last];
    while (end > first && code.steps[end - 1].kind == StepKind::Exit) --end;
    if (end == first) continue;
    here.last_step = end - 1;
    here.is_noted = true;
    const auto steps = std::make_pair(code.steps.begin() + first, code.steps.begin() + end);
    here.is_seen = !std::all_of(steps.first, steps.second, is_private);
    here.meets = std::any_of(steps.first, steps.second, is_meeting);
  }
  find_rounds(flow, out);
  return out;
}

void Trail::enter(const Landmark& here) {
  const bool came_back = here.rank <= rank;
  if (here.is_round) {
    if (came_back) {
      skipped = skipped || round == here.rank;
      seen = met = 0;
    }
    round = here.rank;
  }
  if (here.meets) {
    round = 0;
    skipped = false;
  }
  last = here.last_step;
  rank = here.rank;
  if (here.is_seen) seen = last;
  if (here.meets) met = last;
}

const std::vector<Landmark>& Absences::landmarks() {
  if (landmarks_.empty()) landmarks_ = landmarks_of(code_);
  return landmarks_;
}

Absences::Blocks Absences::ahead_of(Blocks from, u32 without) {
  std::vector<u32> open;
  for (u32 block = 0; block < from.size(); ++block) {
    if (from[block]) open.push_back(block);
  }
  while (!open.empty()) {
    const u32 block = open.back();
    open.pop_back();
    for (const u32 next : code_.flow.blocks[block].successors) {
      if (next == without || from[next] || landmarks()[next].rank <= landmarks()[block].rank) continue;
      from[next] = true;
      open.push_back(next);
    }
  }
  return from;
}

const Absences::Blocks& Absences::after(u32 block) {
  const auto known = after_.find(block);
  if (known != after_.end()) return known->second;
  const ptx::Flow& flow = code_.flow;
  Blocks out(flow.blocks.size(), false);
  out[block] = true;
  out = ahead_of(std::move(out), flow.exit);
  out[block] = false;
  // Out of a loop whose condition stands before the barrier, as in code that is not optimised.
  const Blocks common = common_after(block);
  for (u32 next = 0; next < flow.exit; ++next) {
    if (!common[next] || out[next]) continue;
    const ptx::Block& range = flow.blocks[next];
    Blocks from(flow.blocks.size(), false);
    from[next] = true;
    out[next] = !ahead_of(std::move(from), flow.exit)[block] &&
                std::any_of(code_.steps.begin() + code_.first_step[range.first],
                            code_.steps.begin() + code_.first_step[range.last], does_something);
  }
  return after_[block] = std::move(out);
}

Absences::Blocks Absences::common_after(u32 block) {
  if (meets_.empty()) meets_ = meets_of_those_who_stay(code_.flow);
  Blocks out(code_.flow.blocks.size(), false);
  while (block != code_.flow.exit) out[block = meets_[block]] = true;
  return out;
}

const Absences::Blocks& Absences::passed(u32 block) {
  const auto known = passed_.find(block);
  if (known != passed_.end()) return known->second;
  Blocks out(code_.flow.blocks.size(), false);
  if (block != 0) {
    out[0] = true;
    out = ahead_of(std::move(out), block);
    const Blocks& behind = after(block);
    for (u32 b = 0; b < out.size(); ++b) out[b] = out[b] && behind[b] && landmarks()[b].is_noted;
  }
  return passed_[block] = std::move(out);
}

bool Absences::may_be_passed_by(u32 barrier_step) {
  const u32 here = block_of(code_, barrier_step);
  const auto known = may_be_passed_by_.find(here);
  if (known != may_be_passed_by_.end()) return known->second;
  bool may = false;
  for (u32 last = 0; last < code_.flow.exit && !may; ++last) {
    may = passed(here)[last] || ((last == here || after(here)[last]) && left_the_loop(here, last));
  }
  return may_be_passed_by_[here] = may;
}

bool Absences::comes_after(u32 barrier_step, u32 step) {
  const u32 here = block_of(code_, barrier_step), there = block_of(code_, step);
  return here == there ? step > barrier_step : after(here)[there];
}

bool Absences::can_pass(u32 here, u32 last, u32 more) {
  if (more == 0) return passed(here)[last];
  const Blocks reached = ahead_of(passed(here), here);
  for (u32 block = 0; block < reached.size(); ++block) {
    if (reached[block] && block != here && landmarks()[block].meets && can_pass(block, last, more - 1)) return true;
  }
  return false;
}

bool Absences::left_the_loop(u32 here, u32 last) {
  Blocks from(code_.flow.blocks.size(), false);
  for (const u32 next : code_.flow.blocks[last].successors) {
    if (landmarks()[next].rank <= landmarks()[last].rank) from[next] = true;
  }
  if (ahead_of(std::move(from), code_.flow.exit)[here]) return true;
  return common_after(here)[last] && !reached(code_.flow, last)[here];
}

bool Absences::went_round(u32 barrier_step, const Trail& trail) {
  if (!comes_after(barrier_step, trail.last)) return false;
  const u32 here = block_of(code_, barrier_step), last = block_of(code_, trail.last);
  if (trail.met && (here == block_of(code_, trail.met) || comes_after(barrier_step, trail.met))) {
    return left_the_loop(here, last);
  }
  if (trail.skipped || (trail.seen && comes_after(barrier_step, trail.seen))) return true;
  const auto known = passes_others_.find({here, last});
  if (known != passes_others_.end()) return known->second;
  return passes_others_[{here, last}] = can_pass(here, last, many_barriers);
}

}  // namespace ropewalk::machine
