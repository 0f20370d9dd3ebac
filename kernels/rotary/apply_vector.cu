// Rotary embedding with accesses of 16 bytes: the mathematics of apply.cu for aligned rows.
//
// Asks for more than apply.cu: pairs a multiple of the elements of 16 bytes (pack: 4 of f32, 8 of f16 and bf16), and so
// are head_dim - width and all strides; at most blockDim.x packs of pairs.
//
// Grid (sequences x token tiles, head tiles), block (lanes, tokens). threadIdx.x counts packs of pairs within heads, so
// that neighbouring lanes touch neighbouring bytes also where a head is narrow: 64 columns of bf16 are 4 lanes, and a
// warp rotates 8 heads at a time. A thread keeps its cos and sin for all its heads.
#include "kernels/rotary/apply_vector.cuh"

ROTARY_ENTRIES(ROTARY_APPLY_VECTOR, rotary_apply_vector, VectorRules)
