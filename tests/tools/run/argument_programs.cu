// Arguments that calls refuse: NAME does wrong what NAME-right does right.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

namespace {

__global__ void fill(int* x, int value) { x[threadIdx.x] = value; }
__global__ void __launch_bounds__(64) small(int* x) { x[threadIdx.x] = 1; }
__device__ int table[32];
int* x;

void tell(cudaError_t error) { std::printf("%s\n", cudaGetErrorName(error)); }

void run_symbols(bool is_right) {
  int values[32] = {};
  tell(cudaMemcpyToSymbol(table, values, 4, 0, is_right ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost));
  tell(cudaMemcpyToSymbol(table, values, 4, 0, is_right ? cudaMemcpyDefault : cudaMemcpyHostToHost));
  tell(cudaMemcpyFromSymbol(values, table, 4, 0, is_right ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice));
  tell(cudaMemcpyFromSymbolAsync(values, table, 4, 0, is_right ? cudaMemcpyDefault : cudaMemcpyHostToHost));
}

void run_sizes(bool is_right) {
  tell(cudaMemcpyPeer(x, is_right ? 0 : 9, x + 16, 0, 4));
  tell(cudaMemcpyPeerAsync(x, 0, x + 16, is_right ? 0 : -1, 4));
  tell(cudaMemset2D(x, is_right ? 16 : 8, 0, 16, 2));
  tell(cudaMemset2DAsync(x, 8, 0, 16, is_right ? 1 : 2));
  tell(cudaFuncSetAttribute(fill, cudaFuncAttributePreferredSharedMemoryCarveout, is_right ? 100 : 101));
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphCreate(&graph, 0);
  cudaMemsetParams rows = {};
  rows.dst = x;
  rows.pitch = is_right ? 16 : 8;
  rows.elementSize = 4;
  rows.width = 4;
  rows.height = 2;
  tell(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &rows));
  cudaGraphExec_t ready = nullptr;
  if (is_right) cudaGraphInstantiate(&ready, graph, 0);
  tell(cudaGraphLaunch(ready, 0));
}

void run_parameters(bool is_right) {
  cudaFunction_t function;
  cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(fill));
  int value = 3;
  void* values[] = {&x, &value};
  char buffer[16];
  std::memcpy(buffer, &x, 8);
  std::memcpy(buffer + 8, &value, 4);
  std::size_t bytes = is_right ? 12 : 8;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  std::printf("%d ", cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, values, is_right ? nullptr : extra));
  std::printf("%d\n", cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, extra));
}

// A launch that is captured is refused by its own call, and nothing comes of the capture.
void run_captured(bool is_right) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t ready = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  fill<<<is_right ? 1 : 0, 32, 0, stream>>>(x, 1);
  tell(cudaGetLastError());
  small<<<1, is_right ? 64 : 65, 0, stream>>>(x);
  tell(cudaGetLastError());
  tell(cudaStreamEndCapture(stream, &graph));
  tell(cudaGraphInstantiate(&ready, graph, 0));
  tell(cudaGraphLaunch(ready, stream));
  tell(cudaStreamSynchronize(stream));
}

void run_advice(bool is_right) {
  int *managed, local = 0;
  cudaMallocManaged(&managed, 1 << 20);
  const cudaMemLocation first = {cudaMemLocationTypeDevice, 0}, ninth = {cudaMemLocationTypeDevice, 9},
                        host = {cudaMemLocationTypeHost, 0};
  int* const other = is_right ? managed : x;
  tell(cudaMemPrefetchAsync(other, 64, first, 0, 0));
  tell(cudaMemAdvise(other, 64, cudaMemAdviseSetReadMostly, first));
  tell(cudaMemPrefetchAsync(is_right ? managed : &local, 4, first, 0, 0));
  tell(cudaMemPrefetchAsync(managed, 64, is_right ? host : ninth, 0, 0));
  tell(cudaMemAdvise(managed, 64, cudaMemAdviseSetAccessedBy, is_right ? first : ninth));
  tell(cudaMemPrefetchAsync(managed, is_right ? 1 << 20 : 128 << 20, first, 0, 0));
  tell(cudaMemPrefetchAsync(managed, is_right ? 1 : 0, first, 0, 0));
  tell(cudaMemAdvise(managed, 64, is_right ? cudaMemAdviseUnsetReadMostly : cudaMemoryAdvise(9), first));
  tell(cudaMemRangeGetAttribute(&local, is_right ? 4 : 8, cudaMemRangeAttributeReadMostly, managed, 64));
}

