// Faulty on purpose: which rows, columns and heads are rotated. The correct counterpart is kernels/rotary/apply.cu,
// from which each entry differs by one rule.
#include "kernels/faulty/load_now.cuh"
#include "kernels/rotary/apply.cuh"

// A row is masked by the cache alone, not by the sequence: where the cache has rows to spare and the tokens do not fill
// their last tile, the rows after the sequence are rotated as well, in the next sequence or past the end of x and out
// (the interleaved branch of flash-linear-attention before pull request 423).
struct RowMask : ApplyRules {
  static __device__ __forceinline__ bool is_idle(const RotaryArguments& a, const RotaryRow& row) {
    return row.position >= a.cache_rows;
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_row_mask, RowMask)

// The rows of the last tile are counted, and that count masks the rows of every tile: of ten rows in tiles of four, the
// third and fourth of each whole tile are left out (a mask in block-local numbers, as Megatron-LM 7103 and 7104 fix).
struct TileMask : ApplyRules {
  static __device__ __forceinline__ bool is_idle(const RotaryArguments&, const RotaryRow& row) {
    const int rows_of_last = row.tokens % blockDim.y;
    return row.token >= row.tokens || (rows_of_last && threadIdx.y >= rows_of_last);
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_tile_mask, TileMask)

// Tokens whose position is outside of cos and sin are left out, so that what the caller allocated for out shows through
// (flash-linear-attention 967). No precondition rejects such positions.
struct RowsSkipped : ApplyRules {
  static __device__ __forceinline__ bool is_idle(const RotaryArguments& a, const RotaryRow& row) {
    return row.token >= row.tokens || row.position < 0 || row.position >= a.cache_rows;
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_rows_skipped, RowsSkipped)

// The lanes of a block all work, whatever the number of pairs.
struct WholeBlocks : ApplyRules {
  template <bool interleaved>
  static __device__ __forceinline__ int lanes_of(int pairs) {
    return (pairs + blockDim.x - 1) / blockDim.x * blockDim.x;
  }
};

// Lanes are not masked by the number of pairs: where that is no multiple of the block's width, lanes past the last
// pair read the next rows of cos and sin, and rotate columns past the width (LightLLM 1459, sglang 35096).
struct ColumnMask : WholeBlocks {};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_column_mask, ColumnMask)

// cos and sin are read by all lanes of the block, and only the rotation is masked by the number of pairs: where that is
// no multiple of the block's width, lanes past the last pair read the next row of cos and sin, and after the last row
// past the end (LightLLM 1459: head_dim 96, 48 pairs in 64 lanes). The output does not show it.
struct TableMask : WholeBlocks {
  template <class C>
  static __device__ __forceinline__ Angle angle_of(const RotaryArguments& a, const RotaryRow& row, const C* cosine,
                                                   const C* sine, long long entry, int pair, int pairs) {
    RW_INDEX(row.position, a.cache_rows, "cos.rows");
    RW_INDEX(pair, pairs, "cos.pairs");
    return {to_float(load_now(cosine + entry)), to_float(load_now(sine + entry))};
  }
  static __device__ __forceinline__ bool is_rotated(const RotaryArguments&, int pair, int pairs, const Columns&) {
    return pair < pairs;
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_table_mask, TableMask)

// A row is read by whole warps, whatever its width, and only the rotation is masked: where the pairs are no multiple of
// 32, the reads of the last row run past the end of x (vLLM 40745, 42421: a head of 64 bytes or less; it faults only
// where a mapping ends there). The output does not show it.
struct WideRead : WholeBlocks {
  static __device__ __forceinline__ long long entry_of(const RotaryArguments& a, const RotaryRow& row, int pair,
                                                       int pairs) {
    return ApplyRules::entry_of(a, row, min(pair, pairs - 1), pairs);
  }
  template <class X>
  static __device__ __forceinline__ void read_ahead(const X* from, const Columns& at) {
    load_now(from + at.first);
    load_now(from + at.second);
  }
  static __device__ __forceinline__ bool is_rotated_in_head(int pair, int pairs) { return pair < pairs; }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_wide_read, WideRead)

// Lanes run to the next power of two of the pairs. cos and sin are masked (0 where there is none), and the columns of
// neighbouring pairs only by head_dim: of a width of 6, columns 6 and 7 are rotated as well, and become 0
// (sglang 35096). The half layout is not touched by it.
struct TailTurned : ApplyRules {
  template <bool interleaved>
  static __device__ __forceinline__ int lanes_of(int pairs) {
    int power = 1;
    while (power < pairs) power *= 2;
    return interleaved ? power : pairs;
  }
  template <class C>
  static __device__ __forceinline__ Angle angle_of(const RotaryArguments& a, const RotaryRow& row, const C* cosine,
                                                   const C* sine, long long entry, int pair, int pairs) {
    return pair < pairs ? ApplyRules::angle_of(a, row, cosine, sine, entry, pair, pairs) : Angle{0, 0};
  }
  static __device__ __forceinline__ bool is_rotated(const RotaryArguments& a, int, int, const Columns& at) {
    return at.second < a.head_dim;
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_tail_turned, TailTurned)

// Heads go by tiles of four, and the mask of the last tile compares the head's number within the tile with the heads
// (Megatron-LM 7103): a number of heads that four does not divide runs into the next token, or past the end.
struct HeadMask : ApplyRules {
  static __device__ __forceinline__ int heads_of(const RotaryArguments& a) {
    return a.heads < 4 ? a.heads : (a.heads + 3) / 4 * 4;
  }
  static __device__ __forceinline__ long long x_at(const RotaryArguments& a, const RotaryRow& row, int head) {
    RW_INDEX(head, a.heads, "x.heads");
    return ApplyRules::x_at(a, row, head);
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_head_mask, HeadMask)
