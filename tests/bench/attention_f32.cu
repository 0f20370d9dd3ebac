// Attention forward in f32 by an online softmax, one warp a query row.
//
//   out[b, h, i, :] = sum over j of p[i, j] v[b, h, j, :],  p[i, j] = exp(s[i, j] - m[i]) / l[i]
//   s[i, j] = scale q[b, h, i, :] . k[b, h, j, :];  causal: over j <= i alone
//
// q, k, v, out f32 [batch x heads, tokens, 64]. Keys and values come in tiles of 32 through shared memory; in a tile,
// lane j makes the score of key j, the largest and the sum go over the warp by shuffles, and each lane keeps two of the
// 64 columns of out. m and l are the running maximum and sum; what was added before is scaled when m grows.
//
// Grid (ceil(tokens / 4), batch x heads), block (32, 4): threadIdx.y is the query of the block.
constexpr int columns = 64, keys = 32, queries = 4;

__device__ __forceinline__ float warp_max(float value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, distance));
  }
  return value;
}

__device__ __forceinline__ float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffff, value, distance);
  return value;
}

extern "C" __global__ void __launch_bounds__(128)
    attention_f32(const float* q, const float* k, const float* v, float* out, int tokens, float scale, int causal) {
  __shared__ float q_rows[queries][columns];
  __shared__ float k_tile[keys][columns + 1];  // the 65th column keeps lanes that read down it in 32 banks
  __shared__ float v_tile[keys][columns];
  const int lane = threadIdx.x, thread = threadIdx.y * 32 + lane;
  const int query = blockIdx.x * queries + threadIdx.y;
  const long long start = static_cast<long long>(blockIdx.y) * tokens * columns;
  for (int n = thread; n < queries * columns; n += 32 * queries) {
    const int row = blockIdx.x * queries + n / columns;
    q_rows[n / columns][n % columns] = row < tokens ? q[start + row * columns + n % columns] * scale : 0;
  }
  float largest = -INFINITY, total = 0, first = 0, second = 0;
  const int last_query = min(blockIdx.x * queries + queries, tokens);
  const int end = causal ? last_query : tokens;
  for (int tile = 0; tile < end; tile += keys) {
    __syncthreads();
    for (int n = thread; n < keys * columns; n += 32 * queries) {
      const int key = tile + n / columns;
      k_tile[n / columns][n % columns] = key < tokens ? k[start + key * columns + n % columns] : 0;
      v_tile[n / columns][n % columns] = key < tokens ? v[start + key * columns + n % columns] : 0;
    }
    __syncthreads();
    float score = 0;
#pragma unroll 16
    for (int c = 0; c < columns; ++c) score += q_rows[threadIdx.y][c] * k_tile[lane][c];
    const int key = tile + lane;
    const bool seen = key < tokens && (!causal || key <= query);
    // The first key of all is seen by every query, so `larger` is a number from the first tile on.
    const float larger = fmaxf(largest, warp_max(seen ? score : -INFINITY));
    const float part = seen ? expf(score - larger) : 0;
    const float before = expf(largest - larger);
    total = total * before + warp_sum(part);
    first *= before;
    second *= before;
#pragma unroll 8
    for (int j = 0; j < keys; ++j) {
      const float weight = __shfl_sync(0xffffffff, part, j);
      first += weight * v_tile[j][lane];
      second += weight * v_tile[j][lane + 32];
    }
    largest = larger;
  }
  if (query >= tokens) return;
  out[start + query * columns + lane] = first / total;
  out[start + query * columns + lane + 32] = second / total;
}
