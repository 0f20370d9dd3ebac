// Conditions of graphs, and the nodes that they decide about.
#include "lib/driver/api/graph_handles.h"
#include "lib/driver/api/node_structs.h"

namespace ropewalk::driver {

RW_CUDA cuGraphConditionalHandleCreate(u64* condition, Graph* graph, const Context* context, unsigned initial,
                                       unsigned flags) {
  RW_GRAPH(graph);
  constexpr unsigned assign_default = 1;
  if (!condition || flags & ~assign_default) return invalid_value;
  const u32 device = context ? context->device : call.device();
  auto made = GraphCondition::make(*call, device, flags ? std::optional(initial) : std::nullopt);
  if (!made) return answer(Result::OutOfMemory);
  *condition = made->address();
  graph->conditions.push_back(std::move(made));
  return success;
}

int add_conditional(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count, ConditionalNode* what) {
  RW_NEW_NODE(node, graph, after, count);
  using Kind = GraphBodies::Kind;
  const auto known = std::ranges::find(graph->conditions, what->condition, &GraphCondition::address);
  const unsigned most = what->kind == Kind::If ? 2 : what->kind == Kind::While ? 1 : ~0u;
  if (known == graph->conditions.end() || (*known)->is_used || what->kind < Kind::If || what->kind > Kind::Switch ||
      !what->count || what->count > most)
    return invalid_value;
  auto bodies = std::make_shared<GraphBodies>(GraphBodies{*known, what->kind, {}, {}});
  (*known)->is_used = true;
  for (unsigned n = 0; n < what->count; ++n)
    bodies->handles.push_back(bodies->graphs.emplace_back(std::make_unique<Graph>()).get());
  what->bodies = bodies->handles.data();
  *node = graph->add(NodeKind::Condition, {}, {after, after + count});
  (*node)->bodies = std::move(bodies);
  return success;
}

}  // namespace ropewalk::driver
