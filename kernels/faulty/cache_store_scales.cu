// Faulty on purpose: how numbers are rounded to f8e4m3. The correct counterpart is kernels/cache_store/append.cu, from
// which each entry differs by one rule.
#include "kernels/cache_store/append.cuh"

// Values are divided by the scale of keys (what a test of vllm 55557 is there to catch).
struct OneScale : AppendRules {
  static __device__ __forceinline__ float v_scale_of(const CacheAppendArguments& a) { return a.k_scale; }
};
CACHE_APPEND_FAULT(cache_append_one_scale, OneScale)

// Numbers are stored as they are, and the reader of the cache multiplies them by the scale (sglang 34765).
struct UnitScale : AppendRules {
  static __device__ __forceinline__ __nv_fp8_storage_t rounded(float value, float) { return to_e4m3(value); }
};
CACHE_APPEND_FAULT(cache_append_unit_scale, UnitScale)

// Numbers beyond 448 become NaN (openvino 36751).
struct NoSaturation : AppendRules {
  static __device__ __forceinline__ __nv_fp8_storage_t rounded(float value, float scale) {
    return to_e4m3<false>(value / scale);
  }
};
CACHE_APPEND_FAULT(cache_append_no_saturation, NoSaturation)
