// Tokens stored in a KV cache.
//
//   key_cache[slot / page_size, slot % page_size, head, column] = key[t, head, column]    slot = slot_mapping[t] >= 0
//
// and value likewise. key, value [rows, heads, head_dim] by the stride of a token; the caches NHD or HND by their
// strides, of the same dtype or f8e4m3: round(key / k_scale), round(value / v_scale). Tokens from `tokens` on, which
// slot_mapping does not have, and those of slot -1 are left out.
//
// Grid (rows), block (lanes, heads): threadIdx.x runs over columns, threadIdx.y over heads.
#include "kernels/cache_store/append.cuh"

CACHE_APPEND(cache_append_f32_f32, AppendRules, float, float)
CACHE_APPEND(cache_append_f16_f16, AppendRules, __half, __half)
CACHE_APPEND(cache_append_bf16_bf16, AppendRules, __nv_bfloat16, __nv_bfloat16)
CACHE_APPEND(cache_append_f32_f8e4m3, AppendRules, float, __nv_fp8_storage_t)
CACHE_APPEND(cache_append_f16_f8e4m3, AppendRules, __half, __nv_fp8_storage_t)
CACHE_APPEND(cache_append_bf16_f8e4m3, AppendRules, __nv_bfloat16, __nv_fp8_storage_t)
