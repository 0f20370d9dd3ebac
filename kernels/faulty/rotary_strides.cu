// Faulty on purpose: where rows are, in x, in out and in the cache. The correct counterpart is kernels/rotary/apply.cu,
// from which each entry differs by one rule.
#include "kernels/rotary/apply.cuh"

// The offset of a sequence is a product of ints: sequence x batch stride wraps in tensors of more than 2^31 elements
// (flash-attention 1195: [7200, 90, 3, 16, 72] from sequence 6,905 on).
struct Int32 : ApplyRules {
  static __device__ __forceinline__ RotaryRow row_of(const RotaryArguments& a) {
    RotaryRow row = rotary_row(a);
    const int sequence = blockIdx.x / a.token_tiles;
    const int x_batch = a.x_batch, x_token = a.x_token, out_batch = a.out_batch, out_token = a.out_token;
    row.x = sequence * x_batch + row.token * x_token;
    row.out = sequence * out_batch + row.token * out_token;
    return row;
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_int32, Int32)

// The offset of a token is a product of ints: row x token stride wraps in tensors of more than 2^31 elements, wherever
// their batches begin (flash-linear-attention 1080).
struct Int32Rows : ApplyRules {
  static __device__ __forceinline__ RotaryRow row_of(const RotaryArguments& a) {
    RotaryRow row = rotary_row(a);
    const int sequence = blockIdx.x / a.token_tiles;
    const int rows_before = a.cu_seqlens ? a.cu_seqlens[sequence] : sequence * a.tokens;
    const int x_token = a.x_token, out_token = a.out_token;
    row.x = (rows_before + row.token) * x_token;
    row.out = (rows_before + row.token) * out_token;
    return row;
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_int32_rows, Int32Rows)

// Sequences go along z of the grid, which ends at 65,535: a larger batch cannot be launched, and where nobody reads the
// error code nothing is written (flash-linear-attention 172, vLLM 43684). Sequences of cu_seqlens are not known here.
//
// Grid (token tiles, head tiles, sequences).
struct GridZ : ApplyRules {
  static __device__ __forceinline__ RotaryRow row_of(const RotaryArguments& a) {
    RotaryRow row;
    const int sequence = blockIdx.z;
    row.token = blockIdx.x * blockDim.y + threadIdx.y;
    row.tokens = a.tokens;
    row.position = row.token + (a.offsets ? a.offsets[sequence] : a.offset);
    row.x = sequence * a.x_batch + row.token * a.x_token;
    row.out = sequence * a.out_batch + row.token * a.out_token;
    return row;
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_grid_z, GridZ)

// The strides of x are taken for out as well, which is right only where x has no gaps.
struct OneStride : ApplyRules {
  static __device__ __forceinline__ long long out_at(const RotaryArguments& a, const RotaryRow& row, int head) {
    return x_at(a, row, head);
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_one_stride, OneStride)

// Columns past the width are copied by the strides of out on both sides: of an x with gaps other elements are taken
// (llama.cpp 14580: partial rotation of a view).
struct TailStride : ApplyRules {
  static __device__ __forceinline__ long long tail_at(const RotaryArguments& a, const RotaryRow& row, int head) {
    return out_at(a, row, head);
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_tail_stride, TailStride)

// The rows of cos and sin are taken to be half of head_dim wide, and not half of the width: right only where all
// columns are rotated (onnxruntime 19874: phi-2).
struct TableStride : ApplyRules {
  static __device__ __forceinline__ long long entry_of(const RotaryArguments& a, const RotaryRow& row, int pair, int) {
    return static_cast<long long>(row.position) * (a.head_dim / 2) + pair;
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_table_stride, TableStride)

// cos and sin are the halves of one table [2, cache_rows, pairs], and sin is looked for after the longest cache that
// was configured, not after the rows that this one has (FastDeploy 8012).
#define ROTARY_PACKED_TABLE(name, Rules, X, C, interleaved)                                      \
  extern "C" __global__ void __launch_bounds__(256)                                              \
      name(X* out, const X* x, const C* table, const RotaryArguments arguments, int most_rows) { \
    const C* sine = table + static_cast<long long>(most_rows) * (arguments.width / 2);           \
    rotary_apply<Rules, X, C, interleaved>(out, x, table, sine, arguments);                      \
  }
ROTARY_FEW_ENTRIES(ROTARY_PACKED_TABLE, rotary_apply_packed_table, ApplyRules)
