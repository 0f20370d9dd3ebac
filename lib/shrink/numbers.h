// Smaller numbers on the way from one to its least.
#pragma once
#include <algorithm>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::shrink {

// Nearer to `least` than `value` is, the nearest first: the least itself, half of the value, then values whose distance
// from `value` halves each time, down to one. Each comes with its neighbour, because some numbers must be even. Empty
// where the value is the least. A value below the least comes up to it.
inline std::vector<i64> smaller_numbers(i64 value, i64 least) {
  std::vector<i64> numbers;
  const i64 step = value > least ? 1 : -1;
  const auto add = [&](i64 number) {
    const bool between = step > 0 ? number >= least && number < value : number <= least && number > value;
    if (between && std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
  };
  for (i64 distance = value - least; distance != 0; distance /= 2) {
    add(value - distance);
    add(value - distance + step);
    if (distance == value - least) add(value / 2);
  }
  return numbers;
}

}  // namespace ropewalk::shrink
