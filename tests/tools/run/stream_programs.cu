// Programs for rope-check run whose streams are ordered, or not: each by its name on the command line. Of a pair, the
// second one, "-right", has what the first one lacks.
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/tools/run/checked_call.cuh"

constexpr int count = 1024;
constexpr size_t bytes = count * sizeof(float);

__global__ void fill(float* x, float value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value;
}
__global__ void copy(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
__global__ void sum(const float* x, float* total, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, x[i]);
}
__global__ void every_second(float* x, int first, int n) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + first;
  if (i < n) x[i] = 1;
}
__constant__ float factors[32];
__global__ void use_factors(float* y) { y[threadIdx.x] = factors[threadIdx.x]; }

float* memory() {
  float* x = nullptr;
  CHECK(cudaMalloc(&x, bytes));
  CHECK(cudaMemset(x, 0, bytes));
  CHECK(cudaDeviceSynchronize());
  return x;
}
float* pinned() {
  float* x = nullptr;
  CHECK(cudaMallocHost(&x, bytes));
  return x;
}
cudaStream_t stream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t made = nullptr;
  CHECK(cudaStreamCreateWithFlags(&made, flags));
  return made;
}
cudaEvent_t event() {
  cudaEvent_t made = nullptr;
  CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
  return made;
}
void fill_on(cudaStream_t at, float* x) { fill<<<4, 256, 0, at>>>(x, 1, count); }
void copy_on(cudaStream_t at, const float* x, float* y) { copy<<<4, 256, 0, at>>>(x, y, count); }

