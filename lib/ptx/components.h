// The strongly connected components of a directed graph; inside of lib/ptx and lib/machine only.
#pragma once
#include "lib/ptx/dominators.h"

namespace ropewalk::ptx {

// By node: the number of its component. Two nodes have the same where ways lead from each to the other.
std::vector<u32> components_of(const Edges& successors);

}  // namespace ropewalk::ptx
