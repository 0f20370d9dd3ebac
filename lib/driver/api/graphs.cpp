// Graphs: captured from streams or made node by node, and launched.
#include <algorithm>
#include <utility>

#include "lib/driver/api/graph_handles.h"

namespace ropewalk::driver {

Handles<Graph>& graphs() {
  static auto& all = *new Handles<Graph>;  // user objects do not end with the process
  return all;
}
Handles<RunnableGraph>& runnables() {
  static auto& all = *new Handles<RunnableGraph>;
  return all;
}

namespace {

// The first graph for which this holds, of children and bodies of nodes, too.
template <class Holds>
Graph* find(Graph& graph, const Holds& holds) {
  if (holds(graph)) return &graph;
  for (const auto& node : graph.nodes) {
    if (Graph* const found = node->child ? find(*node->child, holds) : nullptr) return found;
    for (Graph* const body : node->bodies ? node->bodies->handles : std::vector<Graph*>()) {
      if (Graph* const found = find(*body, holds)) return found;
    }
  }
  return nullptr;
}
// Of all graphs, and of those that are being captured.
template <class Holds>
Graph* find(const Holds& holds) {
  for (const auto& [handle, graph] : graphs().all()) {
    if (Graph* const found = find(*graph, holds)) return found;
  }
  const Held held;
  for (Context* context : held->contexts().all()) {
    Graph* found = nullptr;
    context->for_each_stream([&](const Stream& stream) {
      if (!found && stream.capture) found = find(*stream.capture->graph, holds);
    });
    if (found) return found;
  }
  return nullptr;
}

}  // namespace

bool is_graph(const Graph* graph) {
  return graphs().has(graph) || (graph && find([&](const Graph& one) { return &one == graph; }));
}
Graph* graph_of(const GraphNode* node) {
  return find([&](const Graph& graph) { return graph.has(node); });
}

RunnableGraph runnable_of(Session& session, const Graph& graph) {
  RunnableGraph out(graph);
  for (std::size_t n = 0; n < out.nodes.size(); ++n) {
    if (const auto& child = out.nodes[n]->child) {
      const RunnableGraph inner = runnable_of(session, *child);
      out.events[n] = inner.all_events();
      out.work[n] = [inner, &session] { return inner.run(session.order()); };
    }
    if (!out.nodes[n]->bodies) continue;
    const auto ready = std::make_shared<std::vector<RunnableGraph>>();
    for (const Graph* const body : out.nodes[n]->bodies->handles) ready->push_back(runnable_of(session, *body));
    out.work[n] = [&session, ready, bodies = out.nodes[n]->bodies] {
      return run_bodies(session.order(), *bodies, *ready);
    };
  }
  if (out.lines->size() > 1) session.add_branches();
  return out;
}

// Capture.

RW_CUDA cuStreamBeginCapture_v2(Stream* stream, int mode) {
  RW_CALL(call);
  if (mode < 0 || mode > int(CaptureMode::Relaxed)) return invalid_value;
  return answer(begin_capture(*call, stream, CaptureMode(mode)));
}

RW_CUDA cuStreamEndCapture(Stream* stream, Graph** graph) {
  RW_CALL(call);
  std::unique_ptr<Graph> captured;
  const Stream* const origin = is_stream(*call, stream) ? capturing(*call, stream) : nullptr;
  Graph* const into = origin ? origin->capture->into : nullptr;
  const Result result = end_capture(*call, stream, &captured);
  if (captured && into) {
    // Where the graph was destroyed meanwhile, the capture ends well all the same.
    if (is_graph(into)) {
      into->nodes.insert(into->nodes.end(), captured->nodes.begin(), captured->nodes.end());
      into->conditions.insert(into->conditions.end(), captured->conditions.begin(), captured->conditions.end());
    }
    captured = nullptr;
    if (graph) *graph = into;
  } else if (graph) {
    *graph = captured ? graphs().add(std::move(captured)) : nullptr;
  }
  return answer(result);
}

// What is captured comes after these nodes of the graph.
RW_CUDA cuStreamBeginCaptureToGraph(Stream* stream, Graph* graph, GraphNode* const* after, const void*,
                                    std::size_t count, int mode) {
  RW_GRAPH(graph);
  if (mode < 0 || mode > int(CaptureMode::Relaxed) || (count && !after)) return invalid_value;
  for (std::size_t n = 0; n < count; ++n) {
    if (!graph->has(after[n])) return invalid_value;
  }
  const Result result = begin_capture(*call, stream, CaptureMode(mode));
  if (result != Result::Success) return answer(result);
  Stream& origin = *capturing(*call, stream);
  origin.capture->into = graph;
  origin.after.assign(after, after + count);
  return success;
}

RW_CUDA cuStreamIsCapturing(Stream* stream, int* status) {
  RW_CALL(call);
  RW_NEEDS(status);
  if (!is_stream(*call, stream)) return answer(Result::InvalidHandle);
  // CUstreamCaptureStatus: none, active, invalidated
  const Stream* const captured = capturing(*call, stream);
  *status = !captured ? 0 : captured->capture->is_invalidated ? 2 : 1;
  return success;
}

// What the next node will come after is shown until the next call on the stream; the graph itself when the capture
// ends.
RW_CUDA cuStreamGetCaptureInfo_v2(Stream* stream, int* status, u64* id, Graph** graph, GraphNode* const** after,
                                  std::size_t* count) {
  if (!status) return invalid_value;
  if (const int result = cuStreamIsCapturing(stream, status)) return result;
  const Held held;
  Stream* const captured = capturing(*held, stream);
  const bool is_active = *status == 1;
  if (id) *id = captured ? u64(captured->capture.get()) : 0;
  if (graph) *graph = is_active ? captured->capture->graph.get() : nullptr;
  if (after) *after = is_active ? captured->after.data() : nullptr;
  if (count) *count = is_active ? captured->after.size() : 0;
  return success;
}
RW_CUDA cuStreamGetCaptureInfo_v3(Stream* stream, int* status, u64* id, Graph** graph, GraphNode* const** after,
                                  const void** edges, std::size_t* count) {
  if (edges) *edges = nullptr;
  return cuStreamGetCaptureInfo_v2(stream, status, id, graph, after, count);
}

// What is captured next comes after these nodes, too, or after these alone.
RW_CUDA cuStreamUpdateCaptureDependencies_v2(Stream* stream, GraphNode* const* after, const void*, std::size_t count,
                                             unsigned flags) {
  RW_CALL(call);
  constexpr unsigned set = 1;  // CU_STREAM_SET_CAPTURE_DEPENDENCIES
  if (!is_stream(*call, stream)) return answer(Result::InvalidHandle);
  Stream* const captured = capturing(*call, stream);
  if (!captured) return answer(Result::IllegalState);
  if (captured->capture->is_invalidated) return answer(Result::StreamCaptureInvalidated);
  if (flags > set || (count && !after)) return invalid_value;
  const std::vector<GraphNode*> nodes(after, after + count);
  const Graph* const into = captured->capture->into;
  const auto is_there = [&](const GraphNode* node) {
    return captured->capture->graph->has(node) || (is_graph(into) && into->has(node));
  };
  if (!std::ranges::all_of(nodes, is_there)) return invalid_value;
  if (flags == set) captured->after.clear();
  captured->after.insert(captured->after.end(), nodes.begin(), nodes.end());
  return success;
}
RW_CUDA cuStreamUpdateCaptureDependencies(Stream* stream, GraphNode* const* after, std::size_t count, unsigned flags) {
  return cuStreamUpdateCaptureDependencies_v2(stream, after, nullptr, count, flags);
}

RW_CUDA cuThreadExchangeStreamCaptureMode(int* mode) {
  if (!mode || *mode < 0 || *mode > int(CaptureMode::Relaxed)) return invalid_value;
  *mode = int(std::exchange(capture_mode_of_thread(), CaptureMode(*mode)));
  return success;
}

// Graphs.

RW_CUDA cuGraphCreate(Graph** graph, unsigned) {
  RW_CALL(call);
  RW_NEEDS(graph);
  *graph = graphs().add(std::make_unique<Graph>());
  return success;
}

RW_CUDA cuGraphClone(Graph** copy, Graph* graph) {
  RW_GRAPH(graph);
  RW_NEEDS(copy);
  if (has_memory(*graph) || has_conditions(*graph)) return answer(Result::NotSupported);  // as on a GPU
  *copy = graphs().add(std::make_unique<Graph>(*graph));
  return success;
}

RW_CUDA cuGraphDestroy(Graph* graph) {
  std::unique_ptr<Graph> gone;  // its user objects end once the session is free
  Held held;
  gone = graphs().take(graph);
  return gone ? success : answer(Result::InvalidHandle);
}

// What runs.

RW_CUDA cuGraphInstantiateWithFlags(RunnableGraph** runnable, Graph* graph, unsigned long long flags) {
  RW_GRAPH(graph);
  RW_NEEDS(runnable);
  constexpr unsigned long long auto_free_on_launch = 1, known = 15;  // CUgraphInstantiate_flags
  if (flags & ~known) return invalid_value;
  if (!graph->put_in_order()) return invalid_value;
  if (has_unfit_bodies(*graph)) return answer(Result::NotSupported);
  *runnable = runnables().add(std::make_unique<RunnableGraph>(runnable_of(*call, *graph)));
  (*runnable)->flags = flags;
  (*runnable)->frees_at_launch = flags & auto_free_on_launch;
  return success;
}
RW_CUDA cuGraphInstantiate_v2(RunnableGraph** runnable, Graph* graph, GraphNode**, char*, std::size_t) {
  return cuGraphInstantiateWithFlags(runnable, graph, 0);
}
RW_CUDA cuGraphInstantiateWithParams(RunnableGraph** runnable, Graph* graph, void*) {
  return cuGraphInstantiateWithFlags(runnable, graph, 0);
}

RW_CUDA cuGraphExecDestroy(RunnableGraph* runnable) {
  std::unique_ptr<RunnableGraph> gone;
  Held held;
  gone = runnables().take(runnable);
  return gone ? success : answer(Result::InvalidHandle);
}

RW_CUDA cuGraphUpload(RunnableGraph* runnable, Stream*) {
  RW_CALL(call);
  return runnables().has(runnable) ? success : answer(Result::InvalidHandle);
}

RW_CUDA cuGraphLaunch(RunnableGraph* runnable, Stream* stream) {
  RW_RUNNABLE(runnable);
  const auto run = [inner = *runnable, &session = *call] {
    const Result result = begin_launch(session, inner);
    return result == Result::Success ? inner.run(session.order()) : result;
  };
  return answer(submit(*call, stream, NodeKind::Graph, run, {}, runnable->all_events()));
}

// The graph must have the same nodes, and their work is taken over.
RW_CUDA cuGraphExecUpdate_v2(RunnableGraph* runnable, Graph* graph, int* result) {
  RW_GRAPH(graph);
  if (!runnables().has(runnable)) return answer(Result::InvalidHandle);
  if (!graph->put_in_order()) return invalid_value;
  const auto same_kind = [](const auto& a, const auto& b) { return a->kind == b->kind; };
  const bool is_same = std::ranges::equal(runnable->nodes, graph->nodes, same_kind);
  // CUgraphExecUpdateResult: its first member says what differs.
  constexpr int topology_changed = 2, node_type_changed = 3, update_failed = 910;
  const bool is_as_long = runnable->nodes.size() == graph->nodes.size();
  if (result) *result = is_same ? 0 : is_as_long ? node_type_changed : topology_changed;
  if (!is_same) return update_failed;
  runnable->update(runnable_of(*call, *graph));
  return success;
}

}  // namespace ropewalk::driver
