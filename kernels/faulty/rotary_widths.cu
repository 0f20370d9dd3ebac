// Faulty on purpose: which columns are rotated together. The correct counterpart is kernels/rotary/apply.cu, from which
// each entry differs by one rule.
#include "kernels/rotary/apply.cuh"

// The arithmetic of the rotary kernel of flash-linear-attention before its guards (issue 180): the buffers are as wide
// as the width says, and nothing compares the width with head_dim. With the model width passed for it, each row runs
// width - head_dim columns into the rows after it, and the last row past the end of x and out. An odd width has a pair
// more than its half. A cache with too few rows, a negative offset and cu_seqlens past the rows are believed as well.
struct Unguarded : ApplyRules {
  static __device__ __forceinline__ int pairs_of(const RotaryArguments& a) { return (a.width + 1) / 2; }
};
ROTARY_ENTRIES(ROTARY_APPLY, rotary_apply_unguarded, Unguarded)

// Pairs of the other layout: neighbours where the halves were meant, and the other way round (candle 3948, nanotron
// 214).
struct SwappedLayout : ApplyRules {
  template <bool interleaved>
  static __device__ __forceinline__ Columns columns_of(const RotaryArguments& a, int pair, int pairs) {
    return ApplyRules::columns_of<!interleaved>(a, pair, pairs);
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_swapped_layout, SwappedLayout)

// In the half layout the second column is half of head_dim away and not half of the width: right only where all columns
// are rotated (pie 602). The interleaved layout is not touched by it.
struct PairOffset : ApplyRules {
  template <bool interleaved>
  static __device__ __forceinline__ Columns columns_of(const RotaryArguments& a, int pair, int) {
    return ApplyRules::columns_of<interleaved>(a, pair, a.head_dim / 2);
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_pair_offset, PairOffset)
