// Graphs whose nodes are added by cudaGraphAddNode, right and wrong: nodes of every kind, and conditions on the device.
#include <cstdio>
#include <thread>

#include "tests/tools/run/by_name.cuh"
#include "tests/tools/run/checked_call.cuh"

namespace {

__global__ void scale(const int* x, int* y, int by, int count) {
  if (threadIdx.x < count) y[threadIdx.x] = x[threadIdx.x] * by;  // at:scale
}

// cudaGraphAddNode as both versions have it.
cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                cudaGraphNodeParams* what) {
#if CUDART_VERSION >= 13000
  return cudaGraphAddNode(node, graph, after, nullptr, count, what);
#else
  return cudaGraphAddNode(node, graph, after, count, what);
#endif
}
cudaGraphNode_t add(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphNodeParams what) {
  cudaGraphNode_t node;
  CHECK(add(&node, graph, &after, after ? 1 : 0, &what));
  return node;
}
cudaGraphNodeParams kernel(const void* function, int threads, void** arguments) {
  cudaGraphNodeParams what = {cudaGraphNodeTypeKernel};
  what.kernel.func = const_cast<void*>(function);
  what.kernel.gridDim = dim3(1);
  what.kernel.blockDim = dim3(threads);
  what.kernel.kernelParams = arguments;
  return what;
}
cudaGraphNodeParams fill(void* to, int value, size_t bytes) {
  cudaGraphNodeParams what = {cudaGraphNodeTypeMemset};
  what.memset.dst = to;
  what.memset.value = value;
  what.memset.elementSize = 1;
  what.memset.width = bytes;
  what.memset.height = 1;
  return what;
}
void launch(cudaGraphExec_t ready) {
  CHECK(cudaGraphLaunch(ready, nullptr));
  CHECK(cudaDeviceSynchronize());
}

int calls = 0;
void count_call(void* by) { calls += *static_cast<int*>(by); }

// A node of each kind; those of the graph, and of what is ready to run, are set to something else.
void run_any_node(bool is_right) {
  constexpr int count = 32;
  int *x, by = 2, length = is_right ? count : count + 1, one = 1, ten = 10;
  int results[count] = {};
  CHECK(cudaMalloc(&x, count * sizeof(int)));
  cudaGraph_t graph, child;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphCreate(&child, 0));
  cudaGraphNodeParams memory = {cudaGraphNodeTypeMemAlloc};
  memory.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
  memory.alloc.bytesize = count * sizeof(int);
  cudaGraphNode_t of_memory;
  CHECK(add(&of_memory, graph, nullptr, 0, &memory));
  void* y = memory.alloc.dptr;
  void* arguments[] = {&x, &y, &by, &length};

  const cudaGraphNode_t of_fill = add(graph, of_memory, fill(x, 0, count * sizeof(int)));
  const cudaGraphNode_t of_kernel = add(graph, of_fill, kernel((void*)scale, 64, arguments));
  cudaGraphNodeParams copy = {cudaGraphNodeTypeMemcpy};
  copy.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(y, count * sizeof(int), count * sizeof(int), 1);
  copy.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(results, count * sizeof(int), count * sizeof(int), 1);
  copy.memcpy.copyParams.extent = make_cudaExtent(count * sizeof(int), 1, 1);
  copy.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
  const cudaGraphNode_t of_copy = add(graph, of_kernel, copy);
  cudaGraphNodeParams call = {cudaGraphNodeTypeHost};
  call.host.fn = count_call;
  call.host.userData = &one;
  const cudaGraphNode_t of_call = add(graph, of_copy, call);
  add(child, nullptr, call);
  cudaGraphNodeParams inner = {cudaGraphNodeTypeGraph};
  inner.graph.graph = child;
  const cudaGraphNode_t of_child = add(graph, of_call, inner);
  const cudaGraphNode_t of_nothing = add(graph, of_child, {cudaGraphNodeTypeEmpty});
  cudaGraphNodeParams free = {cudaGraphNodeTypeMemFree};
  free.free.dptr = y;
  add(graph, of_nothing, free);

  cudaGraphNodeParams ones = fill(x, 1, count * sizeof(int)), twos = fill(x, 2, count * sizeof(int));
  CHECK(cudaGraphNodeSetParams(of_fill, &ones));
  const cudaError_t other_kind = cudaGraphNodeSetParams(of_copy, &ones);
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  launch(ready);
  std::printf("%x %d %s\n", results[31], calls, cudaGetErrorName(other_kind));
  if (!is_right) return;
  CHECK(cudaGraphExecNodeSetParams(ready, of_fill, &twos));
  by = 3;
  cudaGraphNodeParams again = kernel((void*)scale, 64, arguments);
  CHECK(cudaGraphExecNodeSetParams(ready, of_kernel, &again));
  call.host.userData = &ten;
  CHECK(cudaGraphExecNodeSetParams(ready, of_call, &call));
  launch(ready);
  std::printf("%x %d\n", results[31], calls);
}

