// One extern "C" entry for each pair of dtypes (of x and of the cache) and each layout, by one set of rules:
// PREFIX_half_bf16_f32, PREFIX_interleaved_f16_f16, ...
#pragma once
#include "kernels/include/element.cuh"

#define ROTARY_ENTRIES_OF_LAYOUT(entry, prefix, Rules, layout, interleaved)                 \
  entry(prefix##_##layout##_f32_f32, Rules, float, float, interleaved)                      \
      entry(prefix##_##layout##_f16_f32, Rules, __half, float, interleaved)                 \
          entry(prefix##_##layout##_f16_f16, Rules, __half, __half, interleaved)            \
              entry(prefix##_##layout##_bf16_f32, Rules, __nv_bfloat16, float, interleaved) \
                  entry(prefix##_##layout##_bf16_bf16, Rules, __nv_bfloat16, __nv_bfloat16, interleaved)

#define ROTARY_ENTRIES(entry, prefix, Rules)                  \
  ROTARY_ENTRIES_OF_LAYOUT(entry, prefix, Rules, half, false) \
  ROTARY_ENTRIES_OF_LAYOUT(entry, prefix, Rules, interleaved, true)

// The same for fewer dtypes: f32 and bf16 with a cache in f32.
#define ROTARY_FEW_ENTRIES(entry, prefix, Rules)                         \
  entry(prefix##_half_f32_f32, Rules, float, float, false)               \
      entry(prefix##_half_bf16_f32, Rules, __nv_bfloat16, float, false)  \
          entry(prefix##_interleaved_f32_f32, Rules, float, float, true) \
              entry(prefix##_interleaved_bf16_f32, Rules, __nv_bfloat16, float, true)

// The columns that make pair `pair` of `pairs`.
template <bool interleaved>
__device__ __forceinline__ int first_column(int pair) {
  return interleaved ? 2 * pair : pair;
}
template <bool interleaved>
__device__ __forceinline__ int second_column(int pair, int pairs) {
  return interleaved ? 2 * pair + 1 : pair + pairs;
}
