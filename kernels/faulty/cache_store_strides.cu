// Faulty on purpose: strides of keys, values and their caches. The correct counterpart is
// kernels/cache_store/append.cu, from which each entry differs by one rule.
#include "kernels/cache_store/append.cuh"

// Pages are page_size x heads x head_dim apart, also where the cache's own stride is another, because keys and values
// share its pages (flashinfer 527, aiter 3492).
struct PageStride : AppendRules {
  static __device__ __forceinline__ long long page_at(const CacheAppendArguments& a, long long page) {
    return page * a.page_size * a.heads * a.head_dim;
  }
};
CACHE_APPEND_FAULT(cache_append_page_stride, PageStride)

// Where a page begins, in 32 bits (vllm 1486).
struct PageInt32 : AppendRules {
  static __device__ __forceinline__ long long page_at(const CacheAppendArguments& a, long long page) {
    return static_cast<int>(page) * static_cast<int>(a.cache_page);
  }
};
CACHE_APPEND_FAULT(cache_append_page_int32, PageInt32)

// In a page tokens come first, whatever the layout (vllm 49012).
struct TokensFirst : AppendRules {
  static __device__ __forceinline__ long long place_in_page(const CacheAppendArguments& a, int token, int head) {
    return (static_cast<long long>(token) * a.heads + head) * a.head_dim;
  }
};
CACHE_APPEND_FAULT(cache_append_tokens_first, TokensFirst)

// In a page heads come first, whatever the layout.
struct HeadsFirst : AppendRules {
  static __device__ __forceinline__ long long place_in_page(const CacheAppendArguments& a, int token, int head) {
    return (static_cast<long long>(head) * a.page_size + token) * a.head_dim;
  }
};
CACHE_APPEND_FAULT(cache_append_heads_first, HeadsFirst)

// Rows of key and value are heads x head_dim apart, also where they are views of a packed row of q, k and v
// (sgl-kernel-xpu 236).
struct PackedRows : AppendRules {
  static __device__ __forceinline__ long long row_at(const CacheAppendArguments& a, int token, long long) {
    return static_cast<long long>(token) * a.heads * a.head_dim;
  }
};
CACHE_APPEND_FAULT(cache_append_packed_rows, PackedRows)

// Heads are counted by those of q (aprender 2010).
struct QueryHeads : AppendRules {
  static __device__ __forceinline__ int heads_of(const CacheAppendArguments& a) {
    return a.query_heads ? a.query_heads : a.heads;
  }
};
CACHE_APPEND_FAULT(cache_append_query_heads, QueryHeads)