// What was advised of all pages alike is the answer.
void run_ranges(bool) {
  char* managed;
  cudaMallocManaged(&managed, 4 * 4096);
  const cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
  const auto get = [&](cudaMemRangeAttribute attribute, int first, int pages) {
    int value = 77;
    cudaMemRangeGetAttribute(&value, 4, attribute, managed + first * 4096, pages * 4096);
    return value;
  };
  cudaMemAdvise(managed, 2 * 4096, cudaMemAdviseSetReadMostly, device);
  std::printf("%d %d %d\n", get(cudaMemRangeAttributeReadMostly, 0, 2), get(cudaMemRangeAttributeReadMostly, 2, 2),
              get(cudaMemRangeAttributeReadMostly, 0, 4));
  cudaMemPrefetchAsync(managed, 4 * 4096, host, 0, 0);
  std::printf("%d ", get(cudaMemRangeAttributeLastPrefetchLocation, 0, 4));
  cudaMemPrefetchAsync(managed + 4096, 10, device, 0, 0);
  std::printf("%d %d %d\n", get(cudaMemRangeAttributeLastPrefetchLocation, 0, 4),
              get(cudaMemRangeAttributeLastPrefetchLocation, 1, 1),
              get(cudaMemRangeAttributeLastPrefetchLocationType, 2, 2));
  cudaMemAdvise(managed, 4 * 4096, cudaMemAdviseSetPreferredLocation, device);
  cudaMemAdvise(managed, 4096, cudaMemAdviseSetAccessedBy, device);
  int devices[2] = {5, 5};
  cudaMemRangeGetAttribute(devices, 8, cudaMemRangeAttributeAccessedBy, managed, 4096);
  std::printf("%d %d %d ", get(cudaMemRangeAttributePreferredLocation, 0, 4), devices[0], devices[1]);
  cudaMemRangeGetAttribute(devices, 8, cudaMemRangeAttributeAccessedBy, managed, 8192);
  cudaMemAdvise(managed, 4096, cudaMemAdviseUnsetPreferredLocation, device);
  std::printf("%d %d\n", devices[0], get(cudaMemRangeAttributePreferredLocation, 0, 4));
  cudaFree(managed);
}

using Function = int (*)(int);
__device__ int twice(int value) { return 2 * value; }
__device__ Function of_device = twice;
int of_host(int value) { return value; }
__global__ void call(int* y, Function function) { y[threadIdx.x] = function(int(threadIdx.x)); }

// A kernel can call functions of the device alone.
void call_by(Function function) {
  call<<<1, 32>>>(x, function);
  tell(cudaDeviceSynchronize());
}
void run_callee(bool is_right) {
  Function function = of_host;
  if (is_right) cudaMemcpyFromSymbol(&function, of_device, sizeof function);
  call_by(function);
  cudaFree(x);
}
void run_callee_null(bool) { call_by(nullptr); }

}  // namespace

int main(int, char** words) {
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMemset(x, 0, 64 * sizeof(int));
  const struct {
    const char* name;
    void (*run)(bool is_right);
  } programs[] = {{"symbols", run_symbols},       {"sizes", run_sizes},
                  {"parameters", run_parameters}, {"captured", run_captured},
                  {"advice", run_advice},         {"ranges", run_ranges},
                  {"callee", run_callee},         {"callee-null", run_callee_null}};
  const std::size_t length = std::strlen(words[1]);
  const bool is_right = length > 6 && !std::strcmp(words[1] + length - 6, "-right");
  words[1][length - 6 * is_right] = 0;
  for (const auto& program : programs) {
    if (!std::strcmp(program.name, words[1])) return program.run(is_right), 0;
  }
  return 2;
}
