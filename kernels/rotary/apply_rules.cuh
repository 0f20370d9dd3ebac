// How the apply kernel reads a problem, piece by piece. A seeded bug is these rules with one of them wrong.
#pragma once
#include "kernels/include/element.cuh"
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/rotary/entries.cuh"
#include "kernels/rotary/rotate.cuh"
#include "kernels/rotary/row.cuh"

// Two columns of a head that are rotated together.
struct Columns {
  int first, second;
};

// cos and sin of a token's position and one pair.
struct Angle {
  float cosine, sine;
};

struct ApplyRules {
  static __device__ __forceinline__ RotaryRow row_of(const RotaryArguments& a) { return rotary_row(a); }
  static __device__ __forceinline__ bool is_idle(const RotaryArguments&, const RotaryRow& row) {
    return row.token >= row.tokens;
  }
  static __device__ __forceinline__ int pairs_of(const RotaryArguments& a) { return a.width / 2; }
  // Pairs that the lanes go through, `pairs` of which there are.
  template <bool interleaved>
  static __device__ __forceinline__ int lanes_of(int pairs) {
    return pairs;
  }
  template <bool interleaved>
  static __device__ __forceinline__ Columns columns_of(const RotaryArguments&, int pair, int pairs) {
    return {first_column<interleaved>(pair), second_column<interleaved>(pair, pairs)};
  }
  // Where a row of cos and sin has the pair.
  static __device__ __forceinline__ long long entry_of(const RotaryArguments&, const RotaryRow& row, int pair,
                                                       int pairs) {
    return static_cast<long long>(row.position) * pairs + pair;
  }
  template <class C>
  static __device__ __forceinline__ Angle angle_of(const RotaryArguments& a, const RotaryRow& row, const C* cosine,
                                                   const C* sine, long long entry, int, int) {
    RW_INDEX(row.position, a.cache_rows, "cos.rows");
    return {to_float(cosine[entry]), to_float(sine[entry])};
  }
  // Whether this pair is rotated: asked before the heads are gone through, and in each head.
  static __device__ __forceinline__ bool is_rotated(const RotaryArguments&, int, int, const Columns&) { return true; }
  static __device__ __forceinline__ bool is_rotated_in_head(int, int) { return true; }
  template <class X>
  static __device__ __forceinline__ Pair turned(Pair x, float cosine, float sine, float direction) {
    return rotate(x, cosine, sine, direction);
  }
  static __device__ __forceinline__ int heads_of(const RotaryArguments& a) { return a.heads; }
  // What is read of a head's row before its columns are masked.
  template <class X>
  static __device__ __forceinline__ void read_ahead(const X*, const Columns&) {}
  // Where a head of the token begins: in x, in out, and in what the columns from `width` on are copied from.
  static __device__ __forceinline__ long long x_at(const RotaryArguments& a, const RotaryRow& row, int head) {
    return row.x + head * a.x_head;
  }
  static __device__ __forceinline__ long long out_at(const RotaryArguments& a, const RotaryRow& row, int head) {
    return row.out + head * a.out_head;
  }
  static __device__ __forceinline__ long long tail_at(const RotaryArguments& a, const RotaryRow& row, int head) {
    return row.x + head * a.x_head;
  }
};
