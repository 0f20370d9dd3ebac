#include "lib/ptx/loops.h"

namespace ropewalk::ptx {

namespace {

bool dominates(const std::vector<u32>& dominator, u32 first, u32 block) {
  while (block != first && dominator[block] != block) block = dominator[block];
  return block == first;
}

// The first block, and all from which the way back is reached without it.
std::vector<bool> blocks_of_loop(const Edges& predecessors, u32 first, u32 back) {
  std::vector<bool> has(predecessors.size(), false);
  has[first] = true;
  std::vector<u32> open{back};
  while (!open.empty()) {
    const u32 at = open.back();
    open.pop_back();
    if (has[at]) continue;
    has[at] = true;
    open.insert(open.end(), predecessors[at].begin(), predecessors[at].end());
  }
  return has;
}

}  // namespace

std::vector<Loop> loops_of(const Flow& flow) {
  const Edges successors = edges_of(flow), predecessors = reversed(successors);
  const std::vector<u32> dominator = immediate_dominators(0, successors, predecessors);
  std::vector<Loop> out;
  for (u32 back = 0; back < successors.size(); ++back) {
    if (!flow.reachable[back]) continue;
    for (const u32 first : successors[back]) {
      if (dominates(dominator, first, back)) out.push_back({first, back, blocks_of_loop(predecessors, first, back)});
    }
  }
  return out;
}

}  // namespace ropewalk::ptx
