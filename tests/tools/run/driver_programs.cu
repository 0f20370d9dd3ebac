// What programs ask of the driver, right and wrong: many allocations, work that waits for the host, pools of several
// devices, forks, values in memory as an order, and nodes of graphs.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

#include "tests/tools/run/by_name.cuh"

namespace {

__global__ void fill(int* const* x, int count, int length) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= count) return;
  for (int k = 0; k < length; ++k) x[n][k] = n;  // at:fill
}

// More allocations than a process may have mappings.
void run_many_allocations(bool is_right) {
  constexpr int count = 70000, length = 16;
  std::vector<int*> all(count);
  int failed = 0, crooked = 0;
  for (int*& one : all) {
    failed += cudaMalloc(&one, length * sizeof(int)) != cudaSuccess;
    crooked += (unsigned long long)one % 256 != 0;
  }
  int** table;
  cudaMalloc(&table, count * sizeof(int*));
  cudaMemcpy(table, all.data(), count * sizeof(int*), cudaMemcpyHostToDevice);
  fill<<<1, 32>>>(table + count - 1, 1, is_right ? length : length + 1);
  int last = 0;
  cudaMemcpy(&last, all.back() + length - 1, sizeof last, cudaMemcpyDeviceToHost);
  std::printf("%d failed, %d crooked, %d\n", failed, crooked, last);
  for (int* const one : all) cudaFree(one);
  cudaFree(table);
}

// A host function that goes on until the host has done something after its launch. What comes behind it in its stream
// waits for it, and so does who waits for that.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_open = false;
  void open() {
    const std::lock_guard lock(mutex);
    is_open = true;
    changed.notify_all();
  }
  static void wait(void* gate) {
    Gate& self = *static_cast<Gate*>(gate);
    std::unique_lock lock(self.mutex);
    self.changed.wait(lock, [&] { return self.is_open; });
  }
};

__global__ void copy(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }  // at:copy

void run_host_function_waits(bool is_right) {
  Gate& gate = *new Gate;  // who waits for it may do so to the end
  cudaStream_t stream, other;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&other);
  cudaEvent_t event;
  cudaEventCreate(&event);
  int *pinned, *x, *y;
  cudaMallocHost(&pinned, 32 * sizeof(int));
  cudaMalloc(&x, 32 * sizeof(int));
  cudaMalloc(&y, 32 * sizeof(int));
  cudaLaunchHostFunc(stream, Gate::wait, &gate);
  cudaMemcpyAsync(x, pinned, 32 * sizeof(int), cudaMemcpyHostToDevice, stream);
  cudaEventRecord(event, stream);
  if (is_right) cudaStreamWaitEvent(other, event);
  copy<<<1, 32, 0, other>>>(x, y);
  const cudaError_t of_stream = cudaStreamQuery(stream), of_event = cudaEventQuery(event);
  std::printf("%s %s\n", cudaGetErrorName(of_stream), cudaGetErrorName(of_event));
  for (int n = 0; n < 32; ++n) pinned[n] = n;
  gate.open();
  cudaStreamSynchronize(other);
  int last = 0;
  cudaMemcpy(&last, y + 31, sizeof last, cudaMemcpyDeviceToHost);
  if (is_right) std::printf("%d %s\n", last, cudaGetErrorName(cudaEventQuery(event)));
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
  cudaFreeHost(pinned);
}

// It never ends: what comes behind it is not checked.
void run_host_function_stays(bool) {
  Gate* const gate = new Gate;  // a condition that is waited for is not to be destroyed
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaLaunchHostFunc(stream, Gate::wait, gate);
  fill<<<1, 32, 0, stream>>>(nullptr, 1, 1);
}

__global__ void wait_for(volatile int* flag, int* out, int times) {
  __shared__ int before;
  if (threadIdx.x == 0) before = atomicAdd(out, 1);
  while (*flag == 0) {  // at:flag
    if (times && !--times) break;
  }
  out[1] = before;
}

// A flag in memory of the host, which the host sets behind the launch; one in memory of the device, which nobody sets.
void run_flag(bool is_right) {
  int *flag, *of_device, *out;
  cudaMallocHost(&flag, sizeof(int));
  *flag = 0;
  cudaMalloc(&of_device, sizeof(int));
  cudaMemset(of_device, 0, sizeof(int));
  cudaMalloc(&out, 2 * sizeof(int));
  cudaMemset(out, 0, 2 * sizeof(int));
  wait_for<<<1, 1>>>(is_right ? flag : of_device, out, 0);
  *flag = 1;
  cudaDeviceSynchronize();
}

