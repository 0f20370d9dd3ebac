// Reads of what nobody wrote.

// out[i] = 2 x[i]
extern "C" __global__ void read_global(const float* x, float* out) {
  out[threadIdx.x] = 2 * x[threadIdx.x];  // the read
}

// The first `written` numbers of `kept` are written, then the first `count` are read. Lanes that do not read are not
// spoken of.
extern "C" __global__ void read_written(float* kept, float* out, int written, int count) {
  if (threadIdx.x < written) kept[threadIdx.x] = float(threadIdx.x);
  float value = 0;
  if (threadIdx.x < count) value = kept[threadIdx.x];  // the read of what was kept
  out[threadIdx.x] = value;
}

extern "C" __global__ void read_shared(float* out, int written) {
  __shared__ float tile[32];
  if (threadIdx.x < written) tile[threadIdx.x] = float(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x];  // the read of the tile
}

extern "C" __global__ void read_local(const int* order, float* out, int written) {
  float kept[8];
  for (int n = 0; n < written; ++n) kept[order[n]] = float(n);
  float sum = 0;
  for (int n = 0; n < 8; ++n) sum += kept[order[n]];  // the read of the array
  out[threadIdx.x] = sum;
}

// `bytes` of the four bytes of a word are written, then the word is read.
extern "C" __global__ void read_word_of_bytes(unsigned char* kept, unsigned* out, int bytes) {
  for (int n = 0; n < bytes; ++n) kept[4 * threadIdx.x + n] = n;
  out[threadIdx.x] = *reinterpret_cast<const unsigned*>(kept + 4 * threadIdx.x);  // the read of the word
}

extern "C" __global__ void read_shared_word_of_bytes(unsigned* out, int bytes) {
  __shared__ __align__(4) unsigned char kept[128];
  for (int n = 0; n < bytes; ++n) kept[4 * threadIdx.x + n] = n;
  __syncthreads();
  out[threadIdx.x] = *reinterpret_cast<const unsigned*>(kept + 4 * threadIdx.x);  // the read of the shared word
}

// What a register holds that nobody wrote, or zero.
template <bool written>
__device__ __forceinline__ int unset_register() {
  int value;
  if (written) asm volatile("{ .reg .b32 unset; mov.b32 unset, 0; mov.b32 %0, unset; }" : "=r"(value));
  else asm volatile("{ .reg .b32 unset; mov.b32 %0, unset; }" : "=r"(value));
  return value;
}

template <bool written>
__device__ __forceinline__ void register_as_address(const float* x, float* out) {
  out[threadIdx.x] = x[unset_register<written>() + threadIdx.x];  // the address
}
extern "C" __global__ void unset_as_address(const float* x, float* out) { register_as_address<false>(x, out); }
extern "C" __global__ void set_as_address(const float* x, float* out) { register_as_address<true>(x, out); }

template <bool written>
__device__ __forceinline__ void register_as_branch(float* out) {
  float value = threadIdx.x;
  for (int n = unset_register<written>(); n < 3; ++n) value = sinf(value);  // the branch
  out[threadIdx.x] = value;
}
extern "C" __global__ void unset_as_branch(float* out) { register_as_branch<false>(out); }
extern "C" __global__ void set_as_branch(float* out) { register_as_branch<true>(out); }

template <bool written>
__device__ __forceinline__ void register_as_value(int* out) {
  out[threadIdx.x] = unset_register<written>() + 1;  // the value
}
extern "C" __global__ void unset_as_value(int* out) { register_as_value<false>(out); }
extern "C" __global__ void set_as_value(int* out) { register_as_value<true>(out); }

// Registers that nobody wrote and that nothing depends on.
extern "C" __global__ void unset_without_use(int* out, int never) {
  const int value = unset_register<false>() * 3;
  out[threadIdx.x] = never ? value : 7;
}