// What is done between the writer on one stream and the reader on the other.
void wait_for_event(bool right) {
  float *x = memory(), *y = memory();
  const cudaStream_t a = stream(), b = stream();
  const cudaEvent_t done = event();
  fill_on(a, x);
  CHECK(cudaEventRecord(done, a));
  if (right) CHECK(cudaStreamWaitEvent(b, done, 0));
  copy_on(b, x, y);
  CHECK(cudaDeviceSynchronize());
}
void event_before_work(bool right) {
  float *x = memory(), *y = memory();
  const cudaStream_t a = stream(), b = stream();
  const cudaEvent_t done = event();
  if (!right) CHECK(cudaEventRecord(done, a));
  fill_on(a, x);
  if (right) CHECK(cudaEventRecord(done, a));
  CHECK(cudaStreamWaitEvent(b, done, 0));
  copy_on(b, x, y);
}
void wait_on_other_stream(bool right) {
  float *x = memory(), *y = memory();
  const cudaStream_t a = stream(), b = stream(), c = stream();
  const cudaEvent_t done = event();
  fill_on(a, x);
  CHECK(cudaEventRecord(done, a));
  CHECK(cudaStreamWaitEvent(right ? b : c, done, 0));
  copy_on(b, x, y);
}
// Over a third stream.
void wait_over_others(bool right) {
  float *x = memory(), *y = memory();
  const cudaStream_t a = stream(), b = stream(), c = stream();
  const cudaEvent_t first = event(), second = event();
  fill_on(a, x);
  CHECK(cudaEventRecord(first, a));
  if (right) CHECK(cudaStreamWaitEvent(c, first, 0));
  CHECK(cudaEventRecord(second, c));
  CHECK(cudaStreamWaitEvent(b, second, 0));
  copy_on(b, x, y);
}
void synchronize_stream(bool right) {
  float *x = memory(), *y = memory();
  const cudaStream_t a = stream(), b = stream();
  fill_on(a, x);
  CHECK(cudaStreamSynchronize(right ? a : b));
  copy_on(b, x, y);
}
void default_stream(bool right) {
  float *x = memory(), *y = memory(), *z = memory();
  const cudaStream_t a = stream(right ? cudaStreamDefault : cudaStreamNonBlocking), b = stream(cudaStreamDefault);
  fill_on(a, x);
  copy_on(nullptr, x, y);
  copy_on(b, y, z);  // a blocking one waits for the default stream
}
void memset_is_no_wait(bool right) {
  float *x = memory(), *y = memory();
  const cudaStream_t a = stream();
  CHECK(cudaMemset(x, 0, bytes));
  if (right) CHECK(cudaStreamSynchronize(nullptr));
  copy_on(a, x, y);
}
void memset_async(bool right) {
  float* x = memory();
  const cudaStream_t a = stream(), b = stream();
  fill_on(a, x);
  CHECK(cudaMemsetAsync(x, 0, bytes, right ? a : b));
}
void copy_of_device(bool right) {
  float *x = memory(), *y = memory();
  const cudaStream_t a = stream();
  fill_on(a, x);
  if (right) CHECK(cudaStreamSynchronize(a));
  std::vector<float> host(count);
  CHECK(cudaMemcpy(host.data(), x, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(y, x, bytes, cudaMemcpyDeviceToDevice));
  if (right) CHECK(cudaDeviceSynchronize());
  copy_on(a, y, x);  // a copy on the device is not waited for
}
// The reader's buffer on the host is the target of a copy that is not done.
void host_buffer(bool right) {
  float *x = memory(), *y = memory(), *host = pinned();
  const cudaStream_t a = stream(), b = stream();
  CHECK(cudaMemcpyAsync(host, x, bytes, cudaMemcpyDeviceToHost, a));
  if (right) CHECK(cudaStreamSynchronize(a));
  CHECK(cudaMemcpyAsync(y, host, bytes, cudaMemcpyHostToDevice, b));
}
void host_buffer_is_used_again(bool right) {
  float *x = memory(), *y = memory(), *host = pinned();
  const cudaStream_t a = stream(), b = stream();
  CHECK(cudaMemcpyAsync(x, host, bytes, cudaMemcpyHostToDevice, a));
  CHECK(cudaMemcpyAsync(host, y, bytes, cudaMemcpyDeviceToHost, right ? a : b));
}
// What the host reads of memory that is not pinned is there when the call returns.
void pageable(bool) {
  float *x = memory(), *y = memory();
  const cudaStream_t a = stream(), b = stream();
  std::vector<float> host(count);
  CHECK(cudaMemcpyAsync(host.data(), x, bytes, cudaMemcpyDeviceToHost, a));
  CHECK(cudaMemcpyAsync(x, host.data(), bytes, cudaMemcpyHostToDevice, b));
  CHECK(cudaMemcpy(y, host.data(), bytes, cudaMemcpyHostToDevice));
  copy_on(b, y, x);
}
void free_in_other_stream(bool right) {
  const cudaStream_t a = stream(), b = stream();
  const cudaEvent_t done = event();
  float *x = nullptr, *y = memory();
  CHECK(cudaMallocAsync(&x, bytes, a));
  fill_on(a, x);
  copy_on(a, x, y);
  CHECK(cudaEventRecord(done, a));
  if (right) CHECK(cudaStreamWaitEvent(b, done, 0));
  CHECK(cudaFreeAsync(x, b));
}
void made_in_other_stream(bool right) {
  const cudaStream_t a = stream(), b = stream();
  const cudaEvent_t made = event();
  float* x = nullptr;
  CHECK(cudaMallocAsync(&x, bytes, a));
  CHECK(cudaEventRecord(made, a));
  if (right) CHECK(cudaStreamWaitEvent(b, made, 0));
  fill_on(b, x);
}
// Frees wait for everything.
void freed_at_once(bool) {
  const cudaStream_t a = stream(), b = stream();
  float *x = memory(), *y = memory();
  fill_on(a, x);
  CHECK(cudaFree(y));
  fill_on(b, x);
}
void graph_branches(bool right) {
  float *x = memory(), *y = memory(), value = 1;
  int n = count;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t nodes[2];
  void *first[] = {&x, &value, &n}, *second[] = {&x, &y, &n};
  const cudaKernelNodeParams writes = {(void*)fill, dim3(4), dim3(256), 0, first, nullptr};
  const cudaKernelNodeParams reads = {(void*)copy, dim3(4), dim3(256), 0, second, nullptr};
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &writes));
  CHECK(cudaGraphAddKernelNode(&nodes[1], graph, nodes, right ? 1 : 0, &reads));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int launch = 0; launch < 2; ++launch) CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
}
// A graph is work on its stream, and what it forks off joins it.
void captured(bool right) {
  float *x = memory(), *y = memory();
  const cudaStream_t a = stream(), b = stream();
  const cudaEvent_t fork = event(), join = event();
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  if (!right) CHECK(cudaEventRecord(fork, a));
  fill_on(a, x);
  if (right) CHECK(cudaEventRecord(fork, a));
  CHECK(cudaStreamWaitEvent(b, fork, 0));
  copy_on(b, x, y);
  CHECK(cudaEventRecord(join, b));
  CHECK(cudaStreamWaitEvent(a, join, 0));
  CHECK(cudaStreamEndCapture(a, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, a));
  copy_on(a, y, x);
}
void captured_without_join(bool right) {
  float *x = memory(), *y = memory();
  const cudaStream_t a = stream(), b = stream();
  const cudaEvent_t fork = event(), join = event();
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  fill_on(a, x);
  CHECK(cudaEventRecord(fork, a));
  CHECK(cudaStreamWaitEvent(b, fork, 0));
  copy_on(b, x, y);
  CHECK(cudaEventRecord(join, b));
  if (right) CHECK(cudaStreamWaitEvent(a, join, 0));
  printf("%s\n", cudaGetErrorName(cudaStreamEndCapture(a, &graph)));
}
void graph_and_stream(bool right) {
  float *x = memory(), *y = memory();
  const cudaStream_t a = stream(), b = stream();
  const cudaEvent_t done = event();
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  fill_on(a, x);
  CHECK(cudaStreamEndCapture(a, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, a));
  CHECK(cudaEventRecord(done, a));
  if (right) CHECK(cudaStreamWaitEvent(b, done, 0));
  copy_on(b, x, y);
}
// The host waits for a function that a stream calls.
struct Signal {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_set = false;
};
void host_function(bool right) {
  float *x = memory(), *y = memory();
  const cudaStream_t a = stream(), b = stream();
  Signal signal;
  fill_on(a, x);
  CHECK(cudaLaunchHostFunc(
      right ? a : b,
      [](void* data) {
        auto* const at = static_cast<Signal*>(data);
        const std::lock_guard lock(at->mutex);
        at->is_set = true;
        at->changed.notify_all();
      },
      &signal));
  std::unique_lock lock(signal.mutex);
  signal.changed.wait(lock, [&] { return signal.is_set; });
  copy_on(b, x, y);
}
void peer_copy(bool right) {
  float *x = memory(), *y = nullptr;
  const cudaStream_t a = stream(), b = stream();
  CHECK(cudaSetDevice(1));
  CHECK(cudaMalloc(&y, bytes));
  CHECK(cudaSetDevice(0));
  fill_on(a, x);
  if (right)
    CHECK(cudaMemcpyPeer(y, 1, x, 0, bytes));  // waits for all, and all for it
  else
    CHECK(cudaMemcpyPeerAsync(y, 1, x, 0, bytes, b));
  fill_on(a, x);
}
void copy_between_devices(bool) {
  float* x = memory();
  CHECK(cudaSetDevice(1));
  float* y = memory();
  fill<<<4, 256>>>(y, 2, count);
  CHECK(cudaSetDevice(0));
  CHECK(cudaMemcpy(y, x, bytes, cudaMemcpyDefault));
}
// A host function in a graph orders nothing but what its edges do.
void graph_with_host_node(bool right) {
  float *x = memory(), *on_host = pinned();
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t to_host, host, from_host;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemcpyNode1D(&to_host, graph, nullptr, 0, on_host, x, bytes, cudaMemcpyDeviceToHost));
  const cudaHostNodeParams nothing = {[](void*) {}, nullptr};
  CHECK(cudaGraphAddHostNode(&host, graph, &to_host, 1, &nothing));
  CHECK(cudaGraphAddMemcpyNode1D(&from_host, graph, &host, right ? 1 : 0, x, on_host, bytes, cudaMemcpyHostToDevice));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream()));
}
// Atomics of both, but a plain store of one: fences of other kernels do not matter.
void add_and_fill(bool right) {
  const cudaStream_t a = stream(), b = stream();
  float *x = memory(), *total = memory();
  sum<<<4, 256, 0, a>>>(x, total, count);
  sum<<<4, 256, 0, b>>>(x, total, count);
  if (right) CHECK(cudaStreamSynchronize(a));
  fill<<<1, 1, 0, b>>>(total, 0, 1);
}
void constants(bool right) {
  float* y = memory();
  const cudaStream_t a = stream(), b = stream();
  float* const host = pinned();
  use_factors<<<1, 32, 0, a>>>(y);
  CHECK(cudaMemcpyToSymbolAsync(factors, host, sizeof factors, 0, cudaMemcpyHostToDevice, right ? a : b));
}
// What the first stream was given before there was a second one.
void before_second_stream(bool right) {
  float *x = memory(), *y = memory();
  fill_on(nullptr, x);
  const cudaStream_t later = stream();
  if (right) CHECK(cudaStreamSynchronize(nullptr));
  copy_on(later, x, y);
}
// Each thread has a default stream of its own, which waits for the legacy one.
void thread_streams(bool right) {
  float *x = memory(), *y = memory();
  const cudaEvent_t done = event();
  fill_on(cudaStreamPerThread, x);
  CHECK(cudaEventRecord(done, cudaStreamPerThread));
  std::thread([&] {
    CHECK(cudaSetDevice(0));
    if (right) CHECK(cudaStreamWaitEvent(cudaStreamPerThread, done, 0));
    copy_on(cudaStreamPerThread, x, y);
  }).join();
  copy_on(cudaStreamLegacy, y, x);
}
// Built with and without --default-stream per-thread: right by itself without it alone.
void null_streams(bool right) {
  float *x = memory(), *y = memory();
  fill_on(nullptr, x);
  if (right) CHECK(cudaStreamSynchronize(nullptr));
  std::thread([&] {
    CHECK(cudaSetDevice(0));
    copy_on(nullptr, x, y);
  }).join();
}
// The same with threads that run one after the other: the second one may have what the system knew the first one by.
void threads_in_turn(bool right) {
  float* x = memory();
  for (int n = 0; n < 2; ++n) {
    std::thread([&] {
      CHECK(cudaSetDevice(0));
      fill_on(nullptr, x);
      if (right) CHECK(cudaStreamSynchronize(nullptr));
    }).join();
  }
}

