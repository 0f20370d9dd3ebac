// What calls answer, and what graphs tell of themselves: NAME does wrong what NAME-right does right.
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>
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

// What versions of the runtime answer differently.
int run_versions(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const auto name = (const char* (*)(int))dlsym(library, "cudaGetErrorName");
  const auto launch = (int (*)(const void*, dim3, dim3, void**, size_t, void*))dlsym(library, "cudaLaunchKernel");
  const auto attributes = (int (*)(void*, const void*))dlsym(library, "cudaFuncGetAttributes");
  const auto copy = (int (*)(void*, size_t, const void*, size_t, size_t, size_t, int))dlsym(library, "cudaMemcpy2D");
  CUmodule module = nullptr;
  CUfunction nothing = nullptr;
  cudaFree(nullptr);
  cuModuleLoadData(&module, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry nothing() { ret; }\n");
  cuModuleGetFunction(&nothing, module, "nothing");
  char bytes[64] = {}, attributes_of_it[256];
  const auto tell_one = [&](int error) { std::printf("%s\n", name(error)); };
  tell_one(launch(nothing, 1, 1, nullptr, 0, nullptr));
  for (const dim3 block : {dim3(0), dim3(1025), dim3(1, 1, 65)})
    tell_one(launch(nothing, 1, block, nullptr, 0, nullptr));
  for (const dim3 grid : {dim3(0), dim3(1, 65536), dim3(1u << 31)})
    tell_one(launch(nothing, grid, 1, nullptr, 0, nullptr));
  tell_one(launch(nothing, 1, 1, nullptr, 49 << 10, nullptr));
  tell_one(launch(bytes, 1, 1, nullptr, 0, nullptr));
  tell_one(launch(nullptr, 1, 1, nullptr, 0, nullptr));
  tell_one(attributes(attributes_of_it, bytes));
  for (const size_t rows : {2, 1}) tell_one(copy(bytes, 8, bytes + 32, 8, 16, rows, cudaMemcpyHostToHost));
  return 0;
}

// Functions by their name, and from which version of CUDA on the driver has them.
void run_by_name(bool) {
  void* function = nullptr;
  CUdriverProcAddressQueryResult found;
  for (const char* name : {"cuMemAlloc", "cuBogus", "cuGraphAddNode"}) {
    const int error = cuGetProcAddress(name, &function, 12000, 0, &found);
    std::printf("%d %d %d\n", error, function != nullptr, found);
  }
  const int error = cuGetProcAddress("cuGraphAddNode", &function, 12030, 0, &found);
  std::printf("%d %d %d\n", error, function != nullptr, found);
}

// What a program asks about, or sets, of the whole device.
void run_settings(bool) {
  size_t bytes = 0;
  int count = 0, value = 0;
  unsigned flags = 0;
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
  cudaDeviceGetLimit(&bytes, cudaLimitPrintfFifoSize);
  std::printf("%d\n", bytes == size_t(count) << 16);
  tell(cudaDeviceGetLimit(&bytes, cudaLimit(99)));
  tell(cudaDeviceGetLimit(&bytes, cudaLimitDevRuntimeSyncDepth));
  tell(cudaDeviceSetCacheConfig(cudaFuncCache(9)));
  tell(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync);
  cudaGetDeviceFlags(&flags);
  cudaDeviceGetAttribute(&value, cudaDevAttrMaxPersistingL2CacheSize, 0);
  std::printf("%u %d\n", flags, value);
  int* x = nullptr;
  cudaHostAlloc(&x, 4, cudaHostAllocMapped | cudaHostAllocWriteCombined);
  cudaHostGetFlags(&flags, x);
  std::printf("%u\n", flags);
  void* at;
  tell(cudaHostGetDevicePointer(&at, x, 1));
  tell(cudaHostGetDevicePointer(&at, x, 0));
  cudaFreeHost(x);
  cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, fill, 2, 128);
  std::printf("%zu\n", bytes);
}

// A module that calls what nobody defines, alone and linked.
void run_undefined_function(bool is_right) {
  const char* const calls =
      ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func other();\n"
      ".visible .entry nothing() { call other; ret; }\n";
  const char* const defines = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .func other() { ret; }\n";
  cudaFree(nullptr);
  CUmodule module;
  CUlinkState link;
  void* image;
  size_t bytes;
  if (!is_right) std::printf("%d ", cuModuleLoadData(&module, calls));
  cuLinkCreate(0, nullptr, nullptr, &link);
  std::printf("%d ",
              cuLinkAddData(link, CU_JIT_INPUT_PTX, (void*)calls, std::strlen(calls) + 1, "", 0, nullptr, nullptr));
  if (is_right)
    cuLinkAddData(link, CU_JIT_INPUT_PTX, (void*)defines, std::strlen(defines) + 1, "", 0, nullptr, nullptr);
  std::printf("%d\n", cuLinkComplete(link, &image, &bytes));
  cuLinkDestroy(link);
}

// How captures end that somebody else ends.
void run_ends_of_captures(bool) {
  cudaStream_t stream, other;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&other);
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaEventRecord(event, stream);
  cudaStreamWaitEvent(other, event);
  tell(cudaStreamEndCapture(other, &graph));
  tell(cudaStreamEndCapture(stream, &graph));
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  std::thread([&] { tell(cudaStreamEndCapture(stream, &graph)); }).join();
  tell(cudaStreamEndCapture(stream, &graph));
}

}  // namespace

int main(int, char** words) {
  if (!std::strcmp(words[1], "versions")) return run_versions(words[2]);
  const struct {
    const char* name;
    void (*run)(bool is_right);
  } programs[] = {{"codes", run_codes},
                  {"memory", run_memory},
                  {"pool", run_pool},
                  {"event-node", run_event_node},
                  {"captures", run_captures},
                  {"long-name", run_long_name},
                  {"refusals", run_refusals},
                  {"multiprocessors", run_multiprocessors},
                  {"by-name", run_by_name},
                  {"settings", run_settings},
                  {"undefined-function", run_undefined_function},
                  {"ends-of-captures", run_ends_of_captures}};
  const std::size_t length = std::strlen(words[1]);
  const bool is_right = length > 6 && !std::strcmp(words[1] + length - 6, "-right");
  words[1][length - 6 * is_right] = 0;
  for (const auto& program : programs) {
    if (!std::strcmp(program.name, words[1])) return program.run(is_right), 0;
  }
  return run_gives_up(is_right);
}
