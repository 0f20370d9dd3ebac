// Attention problems and their tensors, for tests of the reference.
#pragma once
#include <vector>

#include "lib/problem/attention.h"
#include "reference/attention.h"

namespace ropewalk::reference {

struct Tensors {
  std::vector<double> q, k, v, slopes, sinks;
  AttentionInputs inputs() const {
    return {q.data(), k.data(), v.data(), slopes.empty() ? nullptr : slopes.data(),
            sinks.empty() ? nullptr : sinks.data()};
  }
};

// Nearly normal numbers that f32 holds.
std::vector<double> normals(u64 seed, i64 count);
Tensors tensors_of(const AttentionProblem& problem);
// A small problem with any of the features.
AttentionProblem drawn_problem(u64 seed);

}  // namespace ropewalk::reference
