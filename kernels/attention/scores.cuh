// From the product of a query and a key to its score, and whether the query sees the key.
#pragma once
#include "kernels/attention/arguments.h"

__device__ __forceinline__ bool is_visible(const AttentionArguments& a, int own_key, int key, int keys) {
  return key < keys && (a.window_left < 0 || key >= own_key - a.window_left) &&
         (a.window_right < 0 || key <= own_key + a.window_right);
}

__device__ __forceinline__ float score_of(const AttentionArguments& a, float product, float slope, int own_key,
                                          int key) {
  float score = product * a.scale;
  if (a.softcap > 0.0f) score = a.softcap * tanhf(score / a.softcap);
  return a.slopes ? score - slope * fabsf(static_cast<float>(own_key - key)) : score;
}

// The score's slope by scale x product, which is 1 without softcap: softcap tanh(x / softcap) has 1 - tanh^2.
__device__ __forceinline__ float slope_of_softcap(const AttentionArguments& a, float product) {
  if (!(a.softcap > 0.0f)) return 1.0f;
  const float capped = tanhf(product * a.scale / a.softcap);
  return 1.0f - capped * capped;
}
