// Nodes of graphs: how they are made, and their parameters, which may be read and set.
#include <fmt/format.h>

#include "lib/driver/api/graph_handles.h"
#include "lib/driver/api/node_structs.h"

namespace ropewalk::driver {

RW_CUDA cuGraphAddMemAllocNode(GraphNode**, Graph*, GraphNode* const*, std::size_t, MemoryNode*);
RW_CUDA cuGraphAddMemFreeNode(GraphNode**, Graph*, GraphNode* const*, std::size_t, DevicePointer);
int add_conditional(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count, ConditionalNode* what);

namespace {

// What a node is to do, made of the struct of the API that says so.
struct Action {
  NodeKind kind;
  Work work;
  std::any parameters;
  EventsOfWork events = {};
  std::shared_ptr<Graph> child = nullptr;
  LaunchAttributes attributes = {};  // of a kernel, that it has besides
};

// What is known of a node that is a kernel; nullptr: it is none.
const LaunchParameters* launch_of(const GraphNode& node) {
  const auto* const known = std::any_cast<std::shared_ptr<const LaunchParameters>>(&node.parameters);
  return known ? known->get() : nullptr;
}

LaunchAttributes attributes_of(const GraphNode& node) {
  const LaunchParameters* const launch = launch_of(node);
  return launch ? launch->attributes : LaunchAttributes{};
}

Result make(const Call& call, const KernelNode& what, Action& out) {
  LaunchRequest request;
  const LaunchShape shape{what.function ? what.function : what.kernel,
                          {what.grid[0], what.grid[1], what.grid[2]},
                          {what.block[0], what.block[1], what.block[2]},
                          what.shared_bytes,
                          out.attributes,
                          true};
  const Result result = make_request(*call, *call.context(), shape, what.values, what.extra, &request);
  if (result != Result::Success) return result;
  out = {NodeKind::Kernel, {}, launch_parameters(request, out.attributes)};
  out.work = launch_work(*call, *call.context(), std::move(request));
  return result;
}

Result make(const Call& call, const VolumeCopy& what, Action& out) {
  out = {NodeKind::Copy, copy_work(*call, what), what};
  return Result::Success;
}

Result make(const Call& call, const FillNode& what, Action& out) {
  const unsigned width = what.element_bytes;
  if (width != 1 && width != 2 && width != 4) return Result::InvalidValue;
  if (!has_room(what.pitch, width, what.width, what.height)) return Result::InvalidValue;
  out = {NodeKind::Fill,
         [&session = *call, what] {
           return session.memory().set({what.to, what.pitch}, what.value, what.element_bytes, what.width, what.height,
                                       "cuGraphLaunch: a node that fills");
         },
         what};
  return Result::Success;
}

Result make(const Call&, const HostNode& what, Action& out) {
  if (!what.function) return Result::InvalidValue;
  out = {NodeKind::Host, host_work([what] { what.function(what.user); }), what};
  return Result::Success;
}

Result make(const Call& call, const ChildNode& what, Action& out) {
  if (!what.graph) return Result::InvalidValue;
  if (!is_graph(what.graph)) return Result::InvalidHandle;
  if (has_memory(*what.graph) || has_conditions(*what.graph)) return Result::NotSupported;  // as on a GPU
  if (what.ownership) {
    call->unsupported("a child of a graph that is moved there, not copied");
    return Result::NotSupported;
  }
  const auto child = std::make_shared<Graph>(*what.graph);
  const RunnableGraph inner = runnable_of(*call, *child);
  out = {NodeKind::Graph, {}, {}, inner.all_events(), child};
  out.work = [inner, &session = *call] { return inner.run(session.order()); };
  return Result::Success;
}

Result make(const Call& call, NodeKind kind, Event* event, Action& out) {
  if (!is_event(*call, event)) return Result::InvalidHandle;
  out = {kind, event_work(*call, kind, event), event, events_of(kind, event)};
  return Result::Success;
}
Result make(const Call& call, const RecordNode& what, Action& out) {
  return make(call, NodeKind::Record, what.event, out);
}
Result make(const Call& call, const WaitNode& what, Action& out) { return make(call, NodeKind::Wait, what.event, out); }

template <class What>
int add(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count, const What* what) {
  RW_NEW_NODE(node, graph, after, count);
  Action action;
  if (!what) return invalid_value;
  if (const Result result = make(call, *what, action); result != Result::Success) return answer(result);
  *node = graph->add(action.kind, std::move(action.work), {after, after + count}, std::move(action.parameters),
                     std::move(action.events));
  (*node)->child = std::move(action.child);
  return success;
}

// From now on the node does that.
template <class What>
int become(const Call& call, GraphNode* node, const What& what, Action action) {
  if (const Result result = make(call, what, action); result != Result::Success) return answer(result);
  if (node->kind != action.kind) return invalid_value;
  node->work = std::move(action.work);
  node->parameters = std::move(action.parameters);
  node->events = std::move(action.events);
  node->child = std::move(action.child);
  return success;
}

template <class What>
int set(GraphNode* node, const What* what) {
  RW_NODE(node);
  return what ? become(call, node, *what, {.attributes = attributes_of(*node)}) : invalid_value;
}

template <class What>
int set(RunnableGraph* runnable, const GraphNode* node, const What* what) {
  RW_RUNNABLE(runnable);
  Action action{.attributes = attributes_of(*node)};
  if (!what) return invalid_value;
  if (const Result result = make(call, *what, action); result != Result::Success) return answer(result);
  const bool is_done = runnable->exchange(node, action.kind, std::move(action.work), std::move(action.events));
  return is_done ? success : invalid_value;
}

// The kernel of the node is launched with these.
int take_attributes(const Call& call, GraphNode* node, LaunchAttributes attributes, const std::string& function) {
  if (const std::string why = why_not_there(attributes); !why.empty()) {
    call->unsupported(function + " with " + why);
    return answer(Result::NotSupported);
  }
  const KernelNode what = launch_of(*node)->node;  // its pointers lead to what the node has until then
  return become(call, node, what, {.attributes = std::move(attributes)});
}

// What is kept of one that was captured may not be all: then it is not there.
template <class What>
int get(const GraphNode* node, NodeKind kind, What* what, const char* name) {
  RW_NODE(node);
  if (node->kind != kind || !what) return invalid_value;
  const auto* const known = std::any_cast<What>(&node->parameters);
  if (!known) {
    call->unsupported(name);
    return answer(Result::NotSupported);
  }
  *what = *known;
  return success;
}

}  // namespace

RW_CUDA cuGraphAddKernelNode_v2(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                                const KernelNode* what) {
  return add(node, graph, after, count, what);
}
RW_CUDA cuGraphKernelNodeSetParams_v2(GraphNode* node, const KernelNode* what) { return set(node, what); }
RW_CUDA cuGraphExecKernelNodeSetParams_v2(RunnableGraph* runnable, GraphNode* node, const KernelNode* what) {
  return set(runnable, node, what);
}
// The pointers lead to what the node keeps.
RW_CUDA cuGraphKernelNodeGetParams_v2(GraphNode* node, KernelNode* what) {
  RW_NODE(node);
  const LaunchParameters* const launch = launch_of(*node);
  if (!launch || !what) return invalid_value;
  *what = launch->node;
  return success;
}

RW_CUDA cuGraphKernelNodeGetAttribute(GraphNode* node, LaunchAttributeId id, LaunchAttributeValue* value) {
  RW_NODE(node);
  const LaunchParameters* const launch = launch_of(*node);
  if (!launch || !value) return invalid_value;
  const auto known = launch->attributes.find(id);
  *value = known == launch->attributes.end() ? LaunchAttributeValue{} : known->second;
  return success;
}
RW_CUDA cuGraphKernelNodeSetAttribute(GraphNode* node, LaunchAttributeId id, const LaunchAttributeValue* value) {
  RW_NODE(node);
  const LaunchParameters* const launch = launch_of(*node);
  if (!launch || !value) return invalid_value;
  LaunchAttributes attributes = launch->attributes;
  attributes.insert_or_assign(id, *value);
  return take_attributes(call, node, std::move(attributes), "cuGraphKernelNodeSetAttribute");
}
RW_CUDA cuGraphKernelNodeCopyAttributes(GraphNode* to, GraphNode* from) {
  RW_NODE(to);
  if (!graph_of(from)) return answer(Result::InvalidHandle);
  if (!launch_of(*to) || !launch_of(*from)) return invalid_value;
  return take_attributes(call, to, attributes_of(*from), "cuGraphKernelNodeCopyAttributes");
}

RW_CUDA cuGraphAddMemcpyNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                             const VolumeCopy* what, Context*) {
  return add(node, graph, after, count, what);
}
RW_CUDA cuGraphMemcpyNodeSetParams(GraphNode* node, const VolumeCopy* what) { return set(node, what); }
RW_CUDA cuGraphMemcpyNodeGetParams(GraphNode* node, VolumeCopy* what) {
  return get(node, NodeKind::Copy, what, "cuGraphMemcpyNodeGetParams");
}
RW_CUDA cuGraphExecMemcpyNodeSetParams(RunnableGraph* runnable, GraphNode* node, const VolumeCopy* what, Context*) {
  return set(runnable, node, what);
}

