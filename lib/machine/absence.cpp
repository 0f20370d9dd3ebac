#include "lib/machine/absence.h"

namespace ropewalk::machine {

namespace {

u32 block_of(const Code& code, u32 step) { return code.flow.block_of[code.steps[step].instruction]; }

// Blocks that can be reached from one; `stop` is not entered.
std::vector<bool> reached_from(const ptx::Flow& flow, u32 start, u32 stop,
                               const std::vector<std::vector<bool>>& is_back) {
  std::vector<bool> seen(flow.blocks.size(), false);
  std::vector<u32> open{start};
  while (!open.empty()) {
    const u32 block = open.back();
    open.pop_back();
    for (std::size_t n = 0; n < flow.blocks[block].successors.size(); ++n) {
      const u32 next = flow.blocks[block].successors[n];
      if (next == stop || seen[next] || (!is_back.empty() && is_back[block][n])) continue;
      seen[next] = true;
      open.push_back(next);
    }
  }
  return seen;
}

// By block and successor: whether the edge closes a loop, that is, leads to a block that a walk from the entry is still
// in.
std::vector<std::vector<bool>> closing_edges(const ptx::Flow& flow) {
  std::vector<std::vector<bool>> is_back(flow.blocks.size());
  enum class State : u8 { New, Open, Done };
  std::vector<State> states(flow.blocks.size(), State::New);
  struct Place {
    u32 block;
    std::size_t next;
  };
  std::vector<Place> walk{{0, 0}};
  states[0] = State::Open;
  while (!walk.empty()) {
    Place& at = walk.back();
    const auto& successors = flow.blocks[at.block].successors;
    if (at.next == successors.size()) {
      states[at.block] = State::Done;
      walk.pop_back();
      continue;
    }
    const u32 next = successors[at.next++];
    is_back[at.block].push_back(states[next] == State::Open);
    if (states[next] != State::New) continue;
    states[next] = State::Open;
    walk.push_back({next, 0});
  }
  for (u32 block = 0; block < is_back.size(); ++block) is_back[block].resize(flow.blocks[block].successors.size());
  return is_back;
}

// Whether a block does anything but leave, jump or go on to the next.
bool does_something(const Code& code, u32 block) {
  const ptx::Block& range = code.flow.blocks[block];
  if (block == code.flow.exit || range.first >= range.last) return false;
  for (u32 s = code.first_step[range.first]; s < code.first_step[range.last]; ++s) {
    const StepKind kind = code.steps[s].kind;
    if (kind != StepKind::Exit && kind != StepKind::Branch && kind != StepKind::Nothing) return true;
  }
  return false;
}

// Whether everybody who passes one block comes to the other before they leave.
bool leads_to(const ptx::Flow& flow, u32 block, u32 other) {
  while (block != other && block != flow.exit) block = flow.post_dominator[block];
  return block == other;
}

}  // namespace

bool may_be_passed_by(const Code& code, u32 barrier_step) {
  const u32 here = block_of(code, barrier_step);
  for (u32 block = 0; block < code.flow.blocks.size(); ++block) {
    if (!code.flow.reachable[block] || code.flow.blocks[block].successors.size() < 2) continue;
    const u32 join = code.flow.post_dominator[block];
    if (!code.flow.leaves[join] && reached_from(code.flow, block, join, {})[here]) return true;
  }
  return false;
}

bool Absences::may_be_passed_by(u32 barrier_step) {
  const auto known = passed_by_.find(barrier_step);
  if (known != passed_by_.end()) return known->second;
  return passed_by_[barrier_step] = machine::may_be_passed_by(code_, barrier_step);
}

bool Absences::went_round(u32 barrier_step, u32 last_step) {
  const auto known = went_round_.find({barrier_step, last_step});
  if (known != went_round_.end()) return known->second;
  return went_round_[{barrier_step, last_step}] = machine::went_round(code_, barrier_step, last_step);
}

bool went_round(const Code& code, u32 barrier_step, u32 last_step) {
  const u32 here = block_of(code, barrier_step), last = block_of(code, last_step);
  if (here == last) return last_step > barrier_step;
  if (reached_from(code.flow, here, code.flow.exit, closing_edges(code.flow))[last]) return true;
  // Out of a loop whose condition stands before the barrier, as in code that is not optimised.
  return leads_to(code.flow, here, last) && does_something(code, last);
}

}  // namespace ropewalk::machine
