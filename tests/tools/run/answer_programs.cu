// What calls answer, and what graphs tell of themselves: NAME does wrong what NAME-right does right.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

__global__ void fill(int* x, int value) { x[threadIdx.x] = value; }
__device__ int table[32];
__global__ void add_table(int* x) { x[threadIdx.x] += table[threadIdx.x]; }

void tell(cudaError_t error) { std::printf("%s\n", cudaGetErrorName(error)); }

void run_codes(bool) {
  CUdeviceptr address = 0;
  std::printf("%d\n", cuMemAlloc(&address, 4));
  cuInit(0);
  std::printf("%d\n", cuMemAlloc(&address, 4));
  int* x = nullptr;
  tell(cudaMallocManaged(&x, 0));
  tell(cudaDeviceEnablePeerAccess(0, 0));
  cudaEvent_t event;
  tell(cudaEventCreateWithFlags(&event, cudaEventInterprocess));
  tell(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
  tell(cudaStreamWaitEvent(0, event, 2));
  tell(cudaFreeAsync(nullptr, 0));
  tell(cudaDeviceSetLimit(cudaLimit(99), 1));
  cudaMalloc(&x, 32 * sizeof(int));
  fill<<<1, 32>>>(x, 1);
  tell(cudaDeviceSynchronize());
  cudaFree(x);
}

__global__ void place(unsigned* at) {
  unsigned count;
  asm("mov.u32 %0, %%smid;" : "=r"(at[blockIdx.x + gridDim.x * blockIdx.y]));
  asm("mov.u32 %0, %%nsmid;" : "=r"(count));
  if (!blockIdx.x && !blockIdx.y) at[gridDim.x * gridDim.y] = count;
}

// Each multiprocessor has as many blocks as the others.
void run_multiprocessors(bool) {
  int count = 0;
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
  unsigned* at;
  cudaMallocManaged(&at, (6 * count + 1) * sizeof(unsigned));
  place<<<dim3(2 * count, 3), 1>>>(at);
  cudaDeviceSynchronize();
  std::vector<int> blocks(count);
  for (int n = 0; n < 6 * count; ++n) ++blocks.at(at[n]);
  std::printf("%d %d %d\n", int(at[6 * count]), *std::ranges::min_element(blocks), *std::ranges::max_element(blocks));
  cudaFree(at);
}

// There may be more managed memory than a device has.
void run_memory(bool) {
  int *x = nullptr, *y = nullptr;
  size_t free = 0, total = 0;
  tell(cudaMallocManaged(&x, size_t(1) << 31));
  cudaMemGetInfo(&free, &total);
  std::printf("%d\n", free == total);
  tell(cudaMalloc(&y, size_t(1) << 31));
  fill<<<1, 32>>>(x, 1);
  tell(cudaDeviceSynchronize());
  std::printf("%d\n", x[31]);
  cudaFree(x);
}

// Variables are not of a pool.
void run_pool(bool) {
  cudaMemPool_t pool;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  int* x;
  cudaMallocAsync(&x, 4096, 0);
  fill<<<1, 32>>>(x, 1);
  add_table<<<1, 32>>>(x);
  const auto tell_bytes = [&] {
    for (const auto of :
         {cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh, cudaMemPoolAttrReservedMemCurrent}) {
      uint64_t bytes = 0;
      cudaMemPoolGetAttribute(pool, of, &bytes);
      std::printf("%llu ", (unsigned long long)bytes);
    }
  };
  tell_bytes();
  cudaFreeAsync(x, 0);
  cudaDeviceSynchronize();
  tell_bytes();
  cudaFuncAttributes of_kernel;
  cudaFuncGetAttributes(&of_kernel, fill);
  std::printf("%d %d\n", of_kernel.ptxVersion, of_kernel.binaryVersion);
}

// A graph records an event that another stream waits for.
void run_event_node(bool is_right) {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEvent_t event, found;
  cudaEventCreate(&event);
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  int value = 1;
  void* arguments[] = {&x, &value};
  cudaKernelNodeParams what{};
  what.func = (void*)fill;
  what.gridDim = 1;
  what.blockDim = 32;
  what.kernelParams = arguments;
  cudaGraphNode_t kernel, record;
  cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &what);
  cudaGraphAddEventRecordNode(&record, graph, &kernel, is_right, event);
  cudaGraphEventRecordNodeGetEvent(record, &found);
  cudaGraphExec_t ready;
  cudaGraphInstantiate(&ready, graph, cudaGraphInstantiateFlagUseNodePriority);
  unsigned long long flags = 0;
  cudaGraphExecGetFlags(ready, &flags);
  std::printf("%d %d\n", found == event, int(flags));
  cudaGraphLaunch(ready, first);
  cudaStreamWaitEvent(second, event);
  fill<<<1, 32, 0, second>>>(x, 2);
  tell(cudaDeviceSynchronize());
  cudaFree(x);
}

