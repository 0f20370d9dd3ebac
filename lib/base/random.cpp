#include "lib/base/random.h"

#include <cmath>

namespace ropewalk {

double random_normal(u64 seed, u64 n) {
  // Deviates 2k and 2k + 1 are the two that Box and Muller's transformation makes of numbers 2k and 2k + 1.
  const double first = 1 - random_unit(seed, n & ~u64(1));  // in (0, 1], so that its logarithm is finite
  const double second = random_unit(seed, n | 1);
  const double radius = std::sqrt(-2 * std::log(first));
  const double angle = 2 * 3.14159265358979323846 * second;
  return radius * (n & 1 ? std::sin(angle) : std::cos(angle));
}

}  // namespace ropewalk
