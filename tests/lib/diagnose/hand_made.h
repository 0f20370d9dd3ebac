// Launches and findings put together by hand, as the machine would report them.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/diagnose/diagnose.h"

namespace ropewalk::diagnose {

// A launch, its findings and perhaps its problem; tensors and findings are added one by one.
struct HandMade {
  Launch launch;
  std::vector<Finding> findings;
  std::optional<Problem> problem;

  LaunchTensor& tensor(const std::string& name, const Shape& shape, const Strides& strides = {});
  // An i64 tensor of these values.
  void integers(const std::string& name, const std::vector<i64>& values);

  // An access outside of a tensor (or of its regions) at these elements of the footprint.
  Finding& touches(Rule rule, const std::string& tensor, const std::vector<i64>& elements);
  // An index statement, "x.head_dim", that `accesses` threads break.
  Finding& breaks(const std::string& statement, i64 value, i64 bound, u64 accesses = 1);
  Finding& overflows(const std::string& tensor, i64 exact);

  // Diagnoses all, and gives the cause of the n-th finding; "" where it has none.
  std::string cause_of(size_t n = 0);
  // The last finding's whole cause after cause_of, for texts.
  const Cause& cause(size_t n = 0) const { return *findings.at(n).cause; }
};

// first, first + 1, ..., end - 1.
std::vector<i64> range(i64 first, i64 end);

// x, out [2, 16, 4, 64], cos, sin [16, 32] in f32, a grid of token tiles of 4 with 32 lanes.
HandMade rotary_launch(const std::string& problem = "rotary(B=2,T=16,H=4,D=64)");

}  // namespace ropewalk::diagnose
