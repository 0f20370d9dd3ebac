// Faulty on purpose: which slot of a cache a token goes to. The correct counterpart is kernels/cache_store/append.cu,
// from which each entry differs by one rule.
#include "kernels/cache_store/append.cuh"

// Tokens of slot -1 are stored: -1 divided by the page size is page 0, and the remainder is the token before its first
// (TensorRT-LLM 18673).
struct SlotSign : AppendRules {
  static __device__ __forceinline__ bool is_stored(long long) { return true; }
};
CACHE_APPEND_FAULT(cache_append_slot_sign, SlotSign)

// A slot is taken for the number of a page: slots are counted in tokens where the cache is counted in pages (vllm
// 47056).
struct SlotAsPage : AppendRules {
  static __device__ __forceinline__ int page_size_of(const CacheAppendArguments&) { return 1; }
};
CACHE_APPEND_FAULT(cache_append_slot_as_page, SlotAsPage)

// The page size is taken from dimension 1 of the cache, which has heads where the layout is HND (vllm 49012).
struct PageSize : AppendRules {
  static __device__ __forceinline__ int page_size_of(const CacheAppendArguments& a) { return a.dimension_1; }
};
CACHE_APPEND_FAULT(cache_append_page_size, PageSize)

// All tokens of key and value are stored, and slot_mapping has fewer: CUDA graphs pad them (vllm 13922, aiter 3235).
struct PaddedTokens : AppendRules {
  static __device__ __forceinline__ int tokens_of(const CacheAppendArguments& a) { return a.rows; }
};
CACHE_APPEND_FAULT(cache_append_padded_tokens, PaddedTokens)
