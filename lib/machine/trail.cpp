#include "lib/machine/trail.h"

#include <algorithm>
#include <numeric>

#include "lib/machine/decode/local_pointers.h"

namespace ropewalk::machine {

namespace {

// By block: its rank in the reverse of the order in which a walk in depth from the entry leaves them, from 1. An edge
// closes a loop where it does not lead on in this order.
std::vector<u32> ranks_of(const ptx::Flow& flow) {
  std::vector<u32> ranks(flow.blocks.size(), 0);
  std::vector<bool> entered(flow.blocks.size(), false);
  struct Visit {
    u32 block;
    std::size_t next;
  };
  std::vector<Visit> walk{{0, 0}};
  entered[0] = true;
  u32 rank = u32(flow.blocks.size());
  while (!walk.empty()) {
    Visit& at = walk.back();
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
bool is_private(const Step& step, const std::vector<bool>& local) {
  switch (step.kind) {
    case StepKind::GridControl:
    case StepKind::Nothing:
    case StepKind::Compute:
    case StepKind::Load:
    case StepKind::Branch:
    case StepKind::BranchTable:
    case StepKind::Exit:
      return true;
    case StepKind::Store:
      return step.memory->space == MemorySpace::Local || step.memory->space == MemorySpace::Parameter ||
             (step.memory->address != no_value && local[step.memory->address]);
    default:
      return false;
  }
}

// Heads of the loops in which a barrier stands: what an edge that closes a loop leads to, where its way goes on to a
// barrier and from there to the edge.
void find_rounds(const ptx::Flow& flow, std::vector<Landmark>& landmarks) {
  // By head: a bit for the blocks of its loops, walked against the edges from those that close them.
  const ptx::Edges predecessors = ptx::reversed(ptx::edges_of(flow));
  std::vector<u32> last_first(flow.blocks.size());
  std::iota(last_first.begin(), last_first.end(), 0);
  std::sort(last_first.begin(), last_first.end(), [&](u32 a, u32 b) { return landmarks[a].rank > landmarks[b].rank; });
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
    std::vector<bool> leads(flow.blocks.size(), false);  // to a barrier in this round
    for (const u32 block : last_first) {
      const auto goes_on = [&](u32 next) { return leads[next] && landmarks[next].rank > landmarks[block].rank; };
      const auto& ways = flow.blocks[block].successors;
      leads[block] = inside[block] && (landmarks[block].meets || std::any_of(ways.begin(), ways.end(), goes_on));
    }
    if (!leads[head]) continue;
    landmarks[head].is_round = true;
    for (u32 block = 0; block < flow.blocks.size(); ++block) {
      if (inside[block] && !leads[block])
        landmarks[block].late_in = std::max(landmarks[block].late_in, landmarks[head].rank);
    }
  }
}

}  // namespace

std::vector<Landmark> landmarks_of(const Code& code) {
  const ptx::Flow& flow = code.flow;
  const std::vector<u32> ranks = ranks_of(flow);
  const std::vector<bool> local = local_pointers(code);
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
    here.is_seen = !std::all_of(steps.first, steps.second, [&](const Step& it) { return is_private(it, local); });
    here.works = !std::all_of(steps.first, steps.second, [&](const Step& it) {
      return is_private(it, local) || is_meeting(it) || (it.kind == StepKind::Store && !it.memory->is_strong());
    });
    here.meets = std::any_of(steps.first, steps.second, is_meeting);
  }
  find_rounds(flow, out);
  return out;
}

void Trail::enter(const Landmark& here) {
  if (here.is_round) {
    if (here.rank <= rank) seen = worked = met = 0;  // another round
    round = here.rank;
  } else if (round && round == here.late_in) {
    ++skipped;
    round = 0;
  }
  if (here.meets) {
    round = 0;
    skipped = 0;
  }
  last = here.last_step;
  rank = here.rank;
  if (here.is_seen) seen = last;
  if (here.works) worked = last;
  if (here.meets) met = ever_met = last;
}

}  // namespace ropewalk::machine