// What is right although nothing waits.
void halves(bool) {
  float* x = memory();
  const cudaStream_t a = stream(), b = stream();
  fill<<<2, 256, 0, a>>>(x, 1, count / 2);
  fill<<<2, 256, 0, b>>>(x + count / 2, 2, count / 2);
}
void interleaved(bool) {
  float* x = memory();
  const cudaStream_t a = stream(), b = stream();
  every_second<<<2, 256, 0, a>>>(x, 0, count);
  every_second<<<2, 256, 0, b>>>(x, 1, count);
  CHECK(cudaDeviceSynchronize());
  // Columns of one matrix.
  CHECK(cudaMemset2DAsync(x, 128, 0, 64, 32, a));
  CHECK(cudaMemset2DAsync((char*)x + 64, 128, 0, 64, 32, b));
}
void both_read(bool) {
  float *x = memory(), *y = memory(), *z = memory();
  const cudaStream_t a = stream(), b = stream();
  copy_on(a, x, y);
  copy_on(b, x, z);
}
void both_add(bool right) {
  float *x = memory(), *total = memory();
  const cudaStream_t a = stream(), b = stream();
  sum<<<4, 256, 0, a>>>(x, total, count);
  if (right)
    sum<<<4, 256, 0, b>>>(x, total, count);
  else
    fill<<<1, 1, 0, b>>>(total, 0, 1);
}
void one_stream(bool) {
  float *x = memory(), *y = memory();
  const cudaStream_t a = stream(cudaStreamDefault);
  for (int n = 0; n < 100; ++n) {
    fill_on(a, x);
    copy_on(nullptr, x, y);
  }
}
// A ring of two buffers, each guarded by its own event.
void ring(bool right) {
  const cudaStream_t copies = stream(), work = stream();
  float *buffers[] = {memory(), memory()}, *host = pinned(), *out = memory();
  const cudaEvent_t filled[] = {event(), event()}, used[] = {event(), event()};
  for (int n = 0; n < 8; ++n) {
    const int at = n % 2;
    if (right) CHECK(cudaStreamWaitEvent(copies, used[at], 0));
    CHECK(cudaMemcpyAsync(buffers[at], host, bytes, cudaMemcpyHostToDevice, copies));
    CHECK(cudaEventRecord(filled[at], copies));
    CHECK(cudaStreamWaitEvent(work, filled[at], 0));
    copy_on(work, buffers[at], out);
    CHECK(cudaEventRecord(used[at], work));
  }
}

