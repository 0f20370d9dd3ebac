// How the ring kernels deal out sequences, pass its keys on and merge what comes of them, piece by piece. A seeded
// fault is these rules with one of them wrong.
#pragma once
#include "kernels/attention/ring_arguments.h"
#include "kernels/attention/rules.cuh"

// A sequence in the ring.
struct Ring {
  int ranks, zigzag;
  int tokens;  // of one rank
  int first;   // row of a rank's tensors that they begin at
  int rows;    // of a rank's tensors
};

__device__ __forceinline__ Ring ring_of(const AttentionArguments& a, int ranks, int zigzag, int sequence, int tokens) {
  return {ranks, zigzag, tokens, a.cu_seqlens_q ? a.cu_seqlens_q[sequence] : 0, static_cast<int>(a.lse_head)};
}

// The tensor of a rank.
template <class Pointer>
__device__ __forceinline__ Pointer of_rank(Pointer const (&tensors)[most_ranks], int rank) {
  Pointer chosen = tensors[0];
#pragma unroll
  for (int n = 1; n < most_ranks; ++n) {
    Pointer other = tensors[n];
    asm("" : "+l"(other));  // the pointers are chosen from, and not the places that they are loaded from
    chosen = n == rank ? other : chosen;
  }
  return chosen;
}

struct RingRules : AttentionRules {
  // The place in the whole sequence of a rank's token. Later tokens have later places.
  static __device__ __forceinline__ int place_of(const Ring& ring, int rank, int token) {
    if (!ring.zigzag) return rank * ring.tokens + token;
    const int chunk = ring.tokens / 2;
    return token < chunk ? rank * chunk + token : (2 * ring.ranks - 1 - rank) * chunk + token - chunk;
  }
  // Steps in which a rank's queries meet keys.
  static __device__ __forceinline__ int steps_of(const Ring& ring) { return ring.ranks; }
  // The rank whose keys a rank has in a step: its own first, then those that come around from the rank before.
  static __device__ __forceinline__ int source_of(const Ring& ring, int rank, int step) {
    return (rank + ring.ranks - step % ring.ranks) % ring.ranks;
  }
  // The place of one of these keys.
  static __device__ __forceinline__ int key_place(const Ring& ring, int, int source, int token) {
    return place_of(ring, source, token);
  }
  // Of the backward: steps in which a rank's keys meet queries, and whose these are.
  static __device__ __forceinline__ int key_steps_of(const Ring& ring) { return ring.ranks; }
  static __device__ __forceinline__ int visitor_of(const Ring& ring, int rank, int step) {
    return (rank + step) % ring.ranks;
  }
  // Keys that a rank's part of k and v is taken to have.
  static __device__ __forceinline__ int keys_of_part(const Ring& ring) { return ring.tokens; }
  // Whether any of the queries between two places may see any of the keys between two places.
  static __device__ __forceinline__ bool is_any_visible(const AttentionArguments& a, int first_query, int last_query,
                                                        int first_key, int last_key) {
    return (a.window_left < 0 || last_key >= first_query - a.window_left) &&
           (a.window_right < 0 || first_key <= last_query + a.window_right);
  }
  // What the merges begin with: the sink is a part without values, so that it counts once.
  static __device__ __forceinline__ float first_lse(const AttentionArguments& a, int head) {
    return a.sinks ? a.sinks[head] : -INFINITY;
  }
  // What a step's sum of exponentials begins with, which none of the step's values belongs to.
  static __device__ __forceinline__ float first_largest(const AttentionArguments&, int) { return -INFINITY; }
  static __device__ __forceinline__ float first_sum(const AttentionArguments&) { return 0.0f; }
  // Merges a step's out and lse into those of the steps before.
  template <int columns>
  static __device__ __forceinline__ void merge(float& lse, float (&out)[columns], float part_lse,
                                               const float (&part)[columns], int step) {
    if (part_lse == -INFINITY) return;  // nothing was seen: -inf - -inf is no number
    const float largest = fmaxf(lse, part_lse);
    const float merged = largest + logf(expf(lse - largest) + expf(part_lse - largest));
    const float kept = expf(lse - merged), share = expf(part_lse - merged);
#pragma unroll
    for (int n = 0; n < columns; ++n) out[n] = out[n] * kept + part[n] * share;
    lse = merged;
  }
  // The lse that is stored, of the one that the merges came to.
  static __device__ __forceinline__ float stored_lse(float lse) { return lse; }
};
