// Programs for rope-check run that ask for what CUDA refuses, each by its name on the command line: what the calls
// answer is printed. A second one, "-right", asks for what there is.
#include <cooperative_groups.h>
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

constexpr int count = 1024;
constexpr size_t bytes = count * sizeof(float);

__global__ void meet(float* x) {
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) atomicAdd(x, 1);
}
__global__ void fill(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void __launch_bounds__(128) fill_bounded(float* x) { x[threadIdx.x] = 1; }

void check(cudaError_t error, int line) {
  if (error == cudaSuccess) return;
  printf("line %d: %s\n", line, cudaGetErrorName(error));
  fflush(stdout);
  exit(9);
}
#define CHECK(call) check(call, __LINE__)

// What the call answered.
void told(cudaError_t error) { puts(cudaGetErrorName(error)); }

float* memory() {
  float* x = nullptr;
  CHECK(cudaMalloc(&x, bytes));
  CHECK(cudaMemset(x, 0, bytes));
  return x;
}

// Blocks that wait for each other, more and not more than a device holds at once.
unsigned held_blocks() {
  int each = 0, multiprocessors = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, meet, 32, 0));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  return unsigned(each * multiprocessors);
}
void cooperative(bool right) {
  float* x = memory();
  void* arguments[] = {&x};
  const unsigned blocks = right ? 64 : held_blocks() + 1;
  told(cudaLaunchCooperativeKernel((void*)meet, dim3(blocks), dim3(32), arguments, 0, nullptr));
}
void cooperative_attribute(bool right) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(right ? 64 : held_blocks() + 1);
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  told(cudaLaunchKernelEx(&config, meet, memory()));
}

// Which error it is: sizes that no device takes, and what this kernel cannot have.
void sizes(bool right) {
  float* x = memory();
  fill<<<1, right ? 1024 : 1025>>>(x);
  told(cudaGetLastError());
  fill<<<right, 32>>>(x);
  told(cudaGetLastError());
  fill_bounded<<<1, right ? 128 : 129>>>(x);
  told(cudaGetLastError());
  fill<<<1, 32, right ? 48 << 10 : 49 << 10>>>(x);
  told(cudaGetLastError());
}

void stream_of_other_device(bool right) {
  float* x = memory();
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaSetDevice(!right));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaSetDevice(0));
  fill<<<4, 256, 0, stream>>>(x);
  told(cudaGetLastError());
  told(cudaEventRecord(event, stream));
}

int main(int words, char** word) {
  const std::map<std::string, void (*)(bool)> programs = {
      {"cooperative", cooperative},
      {"cooperative-attribute", cooperative_attribute},
      {"sizes", sizes},
      {"stream-of-other-device", stream_of_other_device},
  };
  std::string name = words > 1 ? word[1] : "";
  const bool right = name.ends_with("-right");
  if (right) name.resize(name.size() - 6);
  programs.at(name)(right);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
