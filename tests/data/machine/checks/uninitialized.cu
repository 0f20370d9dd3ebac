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

// --- what is read and does not matter is not spoken of ---

__device__ __forceinline__ unsigned shared_address(const void* p) { return unsigned(__cvta_generic_to_shared(p)); }

// Scores of 16 queries and 8 keys of 16 numbers each, as attention kernels compute them: rows past the last query and
// the last key are never copied, but loaded as fragments and multiplied. Columns from `masked` on are left out; then the
// sums of the rows go through shared memory, and the first `stored` are stored.
extern "C" __global__ void sum_scores(const unsigned short* q, const unsigned short* k, float* out, int queries, int keys,
                                      int masked, int stored) {
  __shared__ __align__(16) unsigned short tile_q[16][16], tile_k[8][16];
  __shared__ float sums[16];
  const int lane = threadIdx.x;
  for (int i = lane; i < queries * 16; i += 32) tile_q[i / 16][i % 16] = q[i];
  for (int i = lane; i < keys * 16; i += 32) tile_k[i / 16][i % 16] = k[i];
  __syncthreads();
  unsigned a[4], b[2];
  const unsigned at_q = shared_address(&tile_q[lane % 16][lane / 16 * 8]);
  const unsigned at_k = shared_address(&tile_k[lane % 8][lane / 8 % 2 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(at_q));  // the fragment of queries
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(b[0]), "=r"(b[1]) : "r"(at_k));  // the fragment of keys
  float d[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  const int column = lane % 4 * 2;
  for (int i = 0; i < 4; ++i) d[i] = column + i % 2 < masked ? d[i] : 0.0f;
  float upper = d[0] + d[1], lower = d[2] + d[3];
  for (int other = 1; other < 4; other *= 2) {
    upper += __shfl_xor_sync(0xffffffffu, upper, other);
    lower += __shfl_xor_sync(0xffffffffu, lower, other);
  }
  if (lane % 4 == 0) {
    sums[lane / 4] = upper;
    sums[lane / 4 + 8] = lower;
  }
  __syncthreads();
  if (lane < 16) {
    const float sum = sums[lane];
    if (lane < stored) out[lane] = sum;
  }
}

// Products of 16 rows and 8 columns of 32 bytes each. Rows of x from `rows` on are never copied; the sums of the first
// `stored` are stored.
extern "C" __global__ void multiply_bytes(const int* x, const int* y, int* out, int rows, int stored) {
  __shared__ int tile_x[16][8], tile_y[8][8];
  const int lane = threadIdx.x, group = lane / 4, four = lane % 4;
  for (int i = lane; i < rows * 8; i += 32) tile_x[i / 8][i % 8] = x[i];  // the copy of the bytes of x
  for (int i = lane; i < 64; i += 32) tile_y[i / 8][i % 8] = y[i];
  __syncthreads();
  int a[4], b[2], d[4] = {0, 0, 0, 0};
  for (int n = 0; n < 4; ++n) a[n] = tile_x[group + n % 2 * 8][four + n / 2 * 4];  // the fragment of bytes of x
  for (int n = 0; n < 2; ++n) b[n] = tile_y[group][four + n * 4];
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  for (int i = 0; i < 4; ++i) {
    const int row = group + i / 2 * 8;
    if (row < stored) out[row * 8 + four * 2 + i % 2] = d[i];
  }
}

// Every lane reads the tile, and takes what lane threadIdx.x % lanes has read.
extern "C" __global__ void read_through_shuffle(float* out, int written, int lanes) {
  __shared__ float tile[32];
  if (threadIdx.x < written) tile[threadIdx.x] = float(threadIdx.x);
  __syncthreads();
  const float value = tile[threadIdx.x];  // the read for others
  out[threadIdx.x] = __shfl_sync(0xffffffffu, value, threadIdx.x % lanes);
}

// A word that is masked away is as good as any.
extern "C" __global__ void read_under_a_mask(const unsigned* masks, unsigned* out, int written) {
  __shared__ unsigned tile[32];
  if (threadIdx.x < written) tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  unsigned value = tile[threadIdx.x];  // the read of the masked word
  asm volatile("and.b32 %0, %0, %1;" : "+r"(value) : "r"(masks[threadIdx.x]));
  out[threadIdx.x] = value;
}

// A tile that is copied from a tensor nobody wrote all of, and summed up to `count`.
extern "C" __global__ void sum_of_a_copy(float* kept, float* out, int written, int count) {
  __shared__ __align__(16) float tile[128];
  if (threadIdx.x * 4 < written) reinterpret_cast<float4*>(kept)[threadIdx.x] = make_float4(1, 2, 3, 4);
  __syncthreads();
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
               :: "r"(shared_address(&tile[threadIdx.x * 4])), "l"(kept + threadIdx.x * 4));  // the copy of what was kept
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    const float value = tile[threadIdx.x + i * 32];
    sum += threadIdx.x + i * 32 < count ? value : 0.0f;
  }
  out[threadIdx.x] = sum;
}

// The rounds of a loop over what was read, stored where threadIdx.x < stored.
extern "C" __global__ void rounds_of_what_was_read(float* out, int written, int stored) {
  __shared__ float tile[32];
  if (threadIdx.x < written) tile[threadIdx.x] = float(threadIdx.x);
  __syncthreads();
  float value = tile[threadIdx.x];  // the read that decides
  int rounds = 0;
  for (; value > 0.5f && rounds < 100; value *= 0.25f) {
    ++rounds;
    asm volatile("");
  }
  if (threadIdx.x < stored) out[threadIdx.x] = float(rounds);
}

// A store that what was read decides upon.
extern "C" __global__ void store_by_what_was_read(float* out, int written) {
  __shared__ float tile[32];
  if (threadIdx.x < written) tile[threadIdx.x] = float(threadIdx.x);
  __syncthreads();
  if (tile[threadIdx.x] > 5.0f) out[threadIdx.x] = 1;  // the read for the store
}
