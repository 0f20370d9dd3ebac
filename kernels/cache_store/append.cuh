// Tokens stored in a KV cache, kernels/cache_store/append.cu, for one set of rules by which it is done. A seeded bug is
// these rules with one of them wrong.
#pragma once
#include "kernels/cache_store/arguments.h"
#include "kernels/include/element.cuh"
#include "kernels/include/fp8.cuh"

struct AppendRules {
  static __device__ __forceinline__ int tokens_of(const CacheAppendArguments& a) { return a.tokens; }
  static __device__ __forceinline__ bool is_stored(long long slot) { return slot >= 0; }
  static __device__ __forceinline__ int heads_of(const CacheAppendArguments& a) { return a.heads; }
  static __device__ __forceinline__ int page_size_of(const CacheAppendArguments& a) { return a.page_size; }
  // Where a token's row begins in key or value.
  static __device__ __forceinline__ long long row_at(const CacheAppendArguments&, int token, long long stride) {
    return token * stride;
  }
  static __device__ __forceinline__ long long page_at(const CacheAppendArguments& a, long long page) {
    return page * a.cache_page;
  }
  // Where a head of a page's token begins in that page.
  static __device__ __forceinline__ long long place_in_page(const CacheAppendArguments& a, int token, int head) {
    return token * a.cache_slot + head * a.cache_head;
  }
  static __device__ __forceinline__ float k_scale_of(const CacheAppendArguments& a) { return a.k_scale; }
  static __device__ __forceinline__ float v_scale_of(const CacheAppendArguments& a) { return a.v_scale; }
  static __device__ __forceinline__ __nv_fp8_storage_t rounded(float value, float scale) {
    return to_e4m3(value / scale);
  }
};

// A cache of the same dtype holds the same bits.
template <class Rules, class T>
__device__ __forceinline__ void store(T* to, T value, float) {
  *to = value;
}
template <class Rules, class T>
__device__ __forceinline__ void store(__nv_fp8_storage_t* to, T value, float scale) {
  *to = Rules::rounded(to_float(value), scale);
}

template <class Rules, class T, class C>
__device__ __forceinline__ void cache_append(C* key_cache, C* value_cache, const T* key, const T* value,
                                             const CacheAppendArguments& a) {
  const int token = blockIdx.x;
  if (token >= Rules::tokens_of(a)) return;
  const long long slot = a.slot_mapping[token];
  if (!Rules::is_stored(slot)) return;
  const int page_size = Rules::page_size_of(a);
  const long long page = Rules::page_at(a, slot / page_size);
  const int in_page = static_cast<int>(slot % page_size);
  for (int head = threadIdx.y; head < Rules::heads_of(a); head += blockDim.y) {
    const long long to = page + Rules::place_in_page(a, in_page, head);
    const long long from = static_cast<long long>(head) * a.head_dim;
    for (int column = threadIdx.x; column < a.head_dim; column += blockDim.x) {
      store<Rules>(key_cache + to + column, key[Rules::row_at(a, token, a.key_token) + from + column],
                   Rules::k_scale_of(a));
      store<Rules>(value_cache + to + column, value[Rules::row_at(a, token, a.value_token) + from + column],
                   Rules::v_scale_of(a));
    }
  }
}

#define CACHE_APPEND(name, Rules, T, C)                                                          \
  extern "C" __global__ void __launch_bounds__(256)                                              \
      name(C* key_cache, C* value_cache, const T* key, const T* value, CacheAppendArguments a) { \
    cache_append<Rules>(key_cache, value_cache, key, value, a);                                  \
  }

// The entries of a seeded bug: f32, in a cache of f32 and of f8e4m3.
#define CACHE_APPEND_FAULT(name, Rules)             \
  CACHE_APPEND(name##_f32_f32, Rules, float, float) \
  CACHE_APPEND(name##_f32_f8e4m3, Rules, float, __nv_fp8_storage_t)
