// Threads that meet in global memory.

// Block b writes places 32 b .. 32 b + 31 and `more` places after them, each with its number of the block times `step`.
extern "C" __global__ void write_rows(int* out, int more, int step) {
  for (int n = threadIdx.x; n < 32 + more; n += 32) {
    const int place = blockIdx.x * 32 + n;
    if (place < gridDim.x * 32) out[place] = 5 + blockIdx.x * step;  // the write of a row
  }
}

// Block b writes 32 places from `apart` b on.
extern "C" __global__ void write_apart(int* out, int apart) {
  out[blockIdx.x * apart + threadIdx.x] = blockIdx.x;  // the write of a place
}

// Block b writes its places of `kept` and reads those of the block `away` before it.
extern "C" __global__ void read_row_of_another(int* kept, int* out, int away) {
  const int place = blockIdx.x * 32 + threadIdx.x;
  kept[place] = place;
  const int from = (place + gridDim.x * 32 - away * 32) % (gridDim.x * 32);
  out[place] = kept[from];  // the read of a row
}

// Threads of one block that hand on values by global memory.
template <bool barrier>
__device__ __forceinline__ void hand_on(int* kept, int* out) {
  kept[threadIdx.x] = 3 * threadIdx.x;
  if (barrier) __syncthreads();
  out[threadIdx.x] = kept[63 - threadIdx.x];  // the read of what is handed on
}
extern "C" __global__ void hand_on_without_barrier(int* kept, int* out) { hand_on<false>(kept, out); }
extern "C" __global__ void hand_on_with_barrier(int* kept, int* out) { hand_on<true>(kept, out); }

// Every block counts.
extern "C" __global__ void count_atomically(int* out) { atomicAdd(out, 1); }
extern "C" __global__ void count_plainly(int* out) {
  if (threadIdx.x == 0) *out = *out + 1;  // the plain count
}
// One block resets what the others count.
extern "C" __global__ void count_and_reset(int* out) {
  if (blockIdx.x == 0) *out = 0;  // the reset
  else atomicAdd(out, 1);
}
