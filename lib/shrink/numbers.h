// Smaller numbers on the way from one to its least.
#pragma once
#include <vector>

#include "lib/base/types.h"

namespace ropewalk {

// Nearer to `least` than `value` is, the nearest first: least itself, then values whose distance from `value` halves
// each time, down to one. Empty where the value is the least. A value below the least comes up to it.
inline std::vector<i64> smaller_numbers(i64 value, i64 least) {
  std::vector<i64> numbers;
  for (i64 distance = value - least; distance != 0; distance /= 2) numbers.push_back(value - distance);
  return numbers;
}

}  // namespace ropewalk
