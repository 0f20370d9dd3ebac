// Programs for rope-check run that launch a kernel several times: each by its name on the command line.
#include <string>

#include "tests/tools/run/checked_call.cuh"

__global__ void reverse(const float* x, float* y) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  tile[t] = x[t];
  y[t] = tile[blockDim.x - 1 - t];  // at:reversed
}

__global__ void pick(const float* x, const float* w, float* y, int first) {
  const int t = threadIdx.x;
  y[t] = t;
  if (x[t] > 1) y[t] = 2;           // at:undefined
  if (w[first + t] > 0) y[t] += 1;  // at:weights
}

__global__ void use(const float* y, float* z) {
  const int t = threadIdx.x;
  if (y[t] >= 0) z[t] = 1;  // at:used
}

__global__ void collect(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x] + blockIdx.x; }  // at:collected

// pick makes the same finding in every launch, and some others in the last one.
void pick_often(const std::string& name, int times, float* zeros, float* y) {
  float* nothing;
  CHECK(cudaMalloc(&nothing, 64 * sizeof(float)));
  float* const x = name == "pick-right" ? zeros : nothing;
  const int threads = name == "pick-half" ? 32 : 64;
  for (int n = 0; n < times; ++n) pick<<<1, threads>>>(x, zeros, y, 0);
  if (name == "pick-outside") pick<<<1, 64>>>(x, zeros, y, 1);
  if (name == "pick-weights") pick<<<1, 64>>>(x, nothing, y, 0);
  if (name == "pick-all" || name == "pick-half") use<<<1, 64>>>(y, zeros);
}

int main(int, char** arguments) {
  std::string name = arguments[1];
  const bool are_many = name.ends_with("-many");
  if (are_many) name.resize(name.size() - 5);
  const int times = are_many ? 2000 : 20;
  float *x, *y;
  CHECK(cudaMalloc(&x, 64 * sizeof(float)));
  CHECK(cudaMalloc(&y, 64 * sizeof(float)));
  CHECK(cudaMemset(x, 0, 64 * sizeof(float)));
  if (name.starts_with("pick")) {
    pick_often(name, times, x, y);
    CHECK(cudaDeviceSynchronize());
    return 0;
  }
  if (name == "collect") {
    for (int n = 0; n < times; ++n) collect<<<2, 64>>>(x, y);
    CHECK(cudaDeviceSynchronize());
    return 0;
  }
  if (name == "often" || name == "often-then-small") {
    for (int n = 0; n < times; ++n) reverse<<<1, 64>>>(x, y);
  }
  // Lanes of one warp race with a warning, those of two warps with an error.
  if (name != "large" && name != "often") reverse<<<1, 32>>>(x, y);
  if (!name.ends_with("small") && name != "often") reverse<<<1, 64>>>(x, y);
  if (name == "in-turn") reverse<<<1, 32>>>(x, y);
  CHECK(cudaDeviceSynchronize());
}
