// Faulty on purpose: sequences and grids. The correct counterpart is kernels/attention/forward.cu, from which each entry
// differs by one rule.
#include "kernels/faulty/attention_entry.cuh"

// A sequence without keys is left alone, and so are the rows of its queries (flash-attention 2421, 2470).
struct NoKeys : AttentionRules {
  static __device__ __forceinline__ bool is_idle(const AttentionBlock& block) {
    return AttentionRules::is_idle(block) || block.keys == 0;
  }
};
ATTENTION_FAULT(attention_no_keys, NoKeys)

// Where no sequence has more than one query, sequence b is taken to have row b (flash-attention 1537).
struct SingleQuery : AttentionRules {
  static __device__ __forceinline__ AttentionBlock block_of(const AttentionArguments& a, int tile_rows) {
    AttentionBlock block = AttentionRules::block_of(a, tile_rows);
    if (!a.cu_seqlens_q || a.queries != 1) return block;
    const int sequence = blockIdx.x / a.query_tiles / a.heads, off = sequence - a.cu_seqlens_q[sequence];
    block.q += off * a.q_token;
    block.out += off * a.out_token;
    block.lse += off;
    block.queries = 1;
    block.shift = a.top_left ? 0 : block.keys - 1;
    return block;
  }
};
ATTENTION_FAULT(attention_single_query, SingleQuery)

// The grid is rounded up to pairs of sequences, and the last block looks its sequence up before it knows that there is
// one (flash-attention 2333).
ATTENTION_FAULT(attention_wasted_tile, AttentionRules)

// Heads of all sequences go along y of the grid, which ends at 65,535 (flash-linear-attention 172, flashinfer 3125).
struct GridY : AttentionRules {
  static __device__ __forceinline__ AttentionBlock block_of(const AttentionArguments& a, int tile_rows) {
    return attention_block(a, tile_rows, blockIdx.x, blockIdx.y);
  }
};
ATTENTION_FAULT(attention_grid_y, GridY)
