// Vector accesses at addresses that are no multiple of their size.

// out[4 i ..] = x[4 i + shift ..]
extern "C" __global__ void copy_fours(const float* x, float* out, int shift) {
  const float4 four = *reinterpret_cast<const float4*>(x + 4 * threadIdx.x + shift);  // the read of four
  out[4 * threadIdx.x + 0] = four.x;
  out[4 * threadIdx.x + 1] = four.y;
  out[4 * threadIdx.x + 2] = four.z;
  out[4 * threadIdx.x + 3] = four.w;
}

extern "C" __global__ void store_pairs(float* out, int shift) {
  *reinterpret_cast<float2*>(out + 2 * threadIdx.x + shift) = make_float2(1, 2);  // the write of two
}

// Pairs of 16-bit numbers out of shared memory.
extern "C" __global__ void shared_pairs(const unsigned short* x, unsigned* out, int shift) {
  __shared__ __align__(16) unsigned short tile[72];
  for (int n = threadIdx.x; n < 72; n += 32) tile[n] = x[n];
  __syncthreads();
  out[threadIdx.x] = *reinterpret_cast<const unsigned*>(tile + 2 * threadIdx.x + shift);  // the read of a pair
}
