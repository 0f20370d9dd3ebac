// The rotation of one pair, for the GPU and for the host alike: tests compare the two.
//
//   first' = first cos - second sin
//   second' = first sin + second cos
//
// Which product is fused into the sum is stated here and left to no compiler, so that every one of them gives the same
// bits.
#pragma once
#include <math.h>

#ifdef __CUDACC__
#define ROPEWALK_ANYWHERE __host__ __device__ __forceinline__
#else
#define ROPEWALK_ANYWHERE inline
#endif

struct Pair {
  float first, second;
};

// direction is 1 forward and -1 backward: the gradient goes through the transposed rotation, by the negative angle.
ROPEWALK_ANYWHERE Pair rotate(Pair x, float cosine, float sine, float direction) {
  const float signed_sine = sine * direction;
  const float first = x.first * cosine, second = x.second * cosine;
  return {fmaf(x.second, -signed_sine, first), fmaf(x.first, signed_sine, second)};
}