void run_captures(bool) {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph, captured, copy;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t empty, found;
  cudaGraphAddEmptyNode(&empty, graph, nullptr, 0);
  tell(cudaStreamBeginCaptureToGraph(stream, graph, &empty, nullptr, 1, cudaStreamCaptureModeGlobal));
  fill<<<1, 32, 0, stream>>>(x, 7);
  CUstreamCaptureStatus status;
  const CUgraphNode* before = nullptr;
  size_t count = 0, edges = 0;
  cuuint64_t id = 0;
  cuStreamGetCaptureInfo(stream, &status, &id, nullptr, &before, nullptr, &count);
  std::printf("%d %d %zu\n", status, id != 0, count);
  cudaStreamEndCapture(stream, &captured);
  cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
  cudaGraphClone(&copy, graph);
  std::printf("%d %zu %d ", captured == graph, edges, cudaGraphNodeFindInClone(&found, empty, copy));
  cudaGraphNodeType kind;
  cudaGraphNodeGetType(found, &kind);
  std::printf("%d\n", kind == cudaGraphNodeTypeEmpty && found != empty);
  cudaGraphExec_t ready;
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, stream);
  int last = 0;
  cudaMemcpyAsync(&last, x + 31, sizeof last, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  cudaGraphDestroyNode(empty);
  cudaGraphExecUpdateResultInfo why;
  std::printf("%d %d ", last, cudaGraphExecUpdate(ready, graph, &why));
  std::printf("%d\n", why.result == cudaGraphExecUpdateErrorTopologyChanged);
  cudaLaunchAttributeValue value{};
  value.syncPolicy = cudaSyncPolicySpin;
  cudaStreamSetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &value);
  value = {};
  cudaStreamGetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &value);
  std::printf("%d\n", value.syncPolicy == cudaSyncPolicySpin);
}

// The program gives up where a function is not there.
int run_gives_up(bool is_right) {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  fill<<<1, 32>>>(x, 1);
  cudaFree(x);
  cudaArray_t array = nullptr;
  const cudaError_t error = cudaArrayGetInfo(nullptr, nullptr, nullptr, array);
  return error && !is_right ? 9 : 0;
}

// Names of types that are long, in a finding.
template <class... Types>
struct Long {};
template <class Type>
__global__ void fill_long(int* x, Type) {
  x[threadIdx.x] = 1;
}
void run_long_name(bool is_right) {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  using Several =
      Long<unsigned long long, unsigned long long, unsigned long long, unsigned long long, unsigned long long>;
  fill_long<<<1, is_right ? 32 : 33>>>(x, Long<Several, Several>());
  cudaFree(x);
}

// Flags, attributes and versions that nobody knows, and the same as CUDA knows them.
void run_refusals(bool is_right) {
  const unsigned unknown = is_right ? 0 : 0xff00;
  int value, list[] = {1}, *x;
  void* data;
  CUdriverProcAddressQueryResult found;
  cudaFunction_t function;
  cudaMemPool_t pool;
  cudaMemPoolProps wish = {};
  wish.allocType = cudaMemAllocationTypePinned;
  wish.location = {cudaMemLocationTypeDevice, 0};
  tell(cudaSetDeviceFlags(unknown));
  tell(cudaHostAlloc(&data, 4, unknown));
  tell(cudaMallocManaged(&x, 4, is_right ? cudaMemAttachHost : 9));
  tell(cudaHostRegister(&value, 4, unknown));
  tell(cudaDeviceGetAttribute(&value, is_right ? cudaDevAttrWarpSize : cudaDeviceAttr(9999), 0));
  tell(is_right ? cudaMemPoolCreate(&pool, &wish) : cudaDeviceGetDefaultMemPool(&pool, 0));
  tell(cudaMemPoolDestroy(pool));
  cudaGetFuncBySymbol(&function, (void*)fill);
  const auto attribute = is_right ? CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES : CU_FUNC_ATTRIBUTE_NUM_REGS;
  std::printf("%d ", cuFuncSetAttribute((CUfunction)function, attribute, 16));
  std::printf("%d ", cuGetProcAddress("cuInit", &data, is_right ? 12000 : 99000, 0, &found));
  cudaPointerAttributes where;
  if (is_right) std::printf("%d ", cudaSetValidDevices(list, 1));
  cudaMalloc(&x, 4);
  cudaPointerGetAttributes(&where, x);
  std::printf("%d\n", where.device);
}

}  // namespace

int main(int, char** words) {
  const struct {
    const char* name;
    void (*run)(bool is_right);
  } programs[] = {{"codes", run_codes},           {"memory", run_memory},     {"pool", run_pool},
                  {"event-node", run_event_node}, {"captures", run_captures}, {"long-name", run_long_name},
                  {"refusals", run_refusals},     {"multiprocessors", run_multiprocessors}};
  const std::size_t length = std::strlen(words[1]);
  const bool is_right = length > 6 && !std::strcmp(words[1] + length - 6, "-right");
  words[1][length - 6 * is_right] = 0;
  for (const auto& program : programs) {
    if (!std::strcmp(program.name, words[1])) return program.run(is_right), 0;
  }
  return run_gives_up(is_right);
}
