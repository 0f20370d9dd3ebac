#include "lib/machine/absence.h"

#include <algorithm>

#include "lib/machine/early_return.h"

namespace ropewalk::machine {

namespace {

// How many barriers more a thread goes round that does nothing else: two may be a function that is left early, called
// by one that is left then.
constexpr u32 many_barriers = 2;

// And rounds of its loop: one may be a function that is left early and a loop that ends then.
constexpr u32 many_rounds = 2;

u32 block_of(const Code& code, u32 step) { return code.flow.block_of[code.steps[step].instruction]; }

// By block: where all its ways meet, but for those of threads that only leave; the exit where they do not.
std::vector<u32> meets_of_those_who_stay(const ptx::Flow& flow) {
  ptx::Edges forwards = ptx::edges_that_stay(flow);
  for (u32 block = 0; block < flow.exit; ++block) {
    if (!flow.leaves[block] && forwards[block].empty()) forwards[block].push_back(flow.exit);
  }
  return ptx::immediate_dominators(flow.exit, ptx::reversed(forwards), forwards);
}

// Whether a step does anything but leave, jump or go on to the next.
bool does_something(const Step& step) {
  return step.kind != StepKind::Exit && step.kind != StepKind::Branch && step.kind != StepKind::Nothing;
}

}  // namespace

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
  const Blocks& behind = loops_of(block).behind;
  for (u32 next = 0; next < flow.exit; ++next) {
    const ptx::Block& range = flow.blocks[next];
    out[next] =
        out[next] || (behind[next] && std::any_of(code_.steps.begin() + code_.first_step[range.first],
                                                  code_.steps.begin() + code_.first_step[range.last], does_something));
  }
  return after_[block] = std::move(out);
}

Absences::Blocks Absences::leading_to(u32 block, bool in_this_round) {
  if (predecessors_.empty()) predecessors_ = ptx::reversed(ptx::edges_of(code_.flow));
  Blocks out(predecessors_.size(), false);
  std::vector<u32> open{block};
  while (!open.empty()) {
    const u32 to = open.back();
    open.pop_back();
    for (const u32 from : predecessors_[to]) {
      if (out[from] || (in_this_round && landmarks()[from].rank >= landmarks()[to].rank)) continue;
      out[from] = true;
      open.push_back(from);
    }
  }
  return out;
}

const Absences::Loops& Absences::loops_of(u32 block) {
  const auto known = loops_.find(block);
  if (known != loops_.end()) return known->second;
  const u32 exit = code_.flow.exit;
  if (meets_.empty()) meets_ = meets_of_those_who_stay(code_.flow);
  Loops loops;
  loops.leading_back = leading_to(block, false);
  const Blocks leading_here = leading_to(block, true);
  Blocks common(code_.flow.blocks.size(), false), here = common;
  here[block] = true;
  here = ahead_of(std::move(here), exit);
  for (u32 next = meets_[block]; next != exit; next = meets_[next]) {
    const bool is_inside = here[next] && loops.leading_back[next];
    common[next] = !leading_here[next] && !is_inside;
  }
  loops.behind = ahead_of(std::move(common), exit);
  return loops_[block] = std::move(loops);
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
    may = passed(here)[last] || (after(here)[last] && left_the_loop(here, last));
  }
  return may_be_passed_by_[here] = may || nobody_returns(barrier_step);
}

bool Absences::comes_after(u32 barrier_step, u32 step) {
  const u32 here = block_of(code_, barrier_step), there = block_of(code_, step);
  return here == there ? step > barrier_step : after(here)[there];
}

bool Absences::can_pass(u32 here, u32 last, u32 more) {
  if (more == 0) return passed(here)[last];
  const auto known = ahead_of_passed_.find(here);
  const Blocks& reached =
      known != ahead_of_passed_.end() ? known->second : ahead_of_passed_[here] = ahead_of(passed(here), here);
  for (u32 block = 0; block < reached.size(); ++block) {
    if (reached[block] && block != here && landmarks()[block].meets && can_pass(block, last, more - 1)) return true;
  }
  return false;
}

bool Absences::left_the_loop(u32 here, u32 last) {
  const Loops& loops = loops_of(here);
  return loops.behind[last] && !loops.leading_back[last];
}

