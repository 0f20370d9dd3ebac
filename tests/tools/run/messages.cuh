// Messages from block to block.
#pragma once
#include <type_traits>

// Block 0 sends a word for each thread, of which those past `known` are not set; block 1 copies the first `read` of them.
template <int count, class Box>
__device__ void send(Box* box, int* flag, auto* out, int known, int read) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    __shared__ std::remove_volatile_t<Box> words[count];
    if (t < known) words[t] = t;
    __syncthreads();
    box[t] = words[t];  // at: message
    __threadfence();
    __syncthreads();
    if (t == 0) atomicExch(flag, 1);
    return;
  }
  if (t == 0) while (atomicAdd(flag, 0) == 0);
  __threadfence();
  __syncthreads();
  const auto got = box[t];
  out[t] = t < read ? got : 0;
}
