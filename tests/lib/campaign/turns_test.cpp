#include "lib/campaign/turns.h"

#include <gtest/gtest.h>

#include <map>

namespace ropewalk {
namespace {

std::vector<KernelFamily> families_of(u64 forward, u64 backward) {
  std::vector<KernelFamily> families(forward + backward);
  for (u64 n = forward; n < families.size(); ++n) families[n].backward = true;
  return families;
}

TEST(Turns, of_one_kind_are_one_after_the_other) {
  for (const bool backward : {false, true}) {
    const std::vector<KernelFamily> families = families_of(backward ? 0 : 3, backward ? 3 : 0);
    const Turns turns({&families[0], &families[1], &families[2]});
    for (u64 place = 0; place < 20; ++place) {
      EXPECT_EQ(turns.at(place).family, place % 3);
      EXPECT_EQ(turns.at(place).number, place / 3);
    }
  }
}

TEST(Turns, of_gradients_are_a_third) {
  for (u64 forward = 1; forward < 7; ++forward) {
    for (u64 backward = 1; backward < 5; ++backward) {
      const std::vector<KernelFamily> families = families_of(forward, backward);
      std::vector<const KernelFamily*> all;
      for (const KernelFamily& family : families) all.push_back(&family);
      const Turns turns(all);
      std::map<u64, u64> taken;
      const u64 places = 3 * 60 * forward * backward;
      for (u64 place = 0; place < places; ++place) {
        const Turns::Turn turn = turns.at(place);
        EXPECT_EQ(families[turn.family].backward, place % 3 == 2) << place;
        EXPECT_EQ(turn.number, taken[turn.family]++) << place;  // none is left out, none comes twice
      }
      for (u64 n = 0; n < families.size(); ++n) {
        EXPECT_EQ(taken[n], n < forward ? places * 2 / 3 / forward : places / 3 / backward) << n;
      }
    }
  }
}

}  // namespace
}  // namespace ropewalk
