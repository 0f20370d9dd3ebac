// What the tensors of a rotary launch hold at first.
#pragma once
#include <memory>

#include "lib/problem/rotary.h"
#include "lib/tensor/init.h"

namespace ropewalk::kernels {

// x (or q, k: another stream each) of a problem by its seed and kind of input. Small tensors are made at once, so that
// the machine and the reference share the work; large ones are described and made where they are touched.
//   normal:   mean 0, deviation 1
//   integers: whole numbers in [-8, 8], whose products with cos and sin show a swapped or lost element by eye
//   large:    deviation 2^12 (f16) or 2^100, far from overflow and far from 1
Init rotary_input(const RotaryProblem& problem, const Shape& shape, u64 stream);

// Inverse frequencies theta^(-2 r / width) of pairs r, in double precision.
std::vector<double> inverse_frequencies(i64 width, double theta);

// cos and sin of position x inverse frequency [rows, pairs], computed in double precision and rounded once to `dtype`:
// what a healthy cache of that width holds. Kept for the next caller.
struct RotaryTables {
  std::shared_ptr<const Array> cosine, sine;
};
RotaryTables rotary_tables(i64 rows, i64 width, double theta, Dtype dtype);

}  // namespace ropewalk::kernels
