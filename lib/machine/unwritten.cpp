#include "lib/machine/unwritten.h"

#include <algorithm>
#include <utility>

namespace ropewalk::machine {

namespace {

constexpr std::size_t cached_sets = 1 << 14;
// A value made of more sets than this keeps the reads that it has: the block is long past being readable.
constexpr std::size_t most_nodes = std::size_t(1) << 22;

// body(read) for the reads below a node, by way of nodes for which enters(node) holds.
template <class Nodes, class Enters, class Body>
void for_reads_of(const Nodes& nodes, u32 source, Enters enters, Body body) {
  std::vector<u32> open{source};
  while (!open.empty()) {
    const u32 node = open.back();
    open.pop_back();
    if (!enters(node)) continue;
    if (nodes[node].left == UnwrittenReads::none) {
      body(nodes[node].read);
    } else {
      open.push_back(nodes[node].left);
      open.push_back(nodes[node].right);
    }
  }
}

}  // namespace

void UnwrittenReads::clear() {
  reads_.clear();
  if (has_joined_) std::fill(joined_.begin(), joined_.end(), Joined());
  has_joined_ = false;
  nodes_.assign(3, {});
  nodes_[none].is_reported = nodes_[a_register].is_reported = nodes_[a_finding].is_reported = true;
  nodes_[a_register].has_register = true;
}

u32 UnwrittenReads::add(Occurrence read) {
  Node node;
  node.read = u32(reads_.size());
  reads_.push_back(std::move(read));
  nodes_.push_back(node);
  return u32(nodes_.size() - 1);
}

u32 UnwrittenReads::add_padding(Occurrence read) {
  Node node;
  node.left = node.right = add(std::move(read));
  node.is_padding = true;
  nodes_.push_back(node);
  return u32(nodes_.size() - 1);
}

u32 UnwrittenReads::computed(u32 source) {
  if (is_padding(source)) source = nodes_[source].left;
  if (source <= a_finding || nodes_[source].left != none || nodes_.size() >= most_nodes) return source;
  if (nodes_[source].computed == none) {
    Node node;
    node.left = node.right = source;
    node.is_reported = nodes_[source].is_reported;
    nodes_.push_back(node);
    nodes_[source].computed = u32(nodes_.size() - 1);
  }
  return nodes_[source].computed;
}

u32 UnwrittenReads::join(u32 a, u32 b) {
  if (a > b) std::swap(a, b);
  if (a == none || a == b) return b;
  // The larger number is a read's, where one is. What comes of it is a defect of its own, until it is reported.
  if (a == a_finding || b == a_finding) return nodes_[b].is_reported ? u32(a_finding) : b;
  const Node &one = nodes_[a], &other = nodes_[b];
  // A part of the other, or with nothing to tell that the other does not tell too.
  if (other.left == a || other.right == a || (one.is_reported && other.has_register >= one.has_register)) return b;
  if (other.is_reported && one.has_register >= other.has_register) return a;
  if (nodes_.size() >= most_nodes) return b;
  const u64 parts = u64(a) << 32 | b;
  if (joined_.empty()) joined_.resize(cached_sets);
  Joined& known = joined_[(parts * 0x9e3779b97f4a7c15ull >> 32) % cached_sets];
  if (known.parts == parts) return known.node;
  Node node;
  node.left = a;
  node.right = b;
  node.has_register = one.has_register || other.has_register;
  nodes_.push_back(node);
  known = {parts, u32(nodes_.size() - 1)};
  has_joined_ = true;
  return known.node;
}

void UnwrittenReads::confirm(u32 source) {
  take_reads(source, [](u32) {});
}

const Occurrence* UnwrittenReads::read_of(u32 source) const {
  if (source <= a_finding) return nullptr;
  if (nodes_[source].left == nodes_[source].right && nodes_[source].left != none) source = nodes_[source].left;
  const Node& node = nodes_[source];
  return node.left == none && node.read < reads_.size() ? &reads_[node.read] : nullptr;
}

bool UnwrittenReads::report(u32 source, Collector& collector) {
  take_reads(source, [&](u32 read) { collector.report(reads_[read]); });
  return nodes_[source].has_register;
}

bool UnwrittenReads::tell(u32 source, Sources& known, Collector& collector) const {
  if (known.size() <= source) known.resize(nodes_.size(), false);
  if (known[source]) return false;
  const auto enters = [&](u32 node) {
    if (nodes_[node].is_reported || known[node]) return false;
    return bool(known[node] = true);
  };
  for_reads_of(nodes_, source, enters, [&](u32 read) { collector.report(reads_[read]); });
  known[source] = true;
  return nodes_[source].has_register;
}

template <class Body>
void UnwrittenReads::take_reads(u32 source, Body body) {
  for_reads_of(
      nodes_, source, [&](u32 node) { return !std::exchange(nodes_[node].is_reported, true); }, body);
}

}  // namespace ropewalk::machine
