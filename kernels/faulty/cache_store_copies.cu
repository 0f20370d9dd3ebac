// Faulty on purpose: which pages of a cache are copied. The correct counterpart is kernels/cache_store/copy.cu, from
// which each entry differs by one rule.
#include "kernels/cache_store/copy.cuh"

// Pages are copied to where they come from: the second page of a pair is not read (vllm-rbln 477).
struct CopyToSource : CopyRules {
  static __device__ __forceinline__ long long to_of(const CacheCopyArguments& a, int pair) { return from_of(a, pair); }
};
CACHE_COPY_FAULT(cache_copy_to_source, CopyToSource)

// Pages are as far apart as they have elements, also where the cache's own stride is another (pegaflow 331).
struct CopyStride : CopyRules {
  static __device__ __forceinline__ long long page_at(const CacheCopyArguments& a, long long page) {
    return page * a.page_elements;
  }
};
CACHE_COPY_FAULT(cache_copy_stride, CopyStride)
