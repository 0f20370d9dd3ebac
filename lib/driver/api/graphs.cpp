// Graphs: captured from streams or made node by node, and launched.
#include <algorithm>
#include <utility>

#include "lib/driver/api/launch_request.h"

namespace ropewalk::driver {

namespace {

Handles<Graph>& graphs() {
  static Handles<Graph> all;
  return all;
}
Handles<RunnableGraph>& runnables() {
  static Handles<RunnableGraph> all;
  return all;
}
#define RW_GRAPH(graph) \
  RW_CALL(call);        \
  if (!graphs().has(graph)) return answer(Result::InvalidHandle)

int add(Graph* graph, GraphNode** node, GraphNode* const* after, std::size_t count, NodeKind kind, Work work) {
  *node = graph->add(kind, std::move(work), {after, after + count});
  return success;
}

RunnableGraph runnable_of(Session& session, const Graph& graph) {
  RunnableGraph out(graph);
  if (out.lines->size() > 1) session.add_branches();
  return out;
}

}  // namespace

// Capture.

RW_CUDA cuStreamBeginCapture_v2(Stream* stream, int mode) {
  RW_CALL(call);
  if (mode < 0 || mode > int(CaptureMode::Relaxed)) return invalid_value;
  return answer(begin_capture(*call, stream, CaptureMode(mode)));
}

RW_CUDA cuStreamEndCapture(Stream* stream, Graph** graph) {
  RW_CALL(call);
  std::unique_ptr<Graph> captured;
  const Result result = end_capture(*call, stream, &captured);
  if (graph) *graph = captured ? graphs().add(std::move(captured)) : nullptr;
  return answer(result);
}

RW_CUDA cuStreamIsCapturing(Stream* stream, int* status) {
  RW_CALL(call);
  if (!is_stream(*call, stream)) return answer(Result::InvalidHandle);
  // CUstreamCaptureStatus: none, active, invalidated
  *status = !is_capturing(stream) ? 0 : stream->capture->is_invalidated ? 2 : 1;
  return success;
}

// The graph itself is shown when the capture ends.
RW_CUDA cuStreamGetCaptureInfo_v2(Stream* stream, int* status, u64* id, Graph** graph, GraphNode* const** after,
                                  std::size_t* count) {
  if (const int result = cuStreamIsCapturing(stream, status)) return result;
  if (id) *id = *status ? u64(stream->capture.get()) : 0;
  if (graph) *graph = nullptr;
  if (after) *after = nullptr;
  if (count) *count = 0;
  return success;
}
RW_CUDA cuStreamGetCaptureInfo_v3(Stream* stream, int* status, u64* id, Graph** graph, GraphNode* const** after,
                                  const void** edges, std::size_t* count) {
  if (edges) *edges = nullptr;
  return cuStreamGetCaptureInfo_v2(stream, status, id, graph, after, count);
}

RW_CUDA cuThreadExchangeStreamCaptureMode(int* mode) {
  if (!mode || *mode < 0 || *mode > int(CaptureMode::Relaxed)) return invalid_value;
  *mode = int(std::exchange(capture_mode_of_thread(), CaptureMode(*mode)));
  return success;
}

// Graphs.

RW_CUDA cuGraphCreate(Graph** graph, unsigned) {
  RW_CALL(call);
  *graph = graphs().add(std::make_unique<Graph>());
  return success;
}

RW_CUDA cuGraphClone(Graph** copy, Graph* graph) {
  RW_GRAPH(graph);
  if (has_memory(*graph)) return answer(Result::NotSupported);  // as on a GPU
  *copy = graphs().add(std::make_unique<Graph>(*graph));
  return success;
}

RW_CUDA cuGraphDestroy(Graph* graph) {
  Held held;
  return graphs().remove(graph) ? success : answer(Result::InvalidHandle);
}

RW_CUDA cuGraphGetNodes(Graph* graph, GraphNode** nodes, std::size_t* count) {
  RW_GRAPH(graph);
  for (std::size_t n = 0; nodes && n < std::min(*count, graph->nodes.size()); ++n) nodes[n] = graph->nodes[n].get();
  if (!nodes) *count = graph->nodes.size();
  return success;
}

RW_CUDA cuGraphNodeGetType(GraphNode* node, int* type) {
  *type = int(node->kind);
  return success;
}

// Nodes.

struct KernelNode {
  Kernel* function;
  unsigned grid[3], block[3], shared_bytes;
  void **values, **extra;
  Kernel* kernel;
  Context* context;
};

static Result work_of(const Call& call, const KernelNode& what, Work* work) {
  LaunchRequest request;
  const LaunchShape shape{what.function ? what.function : what.kernel,
                          {what.grid[0], what.grid[1], what.grid[2]},
                          {what.block[0], what.block[1], what.block[2]},
                          what.shared_bytes};
  const Result result = make_request(*call, *call.context(), shape, what.values, what.extra, &request);
  if (result == Result::Success) *work = launch_work(*call, *call.context(), std::move(request));
  return result;
}

RW_CUDA cuGraphAddKernelNode_v2(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                                const KernelNode* what) {
  RW_GRAPH(graph);
  Work work;
  const Result result = work_of(call, *what, &work);
  return result == Result::Success ? add(graph, node, after, count, NodeKind::Kernel, std::move(work)) : answer(result);
}

RW_CUDA cuGraphExecKernelNodeSetParams_v2(RunnableGraph* runnable, GraphNode* node, const KernelNode* what) {
  RW_CALL(call);
  if (!runnables().has(runnable)) return answer(Result::InvalidHandle);
  Work work;
  if (const Result result = work_of(call, *what, &work); result != Result::Success) return answer(result);
  return runnable->exchange(node, std::move(work)) ? success : invalid_value;
}

RW_CUDA cuGraphAddMemcpyNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                             const void* what, Context*) {
  RW_GRAPH(graph);
  return add(graph, node, after, count, NodeKind::Copy, copy_work(*call, what));
}

