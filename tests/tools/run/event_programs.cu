// Events that graphs record and wait for, and default streams of several devices and contexts, right and wrong.
#include <unistd.h>

#include <cstdio>

#include "tests/tools/run/by_name.cuh"
#include "tests/tools/run/checked_call.cuh"

namespace {

constexpr int count = 32;

__global__ void fill(int* x, int value) { x[threadIdx.x] = value; }
__global__ void copy(int* to, const int* from) { to[threadIdx.x] = from[threadIdx.x]; }  // at:copy

int* memory() {
  int* x = nullptr;
  CHECK(cudaMalloc(&x, count * sizeof(int)));
  return x;
}
cudaStream_t stream() {
  cudaStream_t made;
  CHECK(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
  return made;
}
cudaEvent_t event() {
  cudaEvent_t made;
  CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
  return made;
}
void begin(cudaStream_t on) { CHECK(cudaStreamBeginCapture(on, cudaStreamCaptureModeRelaxed)); }
cudaGraphExec_t end(cudaStream_t on, size_t nodes) {
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  size_t found = 0;
  CHECK(cudaStreamEndCapture(on, &graph));
  CHECK(cudaGraphGetNodes(graph, nullptr, &found));
  if (found != nodes) std::printf("%zu nodes, not %zu\n", found, nodes);
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  return ready;
}
void end_with(const int* x) {
  int value = 0;
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(&value, x, sizeof value, cudaMemcpyDeviceToHost));
  std::printf("%d\n", value);
}

// The graph records the event at each launch: behind its kernel, or before it.
void record_in_graph(bool is_right) {
  int *x = memory(), *y = memory();
  const cudaStream_t a = stream(), b = stream();
  const cudaEvent_t filled = event(), taken = event();
  begin(a);
  if (!is_right) CHECK(cudaEventRecordWithFlags(filled, a, cudaEventRecordExternal));
  fill<<<1, count, 0, a>>>(x, 1);
  if (is_right) CHECK(cudaEventRecordWithFlags(filled, a, cudaEventRecordExternal));
  const cudaGraphExec_t graph = end(a, 2);
  for (int n = 0; n < 2; ++n) {
    CHECK(cudaGraphLaunch(graph, a));
    CHECK(cudaStreamWaitEvent(b, filled, 0));
    copy<<<1, count, 0, b>>>(y, x);
    CHECK(cudaEventRecord(taken, b));
    CHECK(cudaStreamWaitEvent(a, taken, 0));
  }
  end_with(y);
}

// The event is recorded by the second launch, too, which nobody waits for.
void record_again(bool is_right) {
  int *x = memory(), *y = memory();
  const cudaStream_t a = stream(), b = stream();
  const cudaEvent_t filled = event();
  begin(a);
  fill<<<1, count, 0, a>>>(x, 1);
  CHECK(cudaEventRecordWithFlags(filled, a, cudaEventRecordExternal));
  const cudaGraphExec_t graph = end(a, 2);
  CHECK(cudaGraphLaunch(graph, a));
  CHECK(cudaStreamWaitEvent(b, filled, 0));
  CHECK(cudaGraphLaunch(graph, a));
  if (is_right) CHECK(cudaStreamWaitEvent(b, filled, 0));
  copy<<<1, count, 0, b>>>(y, x);
  end_with(y);
}

// The graph waits for what another stream does.
void wait_in_graph(bool is_right) {
  int *x = memory(), *y = memory();
  const cudaStream_t a = stream(), b = stream();
  const cudaEvent_t filled = event(), other = event();
  begin(b);
  CHECK(cudaStreamWaitEvent(b, is_right ? filled : other, cudaEventWaitExternal));
  copy<<<1, count, 0, b>>>(y, x);
  const cudaGraphExec_t graph = end(b, 2);
  fill<<<1, count, 0, a>>>(x, 2);
  CHECK(cudaEventRecord(filled, a));
  CHECK(cudaGraphLaunch(graph, b));
  end_with(y);
}

// The graph comes after a function of the host's that goes on, and so does who waits for its event.
void record_later(bool is_right) {
  int *x = memory(), *y = memory();
  const cudaStream_t a = stream(), b = stream();
  const cudaEvent_t filled = event(), other = event();
  begin(a);
  fill<<<1, count, 0, a>>>(x, 3);
  CHECK(cudaEventRecordWithFlags(filled, a, cudaEventRecordExternal));
  const cudaGraphExec_t graph = end(a, 2);
  fill<<<1, count>>>(y, 0);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaLaunchHostFunc(
      a, [](void*) { usleep(400000); }, nullptr));
  CHECK(cudaGraphLaunch(graph, a));
  if (cudaEventQuery(filled) != cudaErrorNotReady) std::printf("is recorded\n");
  CHECK(cudaStreamWaitEvent(b, is_right ? filled : other, 0));
  if (!is_right) CHECK(cudaMemsetAsync(x, 0, count * sizeof(int), b));
  copy<<<1, count, 0, b>>>(y, x);
  CHECK(cudaDeviceSynchronize());
  if (is_right) end_with(y);
}

