#include "lib/ptx/dominators.h"

#include <utility>

namespace ropewalk::ptx {

namespace {

constexpr u32 unreached = 0xffffffffu;

// The paper's words: nodes are numbered in depth-first order from 1, and everything below goes by these numbers.
class LengauerTarjan {
 public:
  LengauerTarjan(u32 root, const Edges& successors, const Edges& predecessors) : predecessors_(predecessors) {
    number_.assign(successors.size(), 0);
    search(root, successors);
    const u64 count = node_.size();
    semi_.resize(count);
    label_.resize(count);
    for (u32 i = 0; i < count; ++i) semi_[i] = label_[i] = i;
    ancestor_.assign(count, 0);
    dominator_.assign(count, 0);
    bucket_.resize(count);
  }

  std::vector<u32> dominators(u32 root) {
    const u32 last = u32(node_.size()) - 1;
    for (u32 w = last; w >= 2; --w) {
      for (const u32 predecessor : predecessors_[node_[w]]) {
        const u32 v = number_[predecessor];
        if (v == 0) continue;
        const u32 u = evaluate(v);
        if (semi_[u] < semi_[w]) semi_[w] = semi_[u];
      }
      bucket_[semi_[w]].push_back(w);
      ancestor_[w] = parent_[w];
      std::vector<u32>& waiting = bucket_[parent_[w]];
      for (const u32 v : waiting) {
        const u32 u = evaluate(v);
        dominator_[v] = semi_[u] < semi_[v] ? u : parent_[w];
      }
      waiting.clear();
    }
    for (u32 w = 2; w <= last; ++w) {
      if (dominator_[w] != semi_[w]) dominator_[w] = dominator_[dominator_[w]];
    }
    std::vector<u32> result(number_.size(), root);
    for (u32 w = 2; w <= last; ++w) result[node_[w]] = node_[dominator_[w]];
    return result;
  }

 private:
  // Depth first without recursion.
  void search(u32 root, const Edges& successors) {
    node_.push_back(unreached);
    parent_.push_back(0);
    std::vector<std::pair<u32, u32>> path;  // node, next successor
    const auto enter = [&](u32 node, u32 parent) {
      number_[node] = u32(node_.size());
      node_.push_back(node);
      parent_.push_back(parent);
      path.emplace_back(node, 0u);
    };
    enter(root, 0);
    while (!path.empty()) {
      auto& [node, next] = path.back();
      if (next == successors[node].size()) {
        path.pop_back();
        continue;
      }
      const u32 successor = successors[node][next++];
      if (number_[successor] == 0) enter(successor, number_[node]);
    }
  }

  u32 evaluate(u32 v) {
    if (ancestor_[v] == 0) return label_[v];
    // Compression from the top of the path down, which is what the recursion of the paper does.
    path_.clear();
    for (u32 at = v; ancestor_[ancestor_[at]] != 0; at = ancestor_[at]) path_.push_back(at);
    for (u64 i = path_.size(); i-- > 0;) {
      const u32 at = path_[i], above = ancestor_[at];
      if (semi_[label_[above]] < semi_[label_[at]]) label_[at] = label_[above];
      ancestor_[at] = ancestor_[above];
    }
    return label_[v];
  }

  const Edges& predecessors_;
  std::vector<u32> number_;  // by node; 0: not reached
  std::vector<u32> node_, parent_, semi_, label_, ancestor_, dominator_, path_;
  std::vector<std::vector<u32>> bucket_;
};

}  // namespace

Edges reversed(const Edges& edges) {
  Edges out(edges.size());
  for (u32 from = 0; from < edges.size(); ++from) {
    for (const u32 to : edges[from]) out[to].push_back(from);
  }
  return out;
}

std::vector<u32> immediate_dominators(u32 root, const Edges& successors, const Edges& predecessors) {
  return LengauerTarjan(root, successors, predecessors).dominators(root);
}

}  // namespace ropewalk::ptx
