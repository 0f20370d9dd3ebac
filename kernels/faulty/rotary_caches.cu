// Faulty on purpose: how the cos and sin cache is computed. The correct counterpart is kernels/rotary/cache.cu, from
// which each entry differs by one rule.
#include "kernels/rotary/cache.cuh"

// An odd width is taken. Its half is rounded up here and down where the table was allocated, so each row runs one
// column into the next, and the last row past the end (flash-linear-attention 1177: dim 33).
struct CacheUnguarded : CacheRules {
  static __device__ __forceinline__ int pairs_of(int width) { return (width + 1) / 2; }
};
ROTARY_CACHE(rotary_cache_unguarded, CacheUnguarded)

// Positions go through bf16 on their way to the angle: above 256 neighbours share a row (candle pull request 3520).
struct RoundedPositions : CacheRules {
  static __device__ __forceinline__ float angle_of(int position, float frequency) {
    return to_float(from_float<__nv_bfloat16>(static_cast<float>(position))) * frequency;
  }
};
ROTARY_CACHE(rotary_cache_rounded_positions, RoundedPositions)
