// Faulty on purpose: where rows are. The correct counterpart is kernels/attention/forward.cu, from which each entry differs by
// one rule.
#include "kernels/faulty/attention_entry.cuh"

// Heads of k and v are dealt out in turn, h % Hk, where each belongs to a group of neighbours (onnx 7274, axlearn 842).
struct HeadMapping : AttentionRules {
  static __device__ __forceinline__ AttentionBlock block_of(const AttentionArguments& a, int tile_rows) {
    AttentionBlock block = AttentionRules::block_of(a, tile_rows);
    const int off = block.head % a.key_heads - block.head / (a.heads / a.key_heads);
    block.k += off * a.k_head;
    block.v += off * a.v_head;
    return block;
  }
};
ATTENTION_FAULT(attention_head_mapping, HeadMapping)

// The queries of sequence b begin at token b: a batch stride of one token (flashinfer 3800).
struct BatchStride : AttentionRules {
  static __device__ __forceinline__ AttentionBlock block_of(const AttentionArguments& a, int tile_rows) {
    AttentionBlock block = AttentionRules::block_of(a, tile_rows);
    const int sequence = blockIdx.x / a.query_tiles / a.heads;
    if (!a.cu_seqlens_q) block.q += sequence * (a.q_token - a.q_batch);
    return block;
  }
};
ATTENTION_FAULT(attention_batch_stride, BatchStride)

// Every sequence has the keys and values of the first one: the batch is lost on the way (attorch 14).
struct KeyBatch : AttentionRules {
  static __device__ __forceinline__ AttentionBlock block_of(const AttentionArguments& a, int tile_rows) {
    AttentionBlock block = AttentionRules::block_of(a, tile_rows);
    const int sequence = blockIdx.x / a.query_tiles / a.heads;
    if (!a.cu_seqlens_q) block.k -= sequence * a.k_batch;
    if (!a.cu_seqlens_q) block.v -= sequence * a.v_batch;
    return block;
  }
};
ATTENTION_FAULT(attention_key_batch, KeyBatch)

// Rows of v are as far apart as those of k (FlagAttention 45).
struct ValueStride : AttentionRules {
  static __device__ __forceinline__ long long value_stride(const AttentionArguments& a) { return a.k_token; }
};
ATTENTION_FAULT(attention_value_stride, ValueStride)

// Rows are found by a product of 32-bit integers (flash-attention 2611, pytorch 190857).
struct Int32 : AttentionRules {
  static __device__ __forceinline__ long long row_start(int row, long long stride) {
    return row * static_cast<int>(stride);
  }
};
ATTENTION_FAULT(attention_int32, Int32)

// The tile of v is loaded whole: what lies past the last key is multiplied by weights of 0 (flash-attention 2374).
struct ValueTail : AttentionRules {
  static __device__ __forceinline__ int value_rows(const AttentionBlock& block) {
    return (block.keys + tile_keys - 1) / tile_keys * tile_keys;
  }
};
ATTENTION_FAULT(attention_value_tail, ValueTail)
