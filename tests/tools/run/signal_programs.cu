// Kernels in two streams that signal to each other by memory, or do not.
#include "tests/tools/run/by_name.cuh"
#include "tests/tools/run/checked_call.cuh"

namespace {

constexpr int bytes = 4096;

__global__ void publish(float* x, int* flag, bool is_right) {
  x[threadIdx.x] = 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (is_right) {
    atomicExch(flag, 1);
  } else {
    *flag = 1;
  }
}
__global__ void take(const float* x, float* y, int* flag) {
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
  y[threadIdx.x] = x[threadIdx.x];
}
// The last block adds up what all have; the counter is ready for the next launch then.
__global__ void add_up(const float* x, float* parts, unsigned* come, float* total) {
  parts[blockIdx.x] = x[blockIdx.x];
  __threadfence();
  if (atomicAdd(come, 1) != gridDim.x - 1) return;
  __threadfence();
  float sum = 0;
  for (unsigned n = 0; n < gridDim.x; ++n) sum += parts[n];
  *total = sum;
  *come = 0;
}

float* memory() {
  float* x = nullptr;
  CHECK(cudaMalloc(&x, bytes));
  CHECK(cudaMemset(x, 0, bytes));
  CHECK(cudaDeviceSynchronize());
  return x;
}
cudaStream_t stream() {
  cudaStream_t made;
  CHECK(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
  return made;
}

void flag(bool is_right) {
  float *x = memory(), *y = memory();
  int* flag = (int*)memory();
  const cudaStream_t a = stream(), b = stream();
  publish<<<1, 32, 0, a>>>(x, flag, is_right);
  take<<<1, 32, 0, b>>>(x, y, flag);
  CHECK(cudaDeviceSynchronize());
}
// One workspace for two streams, with its counter.
void one_workspace(bool is_right) {
  float *x = memory(), *totals = memory(), *parts = memory(), *others = is_right ? memory() : parts;
  unsigned* come = (unsigned*)memory();
  const cudaStream_t a = stream(), b = stream();
  add_up<<<4, 1, 0, a>>>(x, parts, come, totals);
  add_up<<<4, 1, 0, b>>>(x, others, is_right ? come + 1 : come, totals + 1);
  CHECK(cudaDeviceSynchronize());
}
// The second launch comes when the first one has reset the counter.
void workspace_in_turn(bool is_right) {
  float *x = memory(), *totals = memory(), *parts = memory();
  unsigned* come = (unsigned*)memory();
  const cudaStream_t a = stream(), b = stream();
  cudaEvent_t done;
  CHECK(cudaEventCreate(&done));
  add_up<<<4, 1, 0, a>>>(x, parts, come, totals);
  CHECK(cudaEventRecord(done, a));
  if (is_right) CHECK(cudaStreamWaitEvent(b, done, 0));
  add_up<<<4, 1, 0, b>>>(x, parts, come, totals + 1);
  CHECK(cudaDeviceSynchronize());
}

constexpr NamedProgram programs[] = {
    {"flag", flag}, {"one-workspace", one_workspace}, {"workspace-in-turn", workspace_in_turn}};

}  // namespace

int main(int, char** words) { return run_by_name(programs, words[1]); }