__global__ void lock_twice(int* lock) {
  for (int times = 0; times < 2; ++times) {
    while (atomicCAS(lock, 0, 1)) {  // at:lock
    }
  }
}

// A flag that a copy in another stream sets behind the launch; a lock that the kernel itself holds.
void run_flag_of_stream(bool is_right) {
  cudaStream_t stream, other;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&other);
  int *flag, *out;
  cudaMalloc(&flag, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  cudaMalloc(&out, 2 * sizeof(int));
  cudaMemset(out, 0, 2 * sizeof(int));
  cudaDeviceSynchronize();
  if (!is_right) {
    lock_twice<<<1, 1, 0, stream>>>(flag);
  } else {
    wait_for<<<1, 1, 0, stream>>>(flag, out, 0);
    const int one = 1;
    cudaMemcpyAsync(flag, &one, sizeof one, cudaMemcpyHostToDevice, other);
  }
  cudaDeviceSynchronize();
}

__global__ void make(int** made) { *made = (int*)malloc(32 * sizeof(int)); }
__global__ void fill_made(int** made) { (*made)[threadIdx.x] = threadIdx.x; }  // at:made

// The first kernel cannot be run, for kernels have no heap here. What the second one does comes of that.
void run_lost(bool) {
  int** made;
  cudaMalloc(&made, sizeof *made);
  make<<<1, 1>>>(made);
  fill_made<<<1, 32>>>(made);
  cudaDeviceSynchronize();
}

__global__ void copy_one_too_many(const int* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) y[i] = x[i];  // at:too-many
}
__global__ void copy_by_index(const int* index, const int* x, int* y) {
  y[threadIdx.x] = x[index[threadIdx.x]];  // at:by-index
}

// What another kernel accesses whatever the memory holds is an error all the same; what it finds by an index is not.
void run_lost_beside(bool) {
  int **made, *x, *y;
  cudaMalloc(&made, sizeof *made);
  make<<<1, 1>>>(made);
  cudaMalloc(&x, 32 * sizeof(int));
  cudaMalloc(&y, 32 * sizeof(int));
  int index[32];
  for (int n = 0; n < 32; ++n) index[n] = n + 1;
  cudaMemcpy(x, index, sizeof index, cudaMemcpyHostToDevice);
  copy_by_index<<<1, 32>>>(x, x, y);
  copy_one_too_many<<<1, 64>>>(x, y, 32);
  cudaDeviceSynchronize();
}

__global__ void add_one(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x] + 1; }  // at:peer

// One stream writes a value that another one waits for, before it is written and behind that.
void run_stream_value(bool is_right) {
  int *x, *y;
  unsigned* value;
  cudaMalloc(&x, 32 * sizeof(int));
  cudaMalloc(&y, 32 * sizeof(int));
  cudaMalloc(&value, 2 * sizeof(unsigned));
  cudaMemset(value, 0, 2 * sizeof(unsigned));
  cudaMemset(y, 0, 32 * sizeof(int));
  cudaDeviceSynchronize();
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  const CUdeviceptr at = CUdeviceptr(value);
  int errors = 0;
  if (is_right) errors += cuStreamWaitValue32(second, at, 1, CU_STREAM_WAIT_VALUE_GEQ);
  copy<<<1, 32, 0, second>>>(y, x);  // at:second
  const bool is_done = is_right && cudaStreamQuery(second) == cudaSuccess;
  add_one<<<1, 32, 0, first>>>(y, x);  // at:first
  errors += cuStreamWriteValue32(first, at, 1, CU_STREAM_WRITE_VALUE_DEFAULT);
  CUstreamBatchMemOpParams batch[2] = {};
  batch[0].waitValue = {CU_STREAM_MEM_OP_WAIT_VALUE_32, at, {1}, CU_STREAM_WAIT_VALUE_EQ, 0};
  batch[1].writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, at + 4, {7}, 0, 0};
  errors += cuStreamBatchMemOp(second, 2, batch, 0);
  cudaDeviceSynchronize();
  unsigned last = 0;
  cudaMemcpy(&last, value + 1, sizeof last, cudaMemcpyDeviceToHost);
  std::printf("%d %d %u\n", errors, is_done, last);
}

