#include "lib/base/bits.h"

#include <gtest/gtest.h>

#include <vector>

#include "lib/base/random.h"

namespace ropewalk {
namespace {

// Against a plain list of booleans, for random ranges over three words.
TEST(Bits, ranges_agree_with_a_list_of_booleans) {
  Random random(1);
  u64 words[3] = {0, 0, 0};
  std::vector<bool> plain(192, false);
  for (int round = 0; round < 3000; ++round) {
    const u64 a = random.below(193), b = random.below(193);
    const u64 first = a < b ? a : b, last = a < b ? b : a;
    const bool set = random.below(2);
    if (set) set_bits(words, first, last);
    if (!set) clear_bits(words, first, last);
    for (u64 i = first; i < last; ++i) plain[i] = set;
    const u64 from = random.below(192), to = from + random.below(193 - from);
    bool all = true, any = false;
    for (u64 i = from; i < to; ++i) {
      all = all && plain[i];
      any = any || plain[i];
    }
    ASSERT_EQ(all_bits(words, from, to), all) << from << " " << to;
    ASSERT_EQ(any_bit(words, from, to), any) << from << " " << to;
  }
}

}  // namespace
}  // namespace ropewalk