__global__ void halve(cudaGraphConditionalHandle condition, int* left, int* steps, int count) {
  if (threadIdx.x == 0) {
    *left /= 2;
    cudaGraphSetConditional(condition, *left);
  }
  steps[min(int(threadIdx.x), count - 1)] = 1;
}
__global__ void choose(cudaGraphConditionalHandle condition, const int* value) {
  cudaGraphSetConditional(condition, *value);
}
__global__ void note(int* out, int at) { ++out[at]; }  // at:note

cudaGraphConditionalHandle condition_of(cudaGraph_t graph, int initial = -1) {
  cudaGraphConditionalHandle condition;
  CHECK(cudaGraphConditionalHandleCreate(&condition, graph, initial < 0 ? 0 : initial,
                                         initial < 0 ? 0 : cudaGraphCondAssignDefault));
  return condition;
}
cudaGraph_t* bodies_of(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle condition,
                       cudaGraphConditionalNodeType type, unsigned size) {
  cudaGraphNodeParams what = {cudaGraphNodeTypeConditional};
  what.conditional.handle = condition;
  what.conditional.type = type;
  what.conditional.size = size;
  cudaGraphNode_t node;
  CHECK(add(&node, graph, &after, after ? 1 : 0, &what));
  return what.conditional.phGraph_out;
}
void add_note(cudaGraph_t graph, int* out, int at) {
  void* arguments[] = {&out, &at};
  add(graph, nullptr, kernel((void*)note, 1, arguments));
}

// A loop that halves a number, and counts its steps; in it a condition that is true at first.
void run_while(bool is_right) {
  int *left, *out, start = 100, results[4];
  CHECK(cudaMalloc(&left, sizeof(int)));
  CHECK(cudaMalloc(&out, sizeof results));
  CHECK(cudaMemset(out, 0, sizeof results));
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  const cudaGraphConditionalHandle goes_on = condition_of(graph, 1);
  const cudaGraph_t body = *bodies_of(graph, nullptr, goes_on, cudaGraphCondTypeWhile, 1);
  int count = 1;
  int* const steps = out + 3;
  void* arguments[] = {(void*)&goes_on, &left, (void*)&steps, &count};
  const cudaGraphNode_t step = add(body, nullptr, kernel((void*)halve, 32, arguments));
  const cudaGraphConditionalHandle always = condition_of(body, 1);
  add_note(*bodies_of(body, step, always, cudaGraphCondTypeIf, 1), out, is_right ? 0 : 4);
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  for (int n = 0; n < 2; ++n) {
    CHECK(cudaMemcpy(left, &start, sizeof start, cudaMemcpyHostToDevice));
    launch(ready);
  }
  CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", results[0], results[3]);
  CHECK(cudaGraphExecDestroy(ready));
  CHECK(cudaFree(left));
  CHECK(cudaFree(out));
}

