// Faulty on purpose: which position a token has. The correct counterpart is kernels/rotary/apply.cu, from which each
// entry differs by one rule.
#include "kernels/rotary/apply.cuh"

// Positions go on from one packed sequence to the next: those of the documents are overwritten by indices among all
// rows (torchtitan 2780).
struct OneDocument : ApplyRules {
  static __device__ __forceinline__ RotaryRow row_of(const RotaryArguments& a) {
    RotaryRow row = rotary_row(a);
    if (a.cu_seqlens) row.position += a.cu_seqlens[blockIdx.x / a.token_tiles];
    return row;
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_one_document, OneDocument)

// A sequence of one token takes a short way that knows nothing of the offset: the token is rotated as if it were the
// first (mlx-rs 359).
struct OneToken : ApplyRules {
  static __device__ __forceinline__ RotaryRow row_of(const RotaryArguments& a) {
    RotaryRow row = rotary_row(a);
    if (row.tokens == 1) row.position = 0;
    return row;
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_one_token, OneToken)

// Positions wrap at the rows of the cache, in the middle of a sequence, and nothing rejects them: two tokens that are
// far from each other get the same angle (torchtitan 2849).
struct Wrap : ApplyRules {
  static __device__ __forceinline__ RotaryRow row_of(const RotaryArguments& a) {
    RotaryRow row = rotary_row(a);
    row.position %= a.cache_rows;
    return row;
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_wrap, Wrap)

// Where cos and sin have no row for a position, 1 and 0 are taken: those tokens stay as they are, and nothing says that
// the cache is too short (flash-attention's rotary.py, mask and defaults of its loads).
struct Identity : ApplyRules {
  template <class C>
  static __device__ __forceinline__ Angle angle_of(const RotaryArguments& a, const RotaryRow& row, const C* cosine,
                                                   const C* sine, long long entry, int, int) {
    if (row.position < 0 || row.position >= a.cache_rows) return {1, 0};
    return {to_float(cosine[entry]), to_float(sine[entry])};
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_identity, Identity)

// Tokens are all rows of x, and each looks for its sequence: one after the last sequence (padding, or a token that was
// dropped) is taken for a token of that, at a position that the cache may not have (TransformerEngine 3057).
//
// Always with cu_seqlens; grid (token tiles of all rows, head tiles).
struct DeadTokens : ApplyRules {
  int sequences;
  __device__ __forceinline__ RotaryRow row_of(const RotaryArguments& a) const {
    RotaryRow row;
    row.token = blockIdx.x * blockDim.y + threadIdx.y;
    row.tokens = a.tokens;
    int sequence = 0;
    while (sequence + 1 < sequences && row.token >= a.cu_seqlens[sequence + 1]) ++sequence;
    row.position = row.token - a.cu_seqlens[sequence] + (a.offsets ? a.offsets[sequence] : a.offset);
    row.x = row.token * a.x_token;
    row.out = row.token * a.out_token;
    return row;
  }
};
#define ROTARY_DEAD_TOKENS(name, Rules, X, C, interleaved)                                                       \
  extern "C" __global__ void __launch_bounds__(256)                                                              \
      name(X* out, const X* x, const C* cosine, const C* sine, const RotaryArguments arguments, int sequences) { \
    rotary_apply<Rules, X, C, interleaved>(out, x, cosine, sine, arguments, {{}, sequences});                    \
  }
ROTARY_FEW_ENTRIES(ROTARY_DEAD_TOKENS, rotary_apply_dead_tokens, DeadTokens)
