#include <cmath>

#include "tests/lib/rope/draws.h"

namespace ropewalk::rope::testing {
namespace {

template <class T, size_t N>
T pick(Random& random, const T (&list)[N]) {
  return list[random.below(N)];
}

}  // namespace

RopeFormula random_formula(Random& random) {
  RopeFormula f;
  constexpr i64 dims[] = {64, 128, 32, 96, 80, 256};
  constexpr double thetas[] = {1e4, 5e5, 1e6, 1e5, 1e7};
  constexpr i64 lengths[] = {256, 512, 1024, 2048, 4096};
  f.head_dim = f.rotary_dim = pick(random, dims);
  f.theta = pick(random, thetas);
  f.max_positions = pick(random, lengths);
  f.type = all_rope_types()[random.below(all_rope_types().size())];
  if (f.type == RopeType::Default && random.below(2)) f.rotary_dim = f.head_dim / 2;  // partial rotary
  constexpr double factors[] = {2, 4, 8, 16, 32, 40};
  switch (f.type) {
    case RopeType::Default:
      break;
    case RopeType::Dynamic:
      f.factor = pick(random, factors);
      f.max_positions = std::min<i64>(f.max_positions, 1024);
      break;
    case RopeType::DynamicAlpha:
      f.alpha = double(random.between(2, 1000));
      break;
    case RopeType::Yarn:
    case RopeType::DeepseekYarn:
      f.factor = pick(random, factors);
      f.original_positions = std::max<i64>(f.max_positions / 4, 64);
      f.truncate = random.below(4) != 0;
      if (f.type == RopeType::DeepseekYarn) {
        f.mscale = 0.707;
        f.mscale_all_dim = random.below(2) ? 1.0 : 0.707;
      } else if (random.below(4) == 0) {
        f.attention_factor = 1.2;
      }
      break;
    case RopeType::LongRope:
      f.original_positions = f.max_positions / 4;
      f.factor = 4;
      for (i64 i = 0; i < f.rotary_dim / 2; ++i) {
        f.short_factor.push_back(1 + 0.02 * double(i) + 0.05 * random.unit());
        f.long_factor.push_back(1 + 0.5 * double(i) + random.unit());
      }
      break;
    case RopeType::Llama3:
      f.factor = pick(random, factors);
      f.original_positions = std::max<i64>(f.max_positions / 8, 64);
      break;
    case RopeType::Proportional:
      f.rotary_dim = f.head_dim / 4;
      break;
    case RopeType::MixedNtk:
      f.mixed_b = 0.625;
      f.factor = pick(random, factors);
      break;
    default:
      f.factor = pick(random, factors);
      break;
  }
  return f;
}

}  // namespace ropewalk::rope::testing
