// The entry of a seeded bug of the forward kernel: f32, Dv up to 64.
#pragma once
#include "kernels/attention/forward.cuh"

#define ATTENTION_FAULT(name, Rules) ATTENTION_FORWARD(name##_f32_64, Rules, float, 1)

// The tiles of all keys, whatever a query sees.
struct AllKeys : AttentionRules {
  static __device__ __forceinline__ KeyRange keys_of_tile(const AttentionArguments&, const AttentionBlock& block, int) {
    return {0, block.keys};
  }
};