// A loop whose body is captured, in two parts.
void run_captured_while(bool is_right) {
  int *left, *out, start = 100, results[2];
  CHECK(cudaMalloc(&left, sizeof(int)));
  CHECK(cudaMalloc(&out, sizeof results));
  CHECK(cudaMemset(out, 0, sizeof results));
  CHECK(cudaMemcpy(left, &start, sizeof start, cudaMemcpyHostToDevice));
  cudaGraph_t graph, captured = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  const cudaGraphConditionalHandle goes_on = condition_of(graph, 1);
  const cudaGraph_t body = *bodies_of(graph, nullptr, goes_on, cudaGraphCondTypeWhile, 1);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
  halve<<<1, 32, 0, stream>>>(goes_on, left, out + 1, 1);
  CHECK(cudaStreamEndCapture(stream, &captured));
  cudaGraphNode_t step;
  size_t nodes = 1;
  CHECK(cudaGraphGetNodes(body, &step, &nodes));
  CHECK(cudaStreamBeginCaptureToGraph(stream, body, &step, nullptr, 1, cudaStreamCaptureModeRelaxed));
  note<<<1, 1, 0, stream>>>(out, is_right ? 0 : 2);
  CHECK(cudaStreamEndCapture(stream, nullptr));  // who has the graph need not be given it
  CHECK(cudaGraphGetNodes(body, nullptr, &nodes));
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  launch(ready);
  CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
  std::printf("%d %zu, %d %d\n", captured == body, nodes, results[0], results[1]);
}

// A graph that is destroyed while it is captured to.
void run_destroyed_while_captured(bool) {
  cudaGraph_t graph, captured = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  const cudaGraph_t body = *bodies_of(graph, nullptr, condition_of(graph, 1), cudaGraphCondTypeWhile, 1);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
  CHECK(cudaGraphDestroy(graph));
  std::printf("%s", cudaGetErrorName(cudaStreamEndCapture(stream, &captured)));
  std::printf(" %d\n", captured == nullptr);
}

// One of several bodies, and of two; what nobody sets has no value.
void run_choice(bool is_right) {
  int *value, *out, results[8] = {};
  CHECK(cudaMalloc(&value, sizeof(int)));
  CHECK(cudaMalloc(&out, sizeof results));
  CHECK(cudaMemset(out, 0, sizeof results));
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  const cudaGraphConditionalHandle which = condition_of(graph), whether = condition_of(graph);
  cudaGraphNode_t chosen = nullptr;
  for (const cudaGraphConditionalHandle* one : {&which, &whether}) {
    void* arguments[] = {(void*)one, &value};
    if (is_right || one == &which) chosen = add(graph, chosen, kernel((void*)choose, 1, arguments));
  }
  cudaGraph_t* const cases = bodies_of(graph, chosen, which, cudaGraphCondTypeSwitch, 3);
  for (int n = 0; n < 3; ++n) add_note(cases[n], out, n);
  cudaGraph_t* const branches = bodies_of(graph, chosen, whether, cudaGraphCondTypeIf, 2);
  for (int n = 0; n < 2; ++n) add_note(branches[n], out, 4 + n);
  cudaGraphConditionalHandle none = whether;
  cudaGraphNodeParams twice = {cudaGraphNodeTypeConditional};
  twice.conditional.handle = none;
  twice.conditional.size = 1;
  cudaGraphNode_t node;
  const cudaError_t is_taken = add(&node, graph, nullptr, 0, &twice);
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  for (const int n : {0, 2, 2, 7}) {
    CHECK(cudaMemcpy(value, &n, sizeof n, cudaMemcpyHostToDevice));
    launch(ready);
  }
  CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d, %d %d, %s\n", results[0], results[1], results[2], results[4], results[5],
              cudaGetErrorName(is_taken));
}

// The graph that is being captured, and what is captured next comes after.
cudaGraph_t captured(cudaStream_t stream, const cudaGraphNode_t** after, size_t* count) {
  cudaStreamCaptureStatus status;
  cudaGraph_t graph;
#if CUDART_VERSION >= 13000
  CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, after, nullptr, count));
#else
  CHECK(cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph, after, count));
#endif
  return graph;
}
void continue_after(cudaStream_t stream, cudaGraphNode_t node) {
#if CUDART_VERSION >= 13000
  CHECK(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1, cudaStreamSetCaptureDependencies));
#else
  CHECK(cudaStreamUpdateCaptureDependencies(stream, &node, 1, cudaStreamSetCaptureDependencies));
#endif
}