bool Absences::leads_to_the_end(u32 here, u32 last) {
  const ptx::Flow& flow = code_.flow;
  Blocks meets_later(flow.blocks.size(), false);
  for (u32 block = 0; block < flow.exit; ++block) {
    if (!landmarks()[block].meets || meets_later[block]) continue;
    const Blocks before = leading_to(block, false);
    for (u32 b = 0; b < flow.exit; ++b) meets_later[b] = meets_later[b] || b == block || before[b];
  }
  const Blocks& behind = after(here);
  for (u32 from = 0; from < flow.exit; ++from) {
    if (from == here || behind[from]) continue;
    for (const u32 to : flow.blocks[from].successors) {
      if (to == flow.exit || meets_later[to]) continue;
      Blocks reached(flow.blocks.size(), false);
      reached[to] = true;
      if (ahead_of(std::move(reached), flow.exit)[last]) return true;
    }
  }
  return false;
}

bool Absences::nobody_returns(u32 barrier_step) {
  const auto [never_returns, is_new] = never_returns_.try_emplace(barrier_step);
  if (is_new) {
    const u32 location = code_.function.instructions[code_.steps[barrier_step].instruction].location;
    never_returns->second = source_never_returns(*code_.module, code_.function, location, source_lines_);
  }
  return never_returns->second;
}

WentRound Absences::certainly(u32 barrier_step, bool is_sure) {
  return is_sure || nobody_returns(barrier_step) ? WentRound::Yes : WentRound::Maybe;
}

WentRound Absences::went_round(u32 barrier_step, const Trail& trail) {
  const u32 here = block_of(code_, barrier_step), last = block_of(code_, trail.last);
  if (!comes_after(barrier_step, trail.last)) {
    // A side of a branch that does something and ends looks as one that returns early. With nothing done it is as good.
    const bool did_something = trail.seen && !trail.met && !leading_to(here, false)[block_of(code_, trail.seen)];
    return did_something && nobody_returns(barrier_step) ? WentRound::Yes : WentRound::No;
  }
  if (trail.met && (here == block_of(code_, trail.met) || comes_after(barrier_step, trail.met))) {
    if (!left_the_loop(here, last)) return WentRound::No;
    return certainly(barrier_step, trail.worked && left_the_loop(here, block_of(code_, trail.worked)));
  }
  return by_what_was_done(barrier_step, trail);
}

WentRound Absences::by_what_was_done(u32 barrier_step, const Trail& trail) {
  const u32 here = block_of(code_, barrier_step), last = block_of(code_, trail.last);
  if (trail.skipped >= many_rounds) return WentRound::Yes;
  const auto [passes, is_new] = passes_others_.try_emplace({here, last});
  if (is_new) passes->second = can_pass(here, last, many_barriers) && !leads_to_the_end(here, last);
  if (passes->second) return WentRound::Yes;
  if (!trail.seen || !comes_after(barrier_step, trail.seen)) return WentRound::No;
  return certainly(barrier_step, trail.worked && comes_after(barrier_step, trail.worked));
}

const Absences::Blocks& Absences::surely_behind(u32 block) {
  const auto known = surely_behind_.find(block);
  if (known != surely_behind_.end()) return known->second;
  const ptx::Flow& flow = code_.flow;
  if (surely_meets_.empty()) {
    const ptx::Edges forwards = ptx::edges_of(flow);
    surely_meets_ = ptx::immediate_dominators(flow.exit, ptx::reversed(forwards), forwards);
  }
  Blocks out(flow.blocks.size(), false);
  const Blocks back = leading_to(block, false);
  for (u32 next = surely_meets_[block]; next != flow.exit; next = surely_meets_[next]) out[next] = !back[next];
  return surely_behind_[block] = ahead_of(std::move(out), flow.exit);
}

WentRound Absences::lane_went_round(u32 step, const Trail& trail) {
  const u32 here = block_of(code_, step);
  if (trail.ever_met) {
    const u32 met = block_of(code_, trail.ever_met);
    const bool leads_here = leading_to(here, false)[met], comes_from_here = leading_to(met, false)[here];
    if (leads_here && comes_from_here) return WentRound::No;
    // It was at another one in its place.
    if (!leads_here && !comes_from_here && met != here) return WentRound::Yes;
  }
  if (here != block_of(code_, trail.last) && !surely_behind(here)[block_of(code_, trail.last)]) return WentRound::No;
  if (!comes_after(step, trail.last)) return WentRound::No;
  return by_what_was_done(step, trail);
}

}  // namespace ropewalk::machine
