#include "lib/rope/made/memory.h"

#include <bit>
#include <limits>

namespace ropewalk::rope {
namespace {

float deviate(Random& random) { return float(normal_quantile(0.0005 + 0.999 * random.unit())); }

float one_of(Random& random, MemoryHolds holds) {
  switch (holds) {
    case MemoryHolds::Weights:
      return 0.02f * deviate(random);
    case MemoryHolds::Zeros:
      return 0;
    case MemoryHolds::Bits:
      return std::bit_cast<float>(u32(random.bits()));
    case MemoryHolds::Activations:
      return deviate(random);
    case MemoryHolds::SomeNan:
      return random.below(20) ? 0.0f : std::numeric_limits<float>::quiet_NaN();
  }
  return 0;
}

}  // namespace

void fill_memory(Random& random, std::vector<float>& values, i64 first, MemoryHolds holds) {
  for (size_t n = size_t(first); n < values.size(); ++n) values[n] = one_of(random, holds);
}

}  // namespace ropewalk::rope
