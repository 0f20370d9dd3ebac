// Prefix sums of each block's 256 numbers: within warps by shuffles, then over the eight warps' totals.
//
//   out[i] = sum of x[j] over all j <= i of the same block
//
// x, out i32 [count]. Grid (blocks), block 256.
enum Fault { None, MissingBarrier, InactiveLane, Exclusive };

template <Fault fault>
__device__ __forceinline__ void scan_blocks(const int* x, int* out, int count) {
  __shared__ int totals[8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, index = blockIdx.x * 256 + threadIdx.x;
  const int own = index < count ? x[index] : 0;
  int sum = own;
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(0xffffffff, sum, distance);
    if (lane >= distance) sum += other;
  }
  if (fault == InactiveLane && index < count) {
    // From the end: lanes past `count` are not here, and are asked for what is left of the warp.
    int rest = own;
    for (int distance = 1; distance < 32; distance *= 2) {
      const int other = __shfl_down_sync(__activemask(), rest, distance);
      if (lane + distance < 32) rest += other;
    }
    const int total = __shfl_sync(__activemask(), rest, 0);
    if (lane == 0) totals[warp] = total;
    sum = total - rest + own;
  } else if (fault != InactiveLane && lane == 31) {
    totals[warp] = sum;
  }
  if (fault != MissingBarrier) __syncthreads();
  int before = 0;
  for (int other = 0; other < warp; ++other) before += totals[other];
  if (index < count) out[index] = before + sum - (fault == Exclusive ? own : 0);
}

#define SCAN_BLOCKS(name, fault) \
  extern "C" __global__ void name(const int* x, int* out, int count) { scan_blocks<fault>(x, out, count); }

SCAN_BLOCKS(scan_blocks, None)
SCAN_BLOCKS(scan_blocks_missing_barrier, MissingBarrier)
SCAN_BLOCKS(scan_blocks_inactive_lane, InactiveLane)
SCAN_BLOCKS(scan_blocks_exclusive, Exclusive)
