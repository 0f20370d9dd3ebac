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

__global__ void use_then_wait(const int* x, int* y) {
  const int mine = x[threadIdx.x];
  cudaGridDependencySynchronize();
  y[threadIdx.x] = mine + 1;
}
__global__ void write_then_wait(const int* x, int* y) {
  y[threadIdx.x] = 0;
  cudaGridDependencySynchronize();
  y[threadIdx.x] += x[threadIdx.x] + 1;
}
// What does not come from the kernel before is read first, as weights are.
__global__ void load_then_wait(const int* weight, const int* x, int* y) {
  __shared__ int staged[count];
  staged[threadIdx.x] = weight[threadIdx.x];
  __syncthreads();
  const int mine = staged[count - 1 - threadIdx.x];
  cudaGridDependencySynchronize();
  y[threadIdx.x] = x[threadIdx.x] + 1 + mine;
}
// One thread waits, and the others learn of it by a barrier.
__global__ void one_waits(const int* x, int* y) {
  if (threadIdx.x == 0) cudaGridDependencySynchronize();
  __syncthreads();
  y[threadIdx.x] = x[threadIdx.x] + 1;
}
// A warp waits and hands over by a barrier of its own text; the others never execute the wait.
__global__ void producer_and_consumers(const int* x, int* y) {
  __shared__ int staged[32];
  if (threadIdx.x < 32) {
    cudaGridDependencySynchronize();
    staged[threadIdx.x] = x[count - 32 + threadIdx.x];
    asm volatile("barrier.cta.sync 1, 256;" ::: "memory");
  } else {
    asm volatile("barrier.cta.sync 1, 256;" ::: "memory");
    y[threadIdx.x] = staged[threadIdx.x % 32] + x[threadIdx.x] - x[threadIdx.x] + 1;
  }
}
__global__ void trigger_then_wait(const int* x, int* y) {
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  y[threadIdx.x] = x[threadIdx.x] + 1;
}
__global__ void wait_then_trigger(const int* x, int* y) {
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
  y[threadIdx.x] = x[threadIdx.x] + 1;
}
// What lets others begin, or waits, is executed or not.
__global__ void produce_and_may_trigger(int* x, bool triggers) {
  if (triggers) cudaTriggerProgrammaticLaunchCompletion();
  x[threadIdx.x] = threadIdx.x;
}
__global__ void may_wait_and_use(const int* x, int* y, bool waits) {
  if (waits) cudaGridDependencySynchronize();
  y[threadIdx.x] = x[threadIdx.x] + 1;
}
__device__ __noinline__ void trigger() { cudaTriggerProgrammaticLaunchCompletion(); }
__global__ void trigger_by_call_then_wait(const int* x, int* y) {
  trigger();
  cudaGridDependencySynchronize();
  y[threadIdx.x] = x[threadIdx.x] + 1;
}
__global__ void load_two_then_wait(const int* first, const int* second, int* y) {
  const int mine = first[threadIdx.x];
  cudaGridDependencySynchronize();
  y[threadIdx.x] = mine + second[threadIdx.x];
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

// An event that is recorded when the kernel lets others begin is not there.
void launch_with_event(cudaStream_t stream, int* x) {
  cudaEvent_t event;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticEvent;
  attribute.val.programmaticEvent.event = event;
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = count;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  std::printf("%s\n", cudaGetErrorName(cudaLaunchKernelEx(&config, produce, x)));
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
  if (name == "event") return launch_with_event(stream, x), 0;
  if (name == "triggers-never" || name == "triggers")
    produce_and_may_trigger<<<1, count, 0, stream>>>(x, name == "triggers");
  else if (name == "to-the-end")
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
  } else if (name == "reads-early") {
    launch(stream, true, use_then_wait, from, y);
  } else if (name == "writes-early") {
    launch(stream, true, write_then_wait, static_cast<const int*>(z), x);
  } else if (name == "loads-weights-early") {
    launch(stream, true, load_then_wait, static_cast<const int*>(z), from, y);
  } else if (name == "one-waits") {
    launch(stream, true, one_waits, from, y);
  } else if (name == "hands-over") {
    launch(stream, true, producer_and_consumers, from, y);
  } else if (name == "waits-by-flag" || name == "waits-never") {
    launch(stream, true, may_wait_and_use, from, y, name == "waits-by-flag");
  } else if (name == "chain" || name == "chain-by-call" || name == "ordered-chain") {
    const auto between = name == "chain"           ? trigger_then_wait
                         : name == "chain-by-call" ? trigger_by_call_then_wait
                                                   : wait_then_trigger;
    launch(stream, true, between, from, y);
    launch(stream, true, load_two_then_wait, from, static_cast<const int*>(y), z);
    y = z;
  } else {
    launch(stream, name != "not-allowed", use, from, y);
  }
  CHECK(cudaDeviceSynchronize());
  int last;
  CHECK(cudaMemcpy(&last, y + count - 1, sizeof last, cudaMemcpyDeviceToHost));
  std::printf("%d\n", last);
}
