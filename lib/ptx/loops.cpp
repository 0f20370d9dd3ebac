#include "lib/ptx/loops.h"

#include <algorithm>

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

u32 branch_around(const Flow& flow, const std::vector<Loop>& loops, u32 instruction) {
  const u32 inside = flow.block_of[instruction];
  const Loop* innermost = nullptr;
  const auto size = [](const Loop& loop) { return std::ranges::count(loop.has, true); };
  for (const Loop& loop : loops) {
    if (loop.has[inside] && (!innermost || size(loop) < size(*innermost))) innermost = &loop;
  }
  const auto is_here = [&](u32 block) { return block != flow.exit && (!innermost || innermost->has[block]); };
  u32 block = innermost ? innermost->first : 0;
  const std::vector<u32>& ways = flow.blocks[block].successors;
  // A loop that asks before it goes round.
  const bool asks = innermost && block != inside && ways.size() == 2 && std::ranges::count_if(ways, is_here) == 1;
  if (asks) block = *std::ranges::find_if(ways, is_here);
  std::vector<bool> closed(flow.block_of.size());  // not by the next round
  if (innermost) closed[flow.blocks[innermost->first].first] = true;
  u32 found = instruction;
  for (; is_here(block); block = flow.post_dominator[block]) {
    if (block == inside) return instruction;
    const u32 last = flow.blocks[block].last - 1;
    if (flow.blocks[block].successors.size() > 1 && reached(flow, {last}, closed)[instruction]) found = last;
    if (flow.post_dominator[block] == block) break;
  }
  return found;
}

}  // namespace ropewalk::ptx
