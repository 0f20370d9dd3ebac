// Nodes of graphs that record events and wait for them, and what graphs and copies of them say of themselves.
#include "lib/driver/api/graph_handles.h"

namespace ropewalk::driver {

namespace {

int add(NodeKind kind, GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count, Event* event) {
  RW_NEW_NODE(node, graph, after, count);
  if (!is_event(*call, event)) return answer(Result::InvalidHandle);
  *node = graph->add(kind, event_work(*call, kind, event), {after, after + count}, event, events_of(kind, event));
  return success;
}

int get(NodeKind kind, const GraphNode* node, Event** event) {
  RW_NODE(node);
  if (node->kind != kind || !event) return invalid_value;
  *event = std::any_cast<Event*>(node->parameters);
  return success;
}

int set(NodeKind kind, GraphNode* node, Event* event) {
  RW_NODE(node);
  if (node->kind != kind) return invalid_value;
  if (!is_event(*call, event)) return answer(Result::InvalidHandle);
  node->work = event_work(*call, kind, event);
  node->parameters = event;
  node->events = events_of(kind, event);
  return success;
}

int set(NodeKind kind, RunnableGraph* runnable, const GraphNode* node, Event* event) {
  RW_RUNNABLE(runnable);
  if (!is_event(*call, event)) return answer(Result::InvalidHandle);
  const bool is_done = runnable->exchange(node, kind, event_work(*call, kind, event), events_of(kind, event));
  return is_done ? success : invalid_value;
}

}  // namespace

RW_CUDA cuGraphAddEventRecordNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                                  Event* event) {
  return add(NodeKind::Record, node, graph, after, count, event);
}
RW_CUDA cuGraphAddEventWaitNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                                Event* event) {
  return add(NodeKind::Wait, node, graph, after, count, event);
}
RW_CUDA cuGraphEventRecordNodeGetEvent(GraphNode* node, Event** event) { return get(NodeKind::Record, node, event); }
RW_CUDA cuGraphEventWaitNodeGetEvent(GraphNode* node, Event** event) { return get(NodeKind::Wait, node, event); }
RW_CUDA cuGraphEventRecordNodeSetEvent(GraphNode* node, Event* event) { return set(NodeKind::Record, node, event); }
RW_CUDA cuGraphEventWaitNodeSetEvent(GraphNode* node, Event* event) { return set(NodeKind::Wait, node, event); }
RW_CUDA cuGraphExecEventRecordNodeSetEvent(RunnableGraph* runnable, GraphNode* node, Event* event) {
  return set(NodeKind::Record, runnable, node, event);
}
RW_CUDA cuGraphExecEventWaitNodeSetEvent(RunnableGraph* runnable, GraphNode* node, Event* event) {
  return set(NodeKind::Wait, runnable, node, event);
}

RW_CUDA cuGraphExecGetFlags(RunnableGraph* runnable, u64* flags) {
  RW_RUNNABLE(runnable);
  RW_NEEDS(flags);
  constexpr u64 not_told = 2 | 8;  // to upload, and to use the nodes' priorities
  *flags = runnable->flags & ~not_told;
  return success;
}

RW_CUDA cuGraphNodeFindInClone(GraphNode** node, GraphNode* original, Graph* copy) {
  RW_GRAPH(copy);
  if (!node) return invalid_value;
  for (const auto& one : copy->nodes) {
    if (one->original != original) continue;
    *node = one.get();
    return success;
  }
  return invalid_value;
}

}  // namespace ropewalk::driver
