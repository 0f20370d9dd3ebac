// Programs whose kernels store what nobody wrote in memory of the device: for deferred_test.py, which runs each by its
// name.
#include <string>

#include "tests/tools/run/checked_call.cuh"

constexpr int count = 128, known = 100;

// Of the tile only the first `known` elements are set.
__global__ void fill(float* out) {
  __shared__ float tile[count];
  const int t = threadIdx.x;
  if (t < known) tile[t] = t;
  __syncthreads();
  out[t] = tile[t];  // at: fill
}

__global__ void twice(const float* in, float* out, int read) {
  const int t = threadIdx.x;
  const float value = in[t];  // at: twice
  out[t] = t < read ? 2 * value : 0;
}

__global__ void branch(const float* in, float* out, int read) {
  const int t = threadIdx.x;
  if (t < read && in[t] >= 0) out[t] = 1;
}

// A tile that is too large for shared memory.
__global__ void spill(float* scratch, float* out, int read) {
  __shared__ float tile[count];
  const int t = threadIdx.x;
  if (t < known) tile[t] = t;
  __syncthreads();
  scratch[t] = tile[t];  // at: spill
  __syncthreads();
  out[t] = t < read ? scratch[t ^ 1] : 0;
}

// Block 0 writes a tile, the other reads it.
__global__ void hand_over(float* scratch, int* flag, float* out, int read) {
  __shared__ float tile[count];
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    if (t < known) tile[t] = t;
    __syncthreads();
    scratch[t] = tile[t];  // at: hand over
    __threadfence();
    __syncthreads();
    if (t == 0) atomicExch(flag, 1);
    return;
  }
  if (t == 0) while (atomicAdd(flag, 0) == 0);
  __threadfence();
  __syncthreads();
  const float value = scratch[t];
  out[t] = t < read ? value : 0;
}

__global__ void in_place(float* x) {
  x[threadIdx.x] *= 2;  // at: in place
}

struct Pair {
  double sum;
  int number;
};

// The four bytes behind the number are nobody's.
__global__ void add(Pair* out, int without) {
  __shared__ Pair pairs[count];
  const int t = threadIdx.x;
  pairs[t].sum = t;
  if (t < count - without) pairs[t].number = 1;
  __syncthreads();
  for (int half = count / 2; half > 0; half /= 2) {
    if (t < half) {
      pairs[t].sum += pairs[t + half].sum;
      pairs[t].number += pairs[t + half].number;  // at: add
    }
    __syncthreads();
  }
  if (t == 0) *out = pairs[0];  // at: whole pair
}

float *x, *y, *z, host[count];

void show(const float* from, int elements) {
  CHECK(cudaMemcpy(host, from, elements * sizeof(float), cudaMemcpyDeviceToHost));
  float sum = 0;
  for (int n = 0; n < elements; ++n) sum += host[n];
  printf("%g\n", sum);
}

void run(const std::string& name) {
  const bool is_wrong = name.ends_with("-wrong");
  const std::string what = name.substr(0, name.rfind('-'));
  if (what == "spill") return spill<<<1, count>>>(x, y, known + is_wrong), show(y, count);
  if (what == "hand_over") return hand_over<<<2, count>>>(x, (int*)z, y, known + is_wrong), show(y, count);
  if (what == "in_place") {
    if (!is_wrong) CHECK(cudaMemset(x, 0, sizeof host));
    return in_place<<<1, count>>>(x);
  }
  if (what == "pair") {
    Pair pair;
    add<<<1, count>>>((Pair*)x, is_wrong);
    CHECK(cudaMemcpy(&pair, x, sizeof pair, cudaMemcpyDeviceToHost));
    return (void)printf("%g\n", pair.sum);
  }
  fill<<<1, count>>>(x);
  if (what == "copy") return show(x, known + is_wrong);
  if (what == "kernel") return twice<<<1, count>>>(x, y, known + is_wrong), show(y, count);
  if (what == "branch") return branch<<<1, count>>>(x, z, known + is_wrong), show(z, known);
  if (what == "device_copy") {
    CHECK(cudaMemcpy(y, x, sizeof host, cudaMemcpyDeviceToDevice));
    return show(y, known + is_wrong);
  }
  if (what == "overwritten") {
    CHECK(cudaMemset(x, 0, (count - is_wrong) * sizeof(float)));
    return show(x, count);
  }
  if (what == "result") {  // that nobody looks at, or that is looked at in part
    if (!is_wrong) show(x, known);
    CHECK(cudaFree(x));
  }
}

int main(int words, char** word) {
  for (float** each : {&x, &y, &z}) CHECK(cudaMalloc(each, sizeof host));
  CHECK(cudaMemset(z, 0, sizeof host));
  run(words > 1 ? word[1] : "");
  CHECK(cudaDeviceSynchronize());
}