struct FillNode {
  DevicePointer to;
  std::size_t pitch;
  unsigned value, element_bytes;
  std::size_t width, height;
};

RW_CUDA cuGraphAddMemsetNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                             const FillNode* what, Context*) {
  RW_GRAPH(graph);
  Session& session = *call;
  return add(graph, node, after, count, NodeKind::Fill, [&session, fill = *what] {
    return session.memory().set({fill.to, fill.pitch}, fill.value, fill.element_bytes, fill.width, fill.height,
                                "cuGraphLaunch: a node that fills");
  });
}

struct HostNode {
  void (*function)(void*);
  void* user;
};

RW_CUDA cuGraphAddHostNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                           const HostNode* what) {
  RW_GRAPH(graph);
  return add(graph, node, after, count, NodeKind::Host, host_work([host = *what] { host.function(host.user); }));
}

RW_CUDA cuGraphAddEmptyNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count) {
  RW_GRAPH(graph);
  return add(graph, node, after, count, NodeKind::Empty, {});
}

RW_CUDA cuGraphAddChildGraphNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                                 Graph* child) {
  RW_GRAPH(graph);
  if (!graphs().has(child)) return answer(Result::InvalidHandle);
  if (has_memory(*child)) return answer(Result::NotSupported);  // as on a GPU
  return add(graph, node, after, count, NodeKind::Graph,
             [inner = runnable_of(*call, *child), &session = *call] { return inner.run(session.order()); });
}

// Memory. CUDA_MEM_ALLOC_NODE_PARAMS:

struct MemoryNode {
  int type, handles, location_type, device;  // CUmemPoolProps
  char of_pool[72];
  const void* access;
  std::size_t access_count, bytes;
  DevicePointer address;
};
static_assert(sizeof(MemoryNode) == 120);

RW_CUDA cuGraphAddMemAllocNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                               MemoryNode* what) {
  RW_GRAPH(graph);
  if (!what || !what->bytes || what->device < 0 || u32(what->device) >= call->options().devices) return invalid_value;
  *node = add_allocation(*call, *graph, u32(what->device), what->bytes, {after, after + count});
  if (!*node) return answer(Result::OutOfMemory);
  what->address = (*node)->memory->allocation().address;
  return success;
}

RW_CUDA cuGraphAddMemFreeNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                              DevicePointer address) {
  RW_GRAPH(graph);
  *node = add_free(*call, *graph, address, {after, after + count});
  return *node ? success : invalid_value;
}

