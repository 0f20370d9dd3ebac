// Immediate dominators of a directed graph; inside of lib/ptx only.
#pragma once
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::ptx {

// Edges by node.
using Edges = std::vector<std::vector<u32>>;

// The same edges the other way round.
Edges reversed(const Edges& edges);

// The immediate dominator of every node that `root` reaches by `successors`; the root's is itself, and so is `root`
// that of nodes out of reach. `predecessors` are the same edges the other way round. Time O(m log n): T. Lengauer, R.
// E. Tarjan, "A fast algorithm for finding dominators in a flowgraph", TOPLAS 1(1), 1979, with path compression alone.
std::vector<u32> immediate_dominators(u32 root, const Edges& successors, const Edges& predecessors);

}  // namespace ropewalk::ptx
