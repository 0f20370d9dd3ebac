// Indices of 32 bits that wrap: i * a does from i = 18 on. First those that are brought back into the table, then those
// that are not.
#define RW_INDEX_KERNEL(name, expression)                                         \
  extern "C" __global__ void name(const float* table, float* out, int a, int n) { \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                          \
    const unsigned u = i, b = a, m = n;                                           \
    (void)u, (void)b, (void)m;                                                    \
    out[i] = table[expression];                                                   \
  }

__device__ unsigned scrambled(unsigned h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return h ^ (h >> 16);
}
__device__ unsigned generated(unsigned s) {
  for (int k = 0; k < 5; ++k) s = s * 1664525u + 1013904223u;
  return s;
}

RW_INDEX_KERNEL(masked, (i * a) & 63)
RW_INDEX_KERNEL(remainder_of_63, (u * b) % 63)
RW_INDEX_KERNEL(remainder_of_a_signed_number, ((i * a) % 63 + 63) % 63)
RW_INDEX_KERNEL(remainder_of_n, (u * b + 12345u) % m)
RW_INDEX_KERNEL(generator, generated(u) >> 24)
RW_INDEX_KERNEL(murmur, scrambled(u* b) % 1000)
RW_INDEX_KERNEL(high_bits, (u * 2654435761u) >> 26)
RW_INDEX_KERNEL(range_by_product, __umulhi(u* b, m))
RW_INDEX_KERNEL(unsigned_short, (unsigned short)(i* a) % 1024)
RW_INDEX_KERNEL(quotient_masked, (i * a) / 63 & 31)
RW_INDEX_KERNEL(clamped, min(u* b | 0x400u, 100u))
RW_INDEX_KERNEL(absolute, abs(i* a) % 64)
RW_INDEX_KERNEL(quotient_of_a_generator, unsigned(int(generated(u)) / 65536) % 1000u)
RW_INDEX_KERNEL(ring, (u - 7) % 1024)

RW_INDEX_KERNEL(product, i* a)
RW_INDEX_KERNEL(product_aligned, (i * a) & ~15)
RW_INDEX_KERNEL(product_at_least, max(i* a, n))
RW_INDEX_KERNEL(product_with_low_bits, (i * a) | (i & 3))
RW_INDEX_KERNEL(product_swizzled, (i * a) ^ (i & 7))
RW_INDEX_KERNEL(sum_of_products, i* a + n * a)
