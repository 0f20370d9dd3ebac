// Index arithmetic in 32 bits.

// out[row] = x[row * stride]
extern "C" __global__ void product_in_32_bits(const signed char* x, signed char* out, int stride) {
  out[threadIdx.x] = x[int(threadIdx.x) * stride];  // the product
}

extern "C" __global__ void product_in_64_bits(const signed char* x, signed char* out, int stride) {
  out[threadIdx.x] = x[(long long)threadIdx.x * stride];
}

// Above 2^31, below 2^32: right without a sign.
extern "C" __global__ void product_without_sign(const signed char* x, signed char* out, unsigned stride) {
  out[threadIdx.x] = x[threadIdx.x * stride];
}

// Out of range on the way, back in range at the end.
extern "C" __global__ void sum_that_comes_back(const signed char* x, signed char* out, int large) {
  out[threadIdx.x] = x[(int(threadIdx.x) + large + large) - large - large];
}

// Overflow in numbers that never become an address: a hash.
extern "C" __global__ void hash_values(int* out, int seed) {
  int hash = seed + threadIdx.x;
  for (int n = 0; n < 5; ++n) hash = hash * 1103515245 + 12345;
  out[threadIdx.x] = hash;
}

// A hash that becomes an address by its low bits: wrapping is meant.
extern "C" __global__ void read_by_hash(const signed char* x, signed char* out, unsigned seed) {
  const unsigned hash = (seed + threadIdx.x) * 2654435761u;
  out[threadIdx.x] = x[hash >> 26];
}
