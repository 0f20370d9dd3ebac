// Where a NaN or an infinity comes from. Outputs are finite.
#include <math_constants.h>

// out = x / y
extern "C" __global__ void divide(const float* x, const float* y, float* out) {
  out[threadIdx.x] = x[threadIdx.x] / y[threadIdx.x];  // the division
}

// out = exp(x - x's infinity)
extern "C" __global__ void subtract_limits(const float* x, float* out, float limit) {
  const float largest = fmaxf(x[threadIdx.x], limit);
  const float difference = x[threadIdx.x] - largest;  // the difference
  out[threadIdx.x] = __expf(difference);
}

extern "C" __global__ void logarithm(const float* x, float* out) {
  out[threadIdx.x] = __log2f(x[threadIdx.x]);  // the logarithm
}

// A constant infinity that is replaced before it is stored, or is not.
extern "C" __global__ void smallest_of_some(const float* x, float* out, int count) {
  float smallest = CUDART_INF_F;
  for (int n = 0; n < count; ++n) smallest = fminf(smallest, x[32 * n + threadIdx.x]);
  out[threadIdx.x] = count ? smallest : 0;
}

// Softmax of a row of 32; columns from `count` on are masked with -infinity.
extern "C" __global__ void masked_softmax(const float* x, float* out, int count) {
  const float value = threadIdx.x < count ? x[threadIdx.x] : -CUDART_INF_F;
  float largest = value, sum;
  for (int d = 16; d > 0; d /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, d));
  const float weight = __expf(value - largest);  // the weight
  sum = weight;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  out[threadIdx.x] = weight / sum;
}

// Through shared memory and a second loop: the origin is where the NaN was made, not where it was stored.
extern "C" __global__ void root_by_tile(const float* x, float* out) {
  __shared__ float tile[32];
  tile[threadIdx.x] = sqrtf(x[threadIdx.x]);  // the root
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x] * 2 + 1;
}