// Memory of a pool is opened by the pool, not by contexts.
void run_pool_of_peer(bool is_right) {
  int *x, *y;
  cudaMallocAsync(&x, 32 * sizeof(int), 0);
  cudaMemsetAsync(x, 0, 32 * sizeof(int), 0);
  cudaDeviceSynchronize();
  cudaMemPool_t pool;
  cudaDeviceGetMemPool(&pool, 0);
  cudaMemAccessDesc access = {};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = 1;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  if (is_right) cudaMemPoolSetAccess(pool, &access, 1);
  cudaMemAccessFlags flags;
  cudaMemPoolGetAccess(&flags, pool, &access.location);
  std::printf("%d\n", int(flags));
  cudaSetDevice(1);
  if (!is_right) cudaDeviceEnablePeerAccess(0, 0);
  cudaMalloc(&y, 32 * sizeof(int));
  add_one<<<1, 32>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(y);
  cudaFree(x);
}

// A child of a process that has used CUDA cannot.
void run_fork_behind(bool is_right) {
  if (!is_right) cudaFree(nullptr);
  if (const pid_t child = fork()) {
    int status = 0;
    waitpid(child, &status, 0);
  } else {
    int* x = nullptr;
    const cudaError_t first = cudaMalloc(&x, sizeof(int)), second = cudaDeviceSynchronize();
    std::printf("%s %s\n", cudaGetErrorName(first), cudaGetErrorName(second));
    std::fflush(stdout);
    _exit(0);
  }
  int* x = nullptr;
  std::printf("%s\n", cudaGetErrorName(cudaMalloc(&x, sizeof(int))));
  cudaFree(x);
}

// A graph that was captured, and whose nodes are changed and ordered by hand.
__global__ void scale(const int* x, int* y, int by, int count) {
  if (threadIdx.x < count) y[threadIdx.x] = x[threadIdx.x] * by;  // at:scale
}
void run_graph_nodes(bool is_right) {
  constexpr int count = 32;
  int *x, *y, last = 0;
  cudaMalloc(&x, count * sizeof(int));
  cudaMalloc(&y, count * sizeof(int));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(x, 0, count * sizeof(int), stream);
  scale<<<1, 64, 0, stream>>>(x, y, 1, count);
  cudaStreamEndCapture(stream, &graph);

  cudaGraphNode_t nodes[3] = {};
  size_t number = 3, edges = 0;
  cudaGraphGetNodes(graph, nodes, &number);
#if CUDART_VERSION >= 13000
  cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
#else
  cudaGraphGetEdges(graph, nullptr, nullptr, &edges);
#endif
  cudaGraphNodeType types[2];
  for (int n = 0; n < 2; ++n) cudaGraphNodeGetType(nodes[n], types + n);
  std::printf("%zu nodes, %zu edges, %d %d\n", number, edges, types[0], types[1]);

  cudaMemsetParams set{};
  std::printf("%s ", cudaGetErrorName(cudaGraphMemsetNodeGetParams(nodes[0], &set)));
  set.value = 1;
  std::printf("%s\n", cudaGetErrorName(cudaGraphMemsetNodeSetParams(nodes[0], &set)));
  cudaKernelNodeParams what{};
  std::printf("%s ", cudaGetErrorName(cudaGraphKernelNodeGetParams(nodes[1], &what)));
  int by = 3, more = is_right ? count : count + 1;
  void* values[] = {what.kernelParams[0], what.kernelParams[1], &by, &more};
  std::printf("%d %d ", what.func == (void*)scale, *(int*)what.kernelParams[2]);
  what.kernelParams = values;
  std::printf("%s\n", cudaGetErrorName(cudaGraphKernelNodeSetParams(nodes[1], &what)));

  // A copy behind the kernel, which it is put before at first.
  cudaGraphNode_t copy;
  cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, &last, y + count - 1, sizeof last, cudaMemcpyDeviceToHost);
#if CUDART_VERSION >= 13000
  cudaGraphAddDependencies(graph, nodes + 1, &copy, nullptr, 1);
  const cudaError_t round = cudaGraphAddDependencies(graph, &copy, nodes, nullptr, 1);
#else
  cudaGraphAddDependencies(graph, nodes + 1, &copy, 1);
  const cudaError_t round = cudaGraphAddDependencies(graph, &copy, nodes, 1);
#endif
  // Nodes that wait for each other may be in a graph, and in none that runs.
  cudaGraphExec_t ready;
  std::printf("%s %s ", cudaGetErrorName(round), cudaGetErrorName(cudaGraphInstantiate(&ready, graph, 0)));
#if CUDART_VERSION >= 13000
  cudaGraphRemoveDependencies(graph, &copy, nodes, nullptr, 1);
#else
  cudaGraphRemoveDependencies(graph, &copy, nodes, 1);
#endif
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, stream);
  cudaStreamSynchronize(stream);
  std::printf("%d\n", last);
}

