// The rotary embedding of kernels/rotary/apply.cu, for one set of rules by which it reads a problem: those of
// apply_rules.cuh, or others where a bug is seeded.
#pragma once
#include "kernels/rotary/apply_rules.cuh"
#include "kernels/rotary/rotate.cuh"

template <class Rules, class X, class C, bool interleaved>
__device__ __forceinline__ void rotary_apply(X* out, const X* x, const C* cosine, const C* sine,
                                             const RotaryArguments& a, const Rules& rules = {}) {
  const RotaryRow row = rules.row_of(a);
  if (rules.is_idle(a, row)) return;
  const int pairs = rules.pairs_of(a);
  for (int pair = threadIdx.x; pair < rules.template lanes_of<interleaved>(pairs); pair += blockDim.x) {
    const Columns at = rules.template columns_of<interleaved>(a, pair, pairs);
    RW_INDEX(row.token, row.tokens, "x.tokens");
    const Angle angle = rules.angle_of(a, row, cosine, sine, rules.entry_of(a, row, pair, pairs), pair, pairs);
    if (!rules.is_rotated(a, pair, pairs, at)) continue;
    if (rules.is_rotated_in_head(pair, pairs)) RW_INDEX(at.second, a.head_dim, "x.head_dim");
    for (int head = blockIdx.y; head < rules.heads_of(a); head += gridDim.y) {
      const X* from = x + rules.x_at(a, row, head);
      X* to = out + rules.out_at(a, row, head);
      rules.read_ahead(from, at);
      if (!rules.is_rotated_in_head(pair, pairs)) continue;
      const Pair read = {to_float(from[at.first]), to_float(from[at.second])};
      const Pair rotated = rules.template turned<X>(read, angle.cosine, angle.sine, a.direction);
      to[at.first] = from_float<X>(rotated.first);
      to[at.second] = from_float<X>(rotated.second);
    }
  }
  if (out == x) return;
  for (int column = a.width + threadIdx.x; column < a.head_dim; column += blockDim.x) {
    for (int head = blockIdx.y; head < rules.heads_of(a); head += gridDim.y) {
      out[rules.out_at(a, row, head) + column] = x[rules.tail_at(a, row, head) + column];
    }
  }
}

#define ROTARY_APPLY(name, Rules, X, C, interleaved)                                              \
  extern "C" __global__ void __launch_bounds__(256)                                               \
      name(X* out, const X* x, const C* cosine, const C* sine, const RotaryArguments arguments) { \
    rotary_apply<Rules, X, C, interleaved>(out, x, cosine, sine, arguments);                      \
  }
