// The angle of a position and a pair, for the GPU and for the host alike.
#pragma once
#include <math.h>

#include "kernels/rotary/rotate.cuh"

// Inverse frequency of pair r of `width` columns: theta^(-2 r / width), by a power of two in double precision.
ROPEWALK_ANYWHERE float inverse_frequency(int pair, int width, double log2_theta) {
  return static_cast<float>(exp2(-2.0 * pair / width * log2_theta));
}

// In f32, as models compute it: the position is exact up to 2^24, the product is rounded once.
ROPEWALK_ANYWHERE float rotary_angle(int position, float inverse_frequency) {
  return static_cast<float>(position) * inverse_frequency;
}