int main(int words, char** word) {
  const std::map<std::string, void (*)(bool)> programs = {
      {"wait-for-event", wait_for_event},
      {"event-before-work", event_before_work},
      {"wait-on-other-stream", wait_on_other_stream},
      {"wait-over-others", wait_over_others},
      {"synchronize-stream", synchronize_stream},
      {"default-stream", default_stream},
      {"memset-is-no-wait", memset_is_no_wait},
      {"memset-async", memset_async},
      {"copy-of-device", copy_of_device},
      {"host-buffer", host_buffer},
      {"host-buffer-is-used-again", host_buffer_is_used_again},
      {"pageable", pageable},
      {"free-in-other-stream", free_in_other_stream},
      {"made-in-other-stream", made_in_other_stream},
      {"freed-at-once", freed_at_once},
      {"graph-branches", graph_branches},
      {"captured", captured},
      {"captured-without-join", captured_without_join},
      {"graph-and-stream", graph_and_stream},
      {"host-function", host_function},
      {"peer-copy", peer_copy},
      {"copy-between-devices", copy_between_devices},
      {"graph-with-host-node", graph_with_host_node},
      {"add-and-fill", add_and_fill},
      {"constants", constants},
      {"before-second-stream", before_second_stream},
      {"thread-streams", thread_streams},
      {"null-streams", null_streams},
      {"threads-in-turn", threads_in_turn},
      {"halves", halves},
      {"interleaved", interleaved},
      {"both-read", both_read},
      {"both-add", both_add},
      {"one-stream", one_stream},
      {"ring", ring},
  };
  std::string name = words > 1 ? word[1] : "wait-for-event-right";
  const bool is_right = name.ends_with("-right");
  if (is_right) name.resize(name.rfind('-'));
  programs.at(name)(is_right);
  return 0;
}
