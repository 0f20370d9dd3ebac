// Blocks that write where earlier ones have read, behind messages that release nothing: a load before a barrier has its
// value by the time of what comes behind the barrier. What was written is not ordered so.
#include "tests/data/machine/soundness/pair.h"

static __device__ __forceinline__ void send(int* at, int value) { *reinterpret_cast<volatile int*>(at) = value; }
static __device__ __forceinline__ void wait_for(int* at, int value) {
  while (*reinterpret_cast<volatile int*>(at) != value) {
  }
}

// written_where_others_have_read: grid 2 block 64; finds global-race
PAIR(written_where_others_have_read) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    const int value = work[t];
    if (!wrong) __syncthreads();
    if (t == 0) send(work + 1000, 1);
    out[t] = value + 1;
  } else {
    if (t == 0) wait_for(work + 1000, 1);
    __syncthreads();
    work[t] = 5;
  }
}

// What one block has written, and another one uses behind a message.
template <class Use>
static __device__ __forceinline__ void behind_a_message(int* work, bool fences, Use use) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    work[t] = t + 5;
    __syncthreads();
    if (t == 0) {
      if (fences) __threadfence();
      send(work + 1000, 1);
    }
  } else {
    if (t == 0) {
      wait_for(work + 1000, 1);
      if (fences) __threadfence();
    }
    __syncthreads();
    use(t);
  }
}

// read_where_others_have_written: grid 2 block 64; finds global-race; lacks release and acquire
PAIR(read_where_others_have_written) {
  behind_a_message(work, !wrong, [&](int t) { out[t] = work[t]; });
}

// written_where_others_have_written: grid 2 block 64; finds global-race; lacks release and acquire
PAIR(written_where_others_have_written) {
  behind_a_message(work, !wrong, [&](int t) { work[t] = t + 6; });
}

// from_block_to_block: grid 4 block 64; finds global-race
PAIR(from_block_to_block) {
  const int t = threadIdx.x, b = blockIdx.x;
  const int value = work[64 * b + t];
  __syncthreads();
  if (t == 0) {
    if (b > 0 && !(wrong && b == 2)) wait_for(work + 1000 + b - 1, 1);
    send(work + 1000 + b, 1);
  }
  __syncthreads();
  out[64 * b + t] = value;
  if (b == 3) work[t] = 7;
}

// read_again_behind_the_message: grid 2 block 64; finds global-race
PAIR(read_again_behind_the_message) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    int value = work[t];
    __syncthreads();
    if (t == 0) send(work + 1000, 1);
    if (wrong) value += *const_cast<volatile int*>(work + t);
    out[t] = value;
  } else {
    if (t == 0) wait_for(work + 1000, 1);
    __syncthreads();
    work[t] = 5;
  }
}

// without_a_look: grid 2 block 64; finds global-race
PAIR(without_a_look) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    const int value = work[t];
    __syncthreads();
    if (t == 0) send(work + 1000, 1);
    out[t] = value;
  } else {
    if (t == 0 && !wrong) wait_for(work + 1000, 1);
    if (t == 0 && wrong) wait_for(work + 1001, 0);
    __syncthreads();
    work[t] = 5;
  }
}

// message_to_the_own_block: grid 2 block 64; finds global-race; lacks device
PAIR(message_to_the_own_block) {
  const int t = threadIdx.x;
  int* const at = work + 1000;
  if (blockIdx.x == 0) {
    const int value = work[t];
    __syncthreads();
    if (t == 0) {
      if (wrong) asm volatile("st.relaxed.cta.global.s32 [%0], 1;" ::"l"(at) : "memory");
      else asm volatile("st.relaxed.gpu.global.s32 [%0], 1;" ::"l"(at) : "memory");
    }
    out[t] = value;
  } else {
    if (t == 0) wait_for(at, 1);
    __syncthreads();
    work[t] = 5;
  }
}
