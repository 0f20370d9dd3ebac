// Nodes whose bodies run as a value on the device says, as the CUDA Programming Guide has them ("Conditional Graph
// Nodes").
#include <algorithm>
#include <cstring>

#include "lib/base/bits.h"
#include "lib/driver/graph.h"

namespace ropewalk::driver {

std::shared_ptr<GraphCondition> GraphCondition::make(Session& session, u32 device, std::optional<u32> initial) {
  Allocation* const at = session.memory().allocate({.device = device,
                                                    .bytes = sizeof(u32),
                                                    .call = "cuGraphConditionalHandleCreate",
                                                    .name = "of a graph's condition"});
  return at ? std::shared_ptr<GraphCondition>(new GraphCondition(session, *at, initial)) : nullptr;
}

GraphCondition::~GraphCondition() {
  session_.memory().release(memory_.address, MemoryKind::Device, "the end of its graph");
}

void GraphCondition::begin() {
  clear_bits(memory_.initialized, 0, sizeof(u32));
  if (!initial_) return;
  std::memcpy(memory_.data, &*initial_, sizeof(u32));
  set_bits(memory_.initialized, 0, sizeof(u32));
}

u32 GraphCondition::value() const {
  u32 value = 0;
  session_.memory().read_condition(memory_, session_.options().checks.has(Check::Uninitialized), &value);
  return value;
}

bool has_conditions(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const auto& node) { return node->bodies != nullptr; });
}

bool has_unfit_bodies(const Graph& graph) {
  const auto is_fit = [](const auto& node) {
    const NodeKind kind = node->kind;
    return kind == NodeKind::Kernel || kind == NodeKind::Copy || kind == NodeKind::Fill || kind == NodeKind::Empty ||
           kind == NodeKind::Graph || kind == NodeKind::Condition;
  };
  return std::ranges::any_of(graph.nodes, [&](const auto& node) {
    return node->bodies && std::ranges::any_of(node->bodies->handles, [&](const Graph* body) {
             return !std::ranges::all_of(body->nodes, is_fit) || has_unfit_bodies(*body);
           });
  });
}

Result run_bodies(StreamOrder& order, const GraphBodies& bodies, const std::vector<RunnableGraph>& ready) {
  const auto run = [&](std::size_t n) {
    for (const auto& node : ready[n].nodes) {
      if (node->bodies) node->bodies->condition->begin();
    }
    return ready[n].run(order);
  };
  u32 value = bodies.condition->value();
  Result result = Result::Success;
  if (bodies.kind == GraphBodies::Kind::While) {
    for (; value && result == Result::Success; value = bodies.condition->value()) result = run(0);
    return result;
  }
  const u32 chosen = bodies.kind == GraphBodies::Kind::If ? u32(value == 0) : value;
  return chosen < ready.size() ? run(chosen) : result;
}

}  // namespace ropewalk::driver
