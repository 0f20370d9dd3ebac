#include "lib/ptx/components.h"

namespace ropewalk::ptx {

namespace {

// Calls leave(node) when all that is reached from it, and was not seen before, has been left.
template <class Leave>
void go_deep(const Edges& edges, u32 root, std::vector<bool>& is_seen, Leave leave) {
  std::vector<std::pair<u32, u32>> open{{root, 0}};  // nodes, and how many of their edges were followed
  is_seen[root] = true;
  while (!open.empty()) {
    auto& [node, followed] = open.back();
    if (followed == edges[node].size()) {
      leave(node);
      open.pop_back();
      continue;
    }
    const u32 next = edges[node][followed++];
    if (is_seen[next]) continue;
    is_seen[next] = true;
    open.emplace_back(next, 0);
  }
}

}  // namespace

// S. R. Kosaraju's way, as in A. V. Aho, J. E. Hopcroft, J. D. Ullman, "Data Structures and Algorithms", 1983, 6.7:
// against the edges, from the nodes that were left last on.
std::vector<u32> components_of(const Edges& successors) {
  const u32 count = u32(successors.size());
  std::vector<u32> left, component(count, 0);
  std::vector<bool> is_seen(count, false);
  for (u32 node = 0; node < count; ++node) {
    if (!is_seen[node]) go_deep(successors, node, is_seen, [&](u32 it) { left.push_back(it); });
  }
  const Edges predecessors = reversed(successors);
  is_seen.assign(count, false);
  u32 number = 0;
  for (auto node = left.rbegin(); node != left.rend(); ++node) {
    if (is_seen[*node]) continue;
    go_deep(predecessors, *node, is_seen, [&](u32 it) { component[it] = number; });
    ++number;
  }
  return component;
}

}  // namespace ropewalk::ptx
