// Programs for rope-check run that launch a kernel several times: each by its name on the command line.
#include <string>

#include "tests/tools/run/checked_call.cuh"

__global__ void reverse(const float* x, float* y) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  tile[t] = x[t];
  y[t] = tile[blockDim.x - 1 - t];  // at:reversed
}

int main(int, char** arguments) {
  const std::string name = arguments[1];
  float *x, *y;
  CHECK(cudaMalloc(&x, 64 * sizeof(float)));
  CHECK(cudaMalloc(&y, 64 * sizeof(float)));
  CHECK(cudaMemset(x, 0, 64 * sizeof(float)));
  // Lanes of one warp race with a warning, those of two warps with an error.
  if (name != "large") reverse<<<1, 32>>>(x, y);
  if (name != "small") reverse<<<1, 64>>>(x, y);
  if (name == "in-turn") reverse<<<1, 32>>>(x, y);
  CHECK(cudaDeviceSynchronize());
}
