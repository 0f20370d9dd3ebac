// Pages copied inside of a KV cache, kernels/cache_store/copy.cu, for one set of rules by which it is done. A seeded
// bug is these rules with one of them wrong.
#pragma once
#include "kernels/cache_store/arguments.h"

struct CopyRules {
  static __device__ __forceinline__ long long from_of(const CacheCopyArguments& a, int pair) {
    return a.copies[2 * pair];
  }
  static __device__ __forceinline__ long long to_of(const CacheCopyArguments& a, int pair) {
    return a.copies[2 * pair + 1];
  }
  static __device__ __forceinline__ long long page_at(const CacheCopyArguments& a, long long page) {
    return page * a.cache_page;
  }
  // Elements of the key cache that are copied, and of the value cache.
  static __device__ __forceinline__ int elements_of(const CacheCopyArguments& a) { return a.page_elements; }
};

template <class Rules, class E>
__device__ __forceinline__ void cache_copy(E* key_cache, E* value_cache, const CacheCopyArguments& a) {
  const int pair = blockIdx.x;
  if (pair >= a.pairs) return;
  const long long from = Rules::page_at(a, Rules::from_of(a, pair)), to = Rules::page_at(a, Rules::to_of(a, pair));
  for (int n = threadIdx.x; n < Rules::elements_of(a); n += blockDim.x) {
    key_cache[to + n] = key_cache[from + n];
    value_cache[to + n] = value_cache[from + n];
  }
}

#define CACHE_COPY(name, Rules, E)                                                                             \
  extern "C" __global__ void __launch_bounds__(256) name(E* key_cache, E* value_cache, CacheCopyArguments a) { \
    cache_copy<Rules>(key_cache, value_cache, a);                                                              \
  }

// The entries of a seeded bug: caches of f32 and of f8e4m3.
#define CACHE_COPY_FAULT(name, Rules)   \
  CACHE_COPY(name##_4, Rules, unsigned) \
  CACHE_COPY(name##_1, Rules, unsigned char)
