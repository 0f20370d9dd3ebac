// Rings whose producer may go too far ahead: the fault shows only where a consumer is held between its look and its read
// for as long as the producer can go on.
#include "tests/data/machine/soundness/pair.h"

// One block sends to another through `room` slots of global memory.
template <int room, int ahead>
static __device__ void between_blocks(int* out, int* work) {
  constexpr int messages = 4 * room;
  int *const head = work + 1000, *const tail = work + 1001;
  if (threadIdx.x) return;
  for (int i = 0; i < messages; ++i) {
    if (blockIdx.x == 0) {
      while (i - acquire(tail) >= ahead) {
      }
      work[i % room] = 3 * i;
      release(head, i + 1);
    } else {
      while (acquire(head) <= i) {
      }
      out[i] = work[i % room];
      release(tail, i + 1);
    }
  }
}

// ring_one_too_full: grid 2 block 32; finds global-race
PAIR(ring_one_too_full) { between_blocks<4, wrong ? 5 : 4>(out, work); }

// ring_of_8: grid 2 block 32; finds global-race
PAIR(ring_of_8) { between_blocks<8, wrong ? 9 : 8>(out, work); }

// ring_of_16: grid 2 block 32; finds global-race
PAIR(ring_of_16) { between_blocks<16, wrong ? 18 : 16>(out, work); }

// One warp sends tiles to another through shared memory.
template <int room, int ahead>
static __device__ void between_warps(const int* in, int* out, int messages) {
  __shared__ int slots[room][32];
  __shared__ volatile int head, tail;
  if (threadIdx.x == 0) head = tail = 0;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  for (int i = 0; i < messages; ++i) {
    if (threadIdx.x < 32) {
      while (i - tail >= ahead) {
      }
      __threadfence_block();
      __syncwarp();
      slots[i % room][lane] = in[i * 32 + lane];
      __threadfence_block();
      __syncwarp();
      if (lane == 0) head = i + 1;
    } else {
      while (head <= i) {
      }
      __threadfence_block();
      __syncwarp();
      out[i * 32 + lane] = slots[i % room][lane ^ 1];
      __threadfence_block();
      __syncwarp();
      if (lane == 0) tail = i + 1;
    }
  }
}

// ring_of_6_tiles: grid 1 block 64; finds shared-race
PAIR(ring_of_6_tiles) { between_warps<6, wrong ? 7 : 6>(in, out, 20); }

// ring_of_12_tiles: grid 1 block 64; finds shared-race
PAIR(ring_of_12_tiles) { between_warps<12, wrong ? 13 : 12>(in, out, 40); }

// A producer that does not look at how far the slower of two consumers is.
// ring_for_two: grid 3 block 32; finds global-race
PAIR(ring_for_two) {
  constexpr int room = 8, messages = 32;
  int *const head = work + 1000, *const tails = work + 1001;
  if (threadIdx.x) return;
  for (int i = 0; i < messages; ++i) {
    if (blockIdx.x == 0) {
      while (i - acquire(tails) >= room || (!wrong && i - acquire(tails + 1) >= room)) {
      }
      work[i % room] = 3 * i;
      release(head, i + 1);
    } else {
      while (acquire(head) <= i) {
      }
      out[blockIdx.x * messages + i] = work[i % room];
      release(tails + blockIdx.x - 1, i + 1);
    }
  }
}