// What other threads of the block have stored is read at once.
template <bool waits>
__global__ void turn_around(int* x) {
  __shared__ int tile[64];
  tile[threadIdx.x] = x[threadIdx.x];  // at:tile
  if (waits) __syncthreads();
  x[threadIdx.x] = tile[63 - threadIdx.x];  // at:turn
}
void run_missing_barrier(bool is_right) {
  int* x;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMemset(x, 0, 64 * sizeof(int));
  if (is_right)
    turn_around<true><<<1, 64>>>(x);
  else
    turn_around<false><<<1, 64>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}

// A GPU faults: whatever is called from then on answers so, and does nothing. Past the end of memory it mostly goes on.
__global__ void store(char* to) { *reinterpret_cast<int*>(to) = 1; }  // at:store
void run_fault(char* (*place)(char*)) {
  char* x = nullptr;
  cudaMalloc(&x, 64);
  store<<<1, 1>>>(place(x));
  const cudaError_t launch = cudaGetLastError(), wait = cudaDeviceSynchronize();
  store<<<1, 1>>>(x + 1);
  const cudaError_t next = cudaGetLastError(), freed = cudaFree(x);
  for (cudaError_t one : {launch, wait, next, freed}) std::printf("%s ", cudaGetErrorName(one));
  std::printf("%s\n", cudaGetErrorName(cudaDeviceReset()));
  cudaMalloc(&x, 64);
  store<<<1, 1>>>(x);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(x);
}
void run_null_store(bool) {
  run_fault([](char*) -> char* { return nullptr; });
}
void run_crooked_store(bool) {
  run_fault([](char* x) { return x + 2; });
}
void run_store_behind_end(bool is_right) {
  char *x, *y;
  cudaMalloc(&x, 64);
  store<<<1, 1>>>(x + (is_right ? 60 : 64));
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMalloc(&y, 64);
  store<<<1, 1>>>(y);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(x);
  cudaFree(y);
}

// Which devices there are, and the last of them used.
void run_devices(bool) {
  int count = -1, found = -1;
  std::printf("%d", int(cuInit(0)));
  std::printf(" %s", cudaGetErrorName(cudaGetDeviceCount(&count)));
  std::printf(" %d:", count);
  for (int n = 0; n < count; ++n) {
    cudaDeviceProp properties;
    char bus[16];
    cudaGetDeviceProperties(&properties, n);
    cudaDeviceGetPCIBusId(bus, sizeof bus, n);
    cudaDeviceGetByPCIBusId(&found, bus);
    std::printf(" %d %s %d", properties.uuid.bytes[15], bus, found);
  }
  std::printf("\n%s\n", cudaGetErrorName(cudaSetDevice(count > 0 ? count - 1 : 0)));
  char* x;
  if (cudaMalloc(&x, 64) != cudaSuccess) return;
  store<<<1, 1>>>(x + 64);
  cudaFree(x);
}
// A variable is read by its name and written by a pointer to it.
__device__ float kept[64];
__global__ void turn_around(float* to, bool is_apart) {
  const int n = blockIdx.x * 32 + threadIdx.x;
  to[n] = kept[is_apart ? n : 63 - n] + 3;  // at:by pointer
}
void run_variable(bool is_right) {
  float *to, values[64] = {};
  cudaMemcpyToSymbol(kept, values, sizeof values);
  cudaGetSymbolAddress((void**)&to, kept);
  turn_around<<<2, 32>>>(to, is_right);
  cudaDeviceSynchronize();
}
// The program chooses before it begins.
void run_chosen_device(bool is_right) {
  setenv("CUDA_VISIBLE_DEVICES", "2", 1);
  run_devices(is_right);
}

constexpr NamedProgram programs[] = {
    {"devices", run_devices},
    {"chosen-device", run_chosen_device},
    {"graph-nodes", run_graph_nodes},
    {"missing-barrier", run_missing_barrier},
    {"null-store", run_null_store},
    {"crooked-store", run_crooked_store},
    {"store-behind-end", run_store_behind_end},
    {"many-allocations", run_many_allocations},
    {"flag", run_flag},
    {"flag-of-stream", run_flag_of_stream},
    {"stream-value", run_stream_value},
    {"pool-of-peer", run_pool_of_peer},
    {"fork-behind", run_fork_behind},
    {"host-function-waits", run_host_function_waits},
    {"host-function-stays", run_host_function_stays},
    {"lost", run_lost},
    {"lost-beside", run_lost_beside},
    {"variable", run_variable},
};

}  // namespace

int main(int, char** words) { return run_by_name(programs, words[1]); }
