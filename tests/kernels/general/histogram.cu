// How often each of 64 values occurs: counted in shared memory by atomics, then added up over the blocks.
//
//   out[v] += number of i with x[i] = v
//
// x i32 [count] with values in [0, 64), out i32 [64], zero before. Grid (blocks), block 128; each block counts every
// gridDim.x-th stretch of 128 values.
enum Fault { None, PlainShared, PlainGlobal, UnsetBins, UnguardedValue };

template <Fault fault>
__device__ __forceinline__ void histogram(const int* x, int* out, int count) {
  __shared__ int bins[64];
  if (fault != UnsetBins && threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int index = blockIdx.x * 128 + threadIdx.x; index < count; index += gridDim.x * 128) {
    const int value = x[index];
    if (fault != UnguardedValue && (value < 0 || value >= 64)) continue;
    if (fault == PlainShared) {
      bins[value] += 1;
    } else {
      atomicAdd(&bins[value], 1);
    }
  }
  __syncthreads();
  if (threadIdx.x >= 64) return;
  if (fault == PlainGlobal) {
    out[threadIdx.x] += bins[threadIdx.x];
  } else {
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
  }
}

#define HISTOGRAM(name, fault) \
  extern "C" __global__ void name(const int* x, int* out, int count) { histogram<fault>(x, out, count); }

HISTOGRAM(histogram, None)
HISTOGRAM(histogram_plain_shared, PlainShared)
HISTOGRAM(histogram_plain_global, PlainGlobal)
HISTOGRAM(histogram_unset_bins, UnsetBins)
HISTOGRAM(histogram_unguarded_value, UnguardedValue)
