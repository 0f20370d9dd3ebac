// Programs for rope-check run with programmatic dependent launches: each by its name on the command line.
#include <cstdio>
#include <string>

#include "tests/tools/run/checked_call.cuh"

constexpr int count = 256;

__global__ void produce(int* x) {
  cudaTriggerProgrammaticLaunchCompletion();
  x[threadIdx.x] = threadIdx.x;
}
__global__ void produce_to_the_end(int* x) { x[threadIdx.x] = threadIdx.x; }
__global__ void use(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x] + 1; }
__global__ void wait_and_use(const int* x, int* y) {
  cudaGridDependencySynchronize();
  y[threadIdx.x] = x[threadIdx.x] + 1;
}

template <class Kernel, class... Arguments>
void launch(cudaStream_t stream, bool may_overlap, Kernel kernel, Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = may_overlap;
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = count;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

int main(int, char** arguments) {
  const std::string name = arguments[1];
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  int *x, *y, *z;
  for (int** one : {&x, &y, &z}) CHECK(cudaMalloc(one, count * sizeof(int)));
  CHECK(cudaMemset(z, 0, count * sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  const int* const from = x;
  if (name == "to-the-end")
    produce_to_the_end<<<1, count, 0, stream>>>(x);
  else
    produce<<<1, count, 0, stream>>>(x);
  if (name == "waits")
    launch(stream, true, wait_and_use, from, y);
  else if (name == "other-memory")
    launch(stream, true, use, static_cast<const int*>(z), y);
  else if (name == "host-waits") {
    CHECK(cudaStreamSynchronize(stream));
    launch(stream, true, use, from, y);
  } else if (name == "third") {
    launch(stream, true, use, static_cast<const int*>(z), y);
    launch(stream, true, use, from, y);
  } else {
    launch(stream, name != "not-allowed", use, from, y);
  }
  CHECK(cudaDeviceSynchronize());
  int last;
  CHECK(cudaMemcpy(&last, y + count - 1, sizeof last, cudaMemcpyDeviceToHost));
  std::printf("%d\n", last);
}