// A loop is added to a graph while that is captured, and its body is captured, too. What is captured next comes after
// it, or beside it, where the stream does not know of it.
void run_captured_loop(bool is_right) {
  int* left;
  const int start[] = {8, 0};
  CHECK(cudaMalloc(&left, sizeof start));
  CHECK(cudaMemcpy(left, start, sizeof start, cudaMemcpyHostToDevice));
  cudaStream_t stream, inner;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreate(&inner));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  const cudaGraphNode_t* after;
  size_t count;
  const cudaGraphConditionalHandle goes_on = condition_of(captured(stream, &after, &count));
  halve<<<1, 1, 0, stream>>>(goes_on, left, left + 1, 1);
  cudaGraphNodeParams what = {cudaGraphNodeTypeConditional};
  what.conditional.handle = goes_on;
  what.conditional.type = cudaGraphCondTypeWhile;
  what.conditional.size = 1;
  cudaGraphNode_t loop;
  const cudaGraph_t whole = captured(stream, &after, &count);
  CHECK(add(&loop, whole, after, count, &what));
  CHECK(cudaStreamBeginCaptureToGraph(inner, what.conditional.phGraph_out[0], nullptr, nullptr, 0,
                                      cudaStreamCaptureModeRelaxed));
  halve<<<1, 1, 0, inner>>>(goes_on, left, left + 1, 1);
  CHECK(cudaStreamEndCapture(inner, nullptr));
  if (is_right) continue_after(stream, loop);
  note<<<1, 1, 0, stream>>>(left, 1);
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  launch(ready);
  int results[2];
  CHECK(cudaMemcpy(results, left, sizeof results, cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", results[0], results[1]);
}

int status_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(stream, &status));
  return int(status);
}

// The default stream of a thread is captured, with another stream beside it; that of another thread is not.
void run_captured_thread(bool is_right) {
  constexpr int count = 32;
  const cudaStream_t own = cudaStreamPerThread;
  int *x, *y, *z, results[count] = {};
  for (int** one : {&x, &y, &z}) CHECK(cudaMalloc(one, count * sizeof(int)));
  CHECK(cudaMemset(x, 1, count * sizeof(int)));
  CHECK(cudaMemset(y, 0, count * sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  cudaStream_t side;
  cudaEvent_t forked, joined;
  CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&forked));
  CHECK(cudaEventCreate(&joined));
  std::printf("%s ", cudaGetErrorName(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeThreadLocal)));
  CHECK(cudaStreamBeginCapture(own, cudaStreamCaptureModeThreadLocal));
  if (!is_right) CHECK(cudaEventRecord(forked, own));
  scale<<<1, count, 0, own>>>(x, y, 2, count);
  if (is_right) CHECK(cudaEventRecord(forked, own));
  CHECK(cudaStreamWaitEvent(side, forked, 0));
  scale<<<1, count, 0, side>>>(y, z, 3, count);
  CHECK(cudaEventRecord(joined, side));
  CHECK(cudaStreamWaitEvent(own, joined, 0));
  int other = -1;
  std::thread([&] { other = status_of(own); }).join();
  std::printf("%d %d ", status_of(own), other);
  const cudaGraphNode_t* after;
  size_t nodes;
  const cudaGraph_t under_way = captured(own, &after, &nodes);
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(own, &graph));
  std::printf("%s ", graph == under_way ? "same" : "another");
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CHECK(cudaGraphLaunch(ready, own));
  CHECK(cudaStreamSynchronize(own));
  CHECK(cudaMemcpy(results, z, sizeof results, cudaMemcpyDeviceToHost));
  std::printf("%d %x\n", status_of(own), unsigned(results[0]));
}

constexpr NamedProgram programs[] = {{"any-node", run_any_node},
                                     {"captured-loop", run_captured_loop},
                                     {"captured-thread", run_captured_thread},
                                     {"captured-while", run_captured_while},
                                     {"choice", run_choice},
                                     {"destroyed-while-captured", run_destroyed_while_captured},
                                     {"while", run_while}};

}  // namespace

int main(int, char** words) { return run_by_name(programs, words[1]); }
