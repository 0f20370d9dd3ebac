#include "lib/campaign/turns.h"

#include <gtest/gtest.h>

#include <map>

namespace ropewalk {
namespace {

std::vector<Kernel> families_of(u64 forward, u64 backward) {
  std::vector<Kernel> kernels(forward + backward);
  for (u64 n = forward; n < kernels.size(); ++n) kernels[n].backward = true;
  return kernels;
}

TEST(Turns, of_one_kind_are_one_after_the_other) {
  for (const bool backward : {false, true}) {
    const std::vector<Kernel> kernels = families_of(backward ? 0 : 3, backward ? 3 : 0);
    const Turns turns({&kernels[0], &kernels[1], &kernels[2]});
    for (u64 place = 0; place < 20; ++place) {
      EXPECT_EQ(turns.at(place).kernel, place % 3);
      EXPECT_EQ(turns.at(place).number, place / 3);
    }
  }
}

TEST(Turns, of_gradients_are_a_third) {
  for (u64 forward = 1; forward < 7; ++forward) {
    for (u64 backward = 1; backward < 5; ++backward) {
      const std::vector<Kernel> kernels = families_of(forward, backward);
      std::vector<const Kernel*> all;
      for (const Kernel& kernel : kernels) all.push_back(&kernel);
      const Turns turns(all);
      std::map<u64, u64> taken;
      const u64 places = 3 * 60 * forward * backward;
      for (u64 place = 0; place < places; ++place) {
        const Turns::Turn turn = turns.at(place);
        EXPECT_EQ(kernels[turn.kernel].backward, place % 3 == 2) << place;
        EXPECT_EQ(turn.number, taken[turn.kernel]++) << place;  // none is left out, none comes twice
      }
      for (u64 n = 0; n < kernels.size(); ++n) {
        EXPECT_EQ(taken[n], n < forward ? places * 2 / 3 / forward : places / 3 / backward) << n;
      }
    }
  }
}

}  // namespace
}  // namespace ropewalk
