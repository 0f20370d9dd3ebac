// Wrong ways to understand a problem, and what each expects of an output.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

inline constexpr double anything = std::numeric_limits<double>::infinity();  // the bound where nothing is expected

// What is expected of an output, by element.
struct Expected {
  std::vector<double> value, bound;

  // Zeros, with bounds of zero.
  static Expected of_size(i64 count) { return {std::vector<double>(u64(count)), std::vector<double>(u64(count))}; }
};

struct OutputHypothesis {
  std::string cause;  // id
  std::string text;   // what a kernel does that understands the problem so
  std::string advice;
  Expected expected;
};

}  // namespace ropewalk::diagnose
