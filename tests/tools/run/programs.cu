// Programs for rope-check run, each by its name on the command line. A line that a finding is expected at ends with a
// comment, "at:" and a word.
#include <sys/wait.h>
#include <unistd.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/tools/run/checked_call.cuh"

constexpr int count = 1000;
constexpr size_t bytes = count * sizeof(float);

__global__ void add(const float* a, const float* b, float* c, int n) {  // at:add
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
__global__ void add_unguarded(const float* a, const float* b, float* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float sum = a[i] + b[i];  // at:read
  c[i] = sum;                     // at:write
}
__global__ void scale(float* x, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;  // at:scale
}
__global__ void say(int n) { printf("thread %d of %d\n", int(threadIdx.x), n); }
__global__ void claim(const int* x) { assert(x[threadIdx.x] == 0); }  // at:claim
__global__ void total(float** rows, float* out, int n) {
  float sum = 0;
  for (int r = 0; r < n; ++r) sum += rows[r][threadIdx.x];
  out[threadIdx.x] = sum;
}

// Structs that end with padding, of several lengths; the copy takes it with it.
template <class First, class Second>
struct Padded {
  First first;
  Second second;
};
template <class Struct>
__global__ void make_structs(Struct* x, bool whole) {
  x[threadIdx.x].first = threadIdx.x;
  if (whole) x[threadIdx.x].second = threadIdx.x;
}
template <class Struct>
__global__ void copy_structs(const Struct* x, Struct* y) {
  y[threadIdx.x] = x[threadIdx.x];  // at:copy
}

// Rows that a struct in memory leads to, which a variable leads to.
struct Row {
  const float* values;
  int count;
};
__device__ const Row* rows_of_table;
__global__ void total_of_row(float* out) {
  const Row row = rows_of_table[blockIdx.x];
  float sum = 0;
  for (int i = threadIdx.x; i < row.count; i += blockDim.x) sum += row.values[i];  // at:row
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__device__ int number;
__global__ void misalign(int bytes) { *(int*)((char*)&number + bytes) = 42; }  // at:misalign

__constant__ float factors[4];
__device__ float table[4] = {1, 2, 3, 4};
__managed__ int shared_number = 5;
__global__ void use_tables(float* out) { out[threadIdx.x] = factors[threadIdx.x] * table[threadIdx.x]; }
__global__ void use_managed(int* x, int n) { x[threadIdx.x] += n + shared_number; }

float* filled(float value) {
  const std::vector<float> host(count, value);
  float* x = nullptr;
  CHECK(cudaMalloc(&x, bytes));
  CHECK(cudaMemcpy(x, host.data(), bytes, cudaMemcpyHostToDevice));
  return x;
}
float* empty() {
  float* x = nullptr;
  CHECK(cudaMalloc(&x, bytes));
  return x;
}
void expect(const float* x, float value) {
  std::vector<float> host(count);
  CHECK(cudaMemcpy(host.data(), x, bytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < count; ++i) {
    if (host[i] != value) printf("x[%d] is %g, not %g\n", i, host[i], value), exit(8);
  }
}

void run_add() {
  float *a = filled(1), *b = filled(2), *c = empty();
  add<<<4, 256>>>(a, b, c, count);
  CHECK(cudaGetLastError());
  expect(c, 3);
  for (float* x : {a, b, c}) CHECK(cudaFree(x));
  puts("right");
}
void run_add_wrong() {
  add_unguarded<<<4, 256>>>(filled(1), filled(2), empty());
  CHECK(cudaDeviceSynchronize());
}
void run_use_after_free() {
  float* x = filled(1);
  CHECK(cudaFree(x));
  scale<<<4, 256>>>(x, 2, count);
  CHECK(cudaDeviceSynchronize());
}
void run_double_free() {
  float* x = filled(1);
  CHECK(cudaFree(x));
  cudaFree(x);
}
void run_uninitialized() {
  scale<<<4, 256>>>(empty(), 2, count);
  CHECK(cudaDeviceSynchronize());
}
// What was never written stays so through a copy; what is read of it on the host counts for nothing.
void run_copied_uninitialized() {
  float *x = empty(), *y = filled(1);
  CHECK(cudaMemcpy(y, x, bytes / 2, cudaMemcpyDeviceToDevice));
  scale<<<1, 256>>>(y + count / 2, 2, count / 2 - 256);
  CHECK(cudaDeviceSynchronize());
  scale<<<1, 256>>>(y, 2, 256);
  CHECK(cudaDeviceSynchronize());
}
void run_copy_past_end() {
  float* x = filled(1);
  std::vector<float> host(count + 1);
  cudaMemcpy(x, host.data(), bytes + 4, cudaMemcpyHostToDevice);
  cudaMemcpy(host.data(), x + 1, bytes, cudaMemcpyDeviceToHost);
}
__global__ void fill_shared(float* out) {
  extern __shared__ float row[];
  row[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = row[threadIdx.x];
}
void run_shared_memory_not_allowed() { fill_shared<<<1, 32, 64 * 1024>>>(filled(0)); }
void run_shared_memory_allowed() {
  CHECK(cudaFuncSetAttribute(fill_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
  fill_shared<<<1, 32, 64 * 1024>>>(filled(0));
  CHECK(cudaDeviceSynchronize());
}
void run_copy_past_symbol() {
  const float five[5] = {};
  assert(cudaMemcpyToSymbol(factors, five, sizeof five) == cudaErrorInvalidValue);
}
template <class Struct>
void copy_made_structs(bool whole) {
  Struct *x = nullptr, *y = nullptr;
  CHECK(cudaMalloc(&x, 32 * sizeof(Struct)));
  CHECK(cudaMalloc(&y, 32 * sizeof(Struct)));
  make_structs<<<1, 32>>>(x, whole);
  copy_structs<<<1, 32>>>(x, y);
  CHECK(cudaDeviceSynchronize());
}
void copy_all_structs(bool whole) {
  copy_made_structs<Padded<double, short>>(whole);
  copy_made_structs<Padded<float, char>>(whole);
  copy_made_structs<Padded<long, int>>(whole);
  copy_made_structs<Padded<double, char>>(whole);
  copy_made_structs<Padded<char, double>>(whole);
}
void run_padded_structs() { copy_all_structs(true); }
void run_structs_without_a_member() { copy_all_structs(false); }
// Inside of a variable and past its end: for that a GPU stops because of the address. Further on it is an overrun.
void run_misaligned() {
  misalign<<<1, 1>>>(1);
  CHECK(cudaDeviceSynchronize());
}
void run_misaligned_outside() {
  misalign<<<1, 1>>>(5);
  CHECK(cudaDeviceSynchronize());
}
void run_printf() {
  say<<<1, 3>>>(3);
  CHECK(cudaDeviceSynchronize());
  puts("behind");
}
void run_assert() {
  int* x = nullptr;
  CHECK(cudaMalloc(&x, 128));
  CHECK(cudaMemset(x, 1, 128));
  claim<<<1, 32>>>(x);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%s\n", cudaGetErrorName(cudaMalloc(&x, 128)));
}
void run_exit_early() {
  run_add_wrong();
  _exit(7);
}
void run_crash() {
  run_add_wrong();
  abort();
}
void run_exit_at_once() {
  run_add();
  _exit(0);
}
void run_fork_exit_at_once() {
  if (fork() == 0) run_exit_at_once();
  int status = 0;
  wait(&status);
}
void run_fork() {
  if (fork() == 0) {
    run_add_wrong();
    exit(0);
  }
  int status = 0;
  wait(&status);
  run_add();
}
void run_threads() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      cudaStream_t stream;
      CHECK(cudaStreamCreate(&stream));
      float* x = filled(1);
      for (int n = 0; n < 10; ++n) scale<<<4, 256, 0, stream>>>(x, t % 2 ? 2 : 1, count);
      CHECK(cudaStreamSynchronize(stream));
      expect(x, t % 2 ? 1024 : 1);
      CHECK(cudaFree(x));
      CHECK(cudaStreamDestroy(stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
}
void run_leak() { expect(filled(1), 1); }
void run_out_of_memory() {
  void* x = nullptr;
  const cudaError_t error = cudaMalloc(&x, size_t(1) << 30);
  printf("%s\n", cudaGetErrorName(error));
  CHECK(cudaGetLastError() == error ? cudaSuccess : cudaErrorUnknown);
  CHECK(cudaGetLastError());
  run_add();
}
void run_symbols() {
  const float values[] = {10, 20, 30, 40};
  float got[4];
  CHECK(cudaMemcpyToSymbol(factors, values, sizeof values));
  float* out = empty();
  use_tables<<<1, 4>>>(out);
  CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  assert(got[0] == 10 && got[3] == 160);
  CHECK(cudaMemcpyToSymbol(table, values, 8, 8));
  CHECK(cudaMemcpyFromSymbol(got, table, sizeof got));
  assert(got[1] == 2 && got[2] == 10);
  void* address = nullptr;
  size_t size = 0;
  CHECK(cudaGetSymbolAddress(&address, table));
  CHECK(cudaGetSymbolSize(&size, table));
  assert(size == 16);
  CHECK(cudaMemcpy(got, address, size, cudaMemcpyDefault));
  assert(got[3] == 20);
  shared_number += 1;
  int* numbers = nullptr;
  CHECK(cudaMallocManaged(&numbers, 32 * sizeof(int)));
  for (int i = 0; i < 32; ++i) numbers[i] = i;
  use_managed<<<1, 32>>>(numbers, 100);
  CHECK(cudaDeviceSynchronize());
  assert(numbers[31] == 137);
}
void run_pitched() {
  float* x = nullptr;
  size_t pitch = 0;
  CHECK(cudaMallocPitch(&x, &pitch, 100, 20));
  std::vector<char> host(100 * 20), back(100 * 20);
  for (size_t i = 0; i < host.size(); ++i) host[i] = char(i * 7);
  CHECK(cudaMemcpy2D(x, pitch, host.data(), 100, 100, 20, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2D(back.data(), 100, x, pitch, 100, 20, cudaMemcpyDeviceToHost));
  assert(host == back);
  cudaPitchedPtr cube;
  CHECK(cudaMalloc3D(&cube, make_cudaExtent(10, 20, 10)));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host.data(), 10, 10, 20);
  copy.dstPtr = cube;
  copy.extent = make_cudaExtent(10, 20, 10);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  CHECK(cudaMemset2D(x, pitch, 3, 100, 20));
  std::swap(copy.srcPtr, copy.dstPtr);
  copy.dstPtr.ptr = back.data();
  copy.kind = cudaMemcpyDeviceToHost;
  std::fill(back.begin(), back.end(), 0);
  CHECK(cudaMemcpy3D(&copy));
  assert(host == back);
}
void run_streams() {
  cudaStream_t stream;
  cudaEvent_t from, to;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  float* x = nullptr;
  CHECK(cudaMallocAsync(&x, bytes, stream));
  const std::vector<float> host(count, 3);
  CHECK(cudaMemcpyAsync(x, host.data(), bytes, cudaMemcpyHostToDevice, stream));
  CHECK(cudaEventRecord(from, stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  scale<<<4, 256, 0, stream>>>(x, 2, count);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int n = 0; n < 3; ++n) CHECK(cudaGraphLaunch(exec, stream));
  // The same graph by its nodes: a copy, a kernel behind it, a copy back.
  cudaGraph_t made;
  cudaGraphNode_t nodes[3];
  std::vector<float> back(count);
  float by = 5;
  int n = count;
  float* y = filled(1);
  void* arguments[] = {&y, &by, &n};
  const cudaKernelNodeParams kernel = {(void*)scale, dim3(4), dim3(256), 0, arguments, nullptr};
  CHECK(cudaGraphCreate(&made, 0));
  CHECK(cudaGraphAddMemcpyNode1D(&nodes[0], made, nullptr, 0, y, host.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaGraphAddKernelNode(&nodes[1], made, &nodes[0], 1, &kernel));
  CHECK(cudaGraphAddMemcpyNode1D(&nodes[2], made, &nodes[1], 1, back.data(), y, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaGraphInstantiate(&exec, made, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  assert(back[0] == 15 && back[count - 1] == 15);
  CHECK(cudaEventRecord(to, stream));
  CHECK(cudaEventSynchronize(to));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, from, to));
  assert(milliseconds >= 0);
  expect(x, 24);
  CHECK(cudaFreeAsync(x, stream));
  CHECK(cudaStreamDestroy(stream));
}
void run_pointers() {
  float* const rows[] = {filled(1), filled(2)};
  float** list = nullptr;
  CHECK(cudaMalloc(&list, sizeof rows));
  CHECK(cudaMemcpy(list, rows, sizeof rows, cudaMemcpyHostToDevice));
  float* out = empty();
  total<<<1, 32>>>(list, out, 2);
  float got[32];
  CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  assert(got[31] == 3);
}
void run_properties() {
  int devices = 0, current = -1, optin = 0, blocks = 0, version = 0;
  CHECK(cudaGetDeviceCount(&devices));
  CHECK(cudaSetDevice(devices - 1));
  CHECK(cudaGetDevice(&current));
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, current));
  CHECK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, current));
  assert(device.sharedMemPerBlockOptin == size_t(optin) && device.warpSize == 32);
  // One field of each part of the structure.
  const std::pair<int, cudaDeviceAttr> fields[] = {
      {device.multiProcessorCount, cudaDevAttrMultiProcessorCount},
      {device.maxTexture3D[2], cudaDevAttrMaxTexture3DDepth},
      {device.maxSurfaceCubemapLayered[1], cudaDevAttrMaxSurfaceCubemapLayeredLayers},
      {device.l2CacheSize, cudaDevAttrL2CacheSize},
      {device.regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor},
      {device.cooperativeLaunch, cudaDevAttrCooperativeLaunch},
      {device.maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor},
      {device.memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported},
      {device.clusterLaunch, cudaDevAttrClusterLaunch},
      {device.hostNumaId, cudaDevAttrHostNumaId}};
  for (const auto& [field, attribute] : fields) {
    int value = 0;
    CHECK(cudaDeviceGetAttribute(&value, attribute, current));
    if (field != value) printf("attribute %d is %d, not %d\n", int(attribute), value, field), exit(8);
  }
  cudaFuncAttributes kernel;
  CHECK(cudaFuncGetAttributes(&kernel, add));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
  assert(kernel.maxThreadsPerBlock == 1024 && blocks > 0);
  CHECK(cudaRuntimeGetVersion(&version));
  assert(version / 1000 == CUDART_VERSION / 1000);
  cudaPointerAttributes at;
  float* x = filled(1);
  CHECK(cudaPointerGetAttributes(&at, x));
  assert(at.type == cudaMemoryTypeDevice && at.devicePointer == x && at.device == current);
  CHECK(cudaPointerGetAttributes(&at, &device));
  assert(at.type == cudaMemoryTypeUnregistered);
  add<<<1, 2048>>>(x, x, x, 1);
  assert(cudaGetLastError() == (CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration));
  printf("%d devices of sm_%d%d, %zu MiB\n", devices, device.major, device.minor, device.totalGlobalMem >> 20);
}
__device__ float* new_floats(int n) { return new float[n]; }
__global__ void needs_malloc(float* x, int n) {
  float* y = new_floats(n);
  for (int i = 0; i < n; ++i) x[i] = y[i] = i;
  delete[] y;
}
// What a kernel that cannot run here would have written is not missed by the next one.
void run_not_known() {
  float* x = empty();
  needs_malloc<<<1, 1>>>(x, count);
  scale<<<4, 256>>>(x, 2, count);
  CHECK(cudaDeviceSynchronize());
}
void run_written_by_kernel() {
  float *a = filled(1), *c = empty();
  add<<<4, 256>>>(a, a, c, count);
  scale<<<4, 256>>>(c, 2, count);
  expect(c, 4);
}
void run_missing() {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  printf("%s\n", cudaGetErrorName(cudaMallocArray(&array, &format, 16)));
  cudaGetLastError();
  run_add();
}
void run_missing_query() {
  printf("%s\n", cudaGetErrorName(cudaArrayGetInfo(nullptr, nullptr, nullptr, nullptr)));
  cudaGetLastError();
  run_add();
}
void run_nothing() {}

void total_rows(int claimed, int written) {
  float values[64];
  for (float& value : values) value = 1;
  Row rows[2] = {{nullptr, 64}, {nullptr, claimed}};
  for (int r = 0; r < 2; ++r) {
    float* row = nullptr;
    CHECK(cudaMalloc(&row, sizeof values));
    CHECK(cudaMemcpy(row, values, r ? written * sizeof(float) : sizeof values, cudaMemcpyHostToDevice));
    rows[r].values = row;
  }
  Row* table = nullptr;
  float *out = nullptr, sums[64];
  CHECK(cudaMalloc(&table, sizeof rows));
  CHECK(cudaMalloc(&out, sizeof sums));
  CHECK(cudaMemcpy(table, rows, sizeof rows, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(rows_of_table, &table, sizeof table));
  total_of_row<<<2, 32>>>(out);
  CHECK(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) assert(sums[i] == 2);
  puts("right");
}
void run_rows() { total_rows(64, 64); }
void run_rows_wrong() { total_rows(65, 64); }
void run_rows_unwritten() { total_rows(64, 63); }

int main(int words, char** word) {
  const std::map<std::string, void (*)()> programs = {
      {"add", run_add},
      {"add-wrong", run_add_wrong},
      {"use-after-free", run_use_after_free},
      {"double-free", run_double_free},
      {"uninitialized", run_uninitialized},
      {"copied-uninitialized", run_copied_uninitialized},
      {"copy-past-end", run_copy_past_end},
      {"padded-structs", run_padded_structs},
      {"shared-memory-not-allowed", run_shared_memory_not_allowed},
      {"shared-memory-allowed", run_shared_memory_allowed},
      {"copy-past-symbol", run_copy_past_symbol},
      {"structs-without-a-member", run_structs_without_a_member},
      {"misaligned", run_misaligned},
      {"misaligned-outside", run_misaligned_outside},
      {"printf", run_printf},
      {"assert", run_assert},
      {"exit-early", run_exit_early},
      {"crash", run_crash},
      {"exit-at-once", run_exit_at_once},
      {"fork-exit-at-once", run_fork_exit_at_once},
      {"fork", run_fork},
      {"threads", run_threads},
      {"leak", run_leak},
      {"out-of-memory", run_out_of_memory},
      {"symbols", run_symbols},
      {"pitched", run_pitched},
      {"streams", run_streams},
      {"pointers", run_pointers},
      {"properties", run_properties},
      {"not-known", run_not_known},
      {"written-by-kernel", run_written_by_kernel},
      {"missing", run_missing},
      {"missing-query", run_missing_query},
      {"nothing", run_nothing},
      {"rows", run_rows},
      {"rows-wrong", run_rows_wrong},
      {"rows-unwritten", run_rows_unwritten},
  };
  programs.at(words > 1 ? word[1] : "add")();
  return 0;
}