// An event of a node is set, in a graph that is a node itself.
void set_event(bool is_right) {
  int *x = memory(), *y = memory(), value = 4;
  const cudaStream_t a = stream(), b = stream();
  const cudaEvent_t first = event(), second = event();
  cudaGraph_t graph, inner;
  cudaGraphNode_t filled, recorded, child;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphCreate(&inner, 0));
  void* arguments[] = {&x, &value};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void*)fill;
  kernel.gridDim = 1;
  kernel.blockDim = count;
  kernel.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&filled, inner, nullptr, 0, &kernel));
  cudaGraphNodeParams what = {cudaGraphNodeTypeEventRecord};
  what.eventRecord.event = first;
#if CUDART_VERSION >= 13000
  CHECK(cudaGraphAddNode(&recorded, inner, &filled, nullptr, 1, &what));
#else
  CHECK(cudaGraphAddNode(&recorded, inner, &filled, 1, &what));
#endif
  what.eventRecord.event = second;
  CHECK(cudaGraphNodeSetParams(recorded, &what));
  CHECK(cudaGraphAddChildGraphNode(&child, graph, nullptr, 0, inner));
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CHECK(cudaGraphLaunch(ready, a));
  CHECK(cudaStreamWaitEvent(b, is_right ? second : first, 0));
  copy<<<1, count, 0, b>>>(y, x);
  end_with(y);
}

// Only captures have external events.
void external_outside(bool) {
  const cudaStream_t a = stream();
  const cudaEvent_t one = event();
  std::printf("%s ", cudaGetErrorName(cudaEventRecordWithFlags(one, a, cudaEventRecordExternal)));
  std::printf("%s ", cudaGetErrorName(cudaStreamWaitEvent(a, one, cudaEventWaitExternal)));
  std::printf("%s\n", cudaGetErrorName(cudaEventRecordWithFlags(one, a, 2)));
}

// Default streams of two devices.
void two_devices(bool is_right) {
  int* const x = memory();
  CHECK(cudaSetDevice(1));
  int* const y = memory();
  CHECK(cudaDeviceEnablePeerAccess(0, 0));
  CHECK(cudaSetDevice(0));
  const cudaEvent_t filled = event();
  fill<<<1, count>>>(x, 5);
  CHECK(cudaEventRecord(filled));
  CHECK(cudaSetDevice(1));
  if (is_right) CHECK(cudaStreamWaitEvent(nullptr, filled, 0));
  copy<<<1, count>>>(y, x);
  end_with(y);
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceSynchronize());
}
// The same, where the host waits: for the device that the work is on, or for the other one.
void wait_for_device(bool is_right) {
  int* const x = memory();
  CHECK(cudaSetDevice(1));
  int* const y = memory();
  CHECK(cudaDeviceEnablePeerAccess(0, 0));
  CHECK(cudaSetDevice(0));
  fill<<<1, count>>>(x, 6);
  if (is_right) CHECK(cudaDeviceSynchronize());
  CHECK(cudaSetDevice(1));
  CHECK(cudaDeviceSynchronize());
  copy<<<1, count>>>(y, x);
  end_with(y);
}

constexpr NamedProgram programs[] = {
    {"external-outside", external_outside}, {"record-again", record_again},  {"record-in-graph", record_in_graph},
    {"record-later", record_later},         {"set-event", set_event},        {"two-devices", two_devices},
    {"wait-for-device", wait_for_device},   {"wait-in-graph", wait_in_graph}};

}  // namespace

int main(int, char** words) { return run_by_name(programs, words[1]); }
