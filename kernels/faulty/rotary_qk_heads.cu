// Faulty on purpose: widths, heads and strides of q and k together. The correct counterpart is kernels/rotary/qk.cu,
// from which each entry differs by one rule.
#include "kernels/rotary/qk.cuh"

// Positions are believed: one past the rows of cos and sin reads past their end, a negative one before their start
// (vLLM 14404, sglang 10788). A width over head_dim runs into the next head, and an odd width has a pair more than its
// half.
struct QkUnguarded : QkRules {
  static __device__ __forceinline__ int pairs_of(const RotaryQkArguments& a) { return (a.width + 1) / 2; }
};
ROTARY_ENTRIES(ROTARY_QK, rotary_qk_unguarded, QkUnguarded)

// One head stride, that of q, is used for k as well (sglang 20559): right only where q and k are laid out alike.
struct QkOneStride : QkRules {
  static __device__ __forceinline__ long long key_head_stride(const RotaryQkArguments& a) { return a.q_head; }
};
ROTARY_FEW_ENTRIES(ROTARY_QK, rotary_qk_one_stride, QkOneStride)

// The heads of k are taken to be as many as those of q (ColossalAI 6428, 6444): right only where they are. Where k has
// fewer, each token runs into the next, and the last past the end.
struct QkKeyHeads : QkRules {
  static __device__ __forceinline__ int heads_of(const RotaryQkArguments& a) { return 2 * a.query_heads; }
};
ROTARY_FEW_ENTRIES(ROTARY_QK, rotary_qk_key_heads, QkKeyHeads)
