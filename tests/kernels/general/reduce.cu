// The sum of each block's 256 numbers, by a tree in shared memory.
//
//   out[b] = sum of x[256 b .. 256 b + 255], numbers from `count` on counting as 0
//
// x f32 [count], out f32 [blocks]. Grid (blocks), block 256.
enum Fault { None, MissingBarrier, OffByOne, BarrierInBranch, UnsetTail };

template <Fault fault>
__device__ __forceinline__ void sum_blocks(const float* x, float* out, int count) {
  __shared__ float partial[256];
  const int thread = threadIdx.x, index = blockIdx.x * 256 + thread;
  if (fault == OffByOne) {
    partial[thread] = index <= count ? x[index] : 0;
  } else if (fault == UnsetTail) {
    if (index < count) partial[thread] = x[index];
  } else {
    partial[thread] = index < count ? x[index] : 0;
  }
  __syncthreads();
  for (int stride = 128; stride > 0; stride /= 2) {
    if (thread < stride) {
      partial[thread] += partial[thread + stride];
      if (fault == BarrierInBranch) __syncthreads();
    }
    if (fault != MissingBarrier && fault != BarrierInBranch) __syncthreads();
  }
  if (thread == 0) out[blockIdx.x] = partial[0];
}

#define SUM_BLOCKS(name, fault) \
  extern "C" __global__ void name(const float* x, float* out, int count) { sum_blocks<fault>(x, out, count); }

SUM_BLOCKS(sum_blocks, None)
SUM_BLOCKS(sum_blocks_missing_barrier, MissingBarrier)
SUM_BLOCKS(sum_blocks_off_by_one, OffByOne)
SUM_BLOCKS(sum_blocks_barrier_in_branch, BarrierInBranch)
SUM_BLOCKS(sum_blocks_unset_tail, UnsetTail)