RW_CUDA cuGraphAddMemsetNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                             const FillNode* what, Context*) {
  return add(node, graph, after, count, what);
}
RW_CUDA cuGraphMemsetNodeSetParams(GraphNode* node, const FillNode* what) { return set(node, what); }
RW_CUDA cuGraphMemsetNodeGetParams(GraphNode* node, FillNode* what) {
  return get(node, NodeKind::Fill, what, "cuGraphMemsetNodeGetParams");
}
RW_CUDA cuGraphExecMemsetNodeSetParams(RunnableGraph* runnable, GraphNode* node, const FillNode* what, Context*) {
  return set(runnable, node, what);
}

RW_CUDA cuGraphAddHostNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                           const HostNode* what) {
  return add(node, graph, after, count, what);
}
RW_CUDA cuGraphHostNodeSetParams(GraphNode* node, const HostNode* what) { return set(node, what); }
RW_CUDA cuGraphHostNodeGetParams(GraphNode* node, HostNode* what) {
  return get(node, NodeKind::Host, what, "cuGraphHostNodeGetParams");
}
RW_CUDA cuGraphExecHostNodeSetParams(RunnableGraph* runnable, GraphNode* node, const HostNode* what) {
  return set(runnable, node, what);
}

RW_CUDA cuGraphAddEmptyNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count) {
  RW_NEW_NODE(node, graph, after, count);
  *node = graph->add(NodeKind::Empty, {}, {after, after + count});
  return success;
}

RW_CUDA cuGraphAddChildGraphNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                                 Graph* child) {
  const ChildNode what{child, 0};
  return add(node, graph, after, count, &what);
}
RW_CUDA cuGraphExecChildGraphNodeSetParams(RunnableGraph* runnable, GraphNode* node, Graph* child) {
  const ChildNode what{child, 0};
  return set(runnable, node, &what);
}
// The copy that the node has: what is changed in it is in what is instantiated from then on.
RW_CUDA cuGraphChildGraphNodeGetGraph(GraphNode* node, Graph** child) {
  RW_NODE(node);
  if (node->kind != NodeKind::Graph || !child) return invalid_value;
  if (!node->child) {
    call->unsupported("cuGraphChildGraphNodeGetGraph of a launch that was captured");
    return answer(Result::NotSupported);
  }
  *child = node->child.get();
  return success;
}

// Nodes that are switched off in what runs, and on again.

namespace {

// The node's place in what runs; as many as there are nodes: it cannot be switched.
std::size_t switch_of(const RunnableGraph& runnable, const GraphNode* node) {
  const auto is_it = [&](const auto& one) { return one.get() == node; };
  const auto at = std::ranges::find_if(runnable.handles, is_it);
  if (at == runnable.handles.end()) return runnable.nodes.size();
  const NodeKind kind = (*at)->kind;
  const bool has_one = kind == NodeKind::Kernel || kind == NodeKind::Copy || kind == NodeKind::Fill;
  return has_one ? std::size_t(at - runnable.handles.begin()) : runnable.nodes.size();
}

}  // namespace

RW_CUDA cuGraphNodeSetEnabled(RunnableGraph* runnable, const GraphNode* node, unsigned is_on) {
  RW_RUNNABLE(runnable);
  const std::size_t at = switch_of(*runnable, node);
  if (at == runnable->nodes.size()) return invalid_value;
  runnable->are_off[at] = !is_on;
  return success;
}
RW_CUDA cuGraphNodeGetEnabled(RunnableGraph* runnable, const GraphNode* node, unsigned* is_on) {
  RW_RUNNABLE(runnable);
  const std::size_t at = switch_of(*runnable, node);
  if (at == runnable->nodes.size() || !is_on) return invalid_value;
  *is_on = !runnable->are_off[at];
  return success;
}

// Nodes of any kind.

namespace {

// Calls set(what) with what the node is to do.
template <class Set>
int with_action(const AnyNode& what, const Set& set) {
  switch (what.kind) {
    case NodeKind::Kernel:
      return set(&what.kernel);
    case NodeKind::Copy:
      return set(&what.copy.rows);
    case NodeKind::Fill:
      return set(&what.fill);
    case NodeKind::Host:
      return set(&what.host);
    case NodeKind::Graph:
      return set(&what.child);
    case NodeKind::Record:
      return set(&what.record);
    case NodeKind::Wait:
      return set(&what.wait);
    default:
      Held()->unsupported(fmt::format("a node of a graph of type {}", int(what.kind)));
      return answer(Result::NotSupported);
  }
}

}  // namespace

RW_CUDA cuGraphAddNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count, AnyNode* what) {
  if (!node || !what) return invalid_value;
  switch (what->kind) {
    case NodeKind::Empty:
      return cuGraphAddEmptyNode(node, graph, after, count);
    case NodeKind::Allocate:
      return cuGraphAddMemAllocNode(node, graph, after, count, &what->memory);
    case NodeKind::Free:
      return cuGraphAddMemFreeNode(node, graph, after, count, what->freed);
    case NodeKind::Condition:
      return add_conditional(node, graph, after, count, &what->conditional);
    default:
      return with_action(*what, [&](const auto* action) { return add(node, graph, after, count, action); });
  }
}
RW_CUDA cuGraphAddNode_v2(GraphNode** node, Graph* graph, GraphNode* const* after, const EdgeData* data,
                          std::size_t count, AnyNode* what) {
  if (!are_usual(data, count)) return answer(Result::NotSupported);
  return cuGraphAddNode(node, graph, after, count, what);
}
RW_CUDA cuGraphNodeSetParams(GraphNode* node, const AnyNode* what) {
  if (!what) return invalid_value;
  return with_action(*what, [&](const auto* action) { return set(node, action); });
}
RW_CUDA cuGraphExecNodeSetParams(RunnableGraph* runnable, GraphNode* node, const AnyNode* what) {
  if (!what) return invalid_value;
  return with_action(*what, [&](const auto* action) { return set(runnable, node, action); });
}

}  // namespace ropewalk::driver