RW_CUDA cuGraphMemAllocNodeGetParams(GraphNode* node, MemoryNode* what) {
  RW_CALL(call);
  if (!node->memory) return invalid_value;
  const Allocation& at = node->memory->allocation();
  *what = {};
  what->type = what->location_type = 1;  // pinned, of a device
  what->device = int(at.device);
  what->bytes = at.bytes;
  what->address = at.address;
  return success;
}

RW_CUDA cuGraphMemFreeNodeGetParams(GraphNode* node, DevicePointer* address) {
  RW_CALL(call);
  if (!node->frees) return invalid_value;
  *address = node->frees;
  return success;
}

static int graph_bytes(int device, DeviceMemory::GraphBytes** bytes) {
  const Held held;
  if (device < 0 || u32(device) >= held->options().devices) return answer(Result::InvalidDevice);
  *bytes = &held->memory().graph_bytes(u32(device));
  return success;
}

RW_CUDA cuDeviceGraphMemTrim(int device) {
  DeviceMemory::GraphBytes* bytes = nullptr;
  if (const int error = graph_bytes(device, &bytes)) return error;
  bytes->reserved = bytes->used;
  return success;
}

// CUgraphMem_attribute: used, the most used, reserved, the most reserved.
RW_CUDA cuDeviceGetGraphMemAttribute(int device, int attribute, u64* value) {
  DeviceMemory::GraphBytes* bytes = nullptr;
  if (const int error = graph_bytes(device, &bytes)) return error;
  const u64 values[] = {bytes->used, bytes->most_used, bytes->reserved, bytes->most_reserved};
  if (!value || attribute < 0 || attribute > 3) return invalid_value;
  *value = values[attribute];
  return success;
}

// The most so far begins again.
RW_CUDA cuDeviceSetGraphMemAttribute(int device, int attribute, const u64* value) {
  DeviceMemory::GraphBytes* bytes = nullptr;
  if (const int error = graph_bytes(device, &bytes)) return error;
  if (!value || *value || (attribute != 1 && attribute != 3)) return invalid_value;
  if (attribute == 1)
    bytes->most_used = bytes->used;
  else
    bytes->most_reserved = bytes->reserved;
  return success;
}

// What runs.

RW_CUDA cuGraphInstantiateWithFlags(RunnableGraph** runnable, Graph* graph, unsigned long long flags) {
  RW_GRAPH(graph);
  constexpr unsigned long long auto_free_on_launch = 1;
  *runnable = runnables().add(std::make_unique<RunnableGraph>(runnable_of(*call, *graph)));
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
  Held held;
  return runnables().remove(runnable) ? success : answer(Result::InvalidHandle);
}

RW_CUDA cuGraphUpload(RunnableGraph* runnable, Stream*) {
  RW_CALL(call);
  return runnables().has(runnable) ? success : answer(Result::InvalidHandle);
}

RW_CUDA cuGraphLaunch(RunnableGraph* runnable, Stream* stream) {
  RW_CALL(call);
  if (!runnables().has(runnable)) return answer(Result::InvalidHandle);
  return answer(submit(*call, stream, NodeKind::Graph, [inner = *runnable, &session = *call] {
    const Result result = begin_launch(session, inner);
    return result == Result::Success ? inner.run(session.order()) : result;
  }));
}

// The graph must have the same nodes, and their work is taken over.
RW_CUDA cuGraphExecUpdate_v2(RunnableGraph* runnable, Graph* graph, int* result) {
  RW_GRAPH(graph);
  if (!runnables().has(runnable)) return answer(Result::InvalidHandle);
  const auto same_kind = [](const auto& a, const auto& b) { return a->kind == b->kind; };
  const bool is_same = std::ranges::equal(runnable->nodes, graph->nodes, same_kind);
  constexpr int update_error = 1, update_failed = 910;
  if (result) *result = is_same ? 0 : update_error;
  if (!is_same) return update_failed;
  const bool frees_at_launch = runnable->frees_at_launch;
  *runnable = runnable_of(*call, *graph);
  runnable->frees_at_launch = frees_at_launch;
  return success;
}

}  // namespace ropewalk::driver
