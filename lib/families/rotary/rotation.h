// What a rotation starts from, and what it comes to if some of that is taken otherwise.
#pragma once
#include <vector>

#include "lib/diagnose/output_hypothesis.h"
#include "lib/problem/rotary.h"

namespace ropewalk::rotary {

struct Rotation {
  RotaryProblem problem;
  i64 heads = 1;
  std::vector<double> x;             // [token rows, heads, D]
  std::vector<i64> positions;        // of each token row; -1: of no sequence
  std::vector<double> cosine, sine;  // [rows, pairs]; NaN where nothing is known of an entry

  // By the reference; a token whose position has no row, and a pair of which nothing is known, says nothing.
  diagnose::Expected expected() const;
};

// The right rotation of an output of the launch; nullopt where the launch has not the tensors of one.
std::optional<Rotation> rotation_of(const LaunchTensor& output, const RotaryProblem& problem, const Launch& launch);

}  // namespace ropewalk::rotary
