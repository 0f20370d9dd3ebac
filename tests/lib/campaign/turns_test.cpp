#include "lib/campaign/turns.h"

#include <gtest/gtest.h>

#include <map>

namespace ropewalk::campaign {
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
    for (u64 index = 0; index < 20; ++index) {
      EXPECT_EQ(turns.at(index).kernel, index % 3);
      EXPECT_EQ(turns.at(index).number, index / 3);
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
      const u64 cases = 3 * 60 * forward * backward;
      for (u64 index = 0; index < cases; ++index) {
        const Turns::Turn turn = turns.at(index);
        EXPECT_EQ(kernels[turn.kernel].backward, index % 3 == 2) << index;
        EXPECT_EQ(turn.number, taken[turn.kernel]++) << index;  // none is left out, none comes twice
      }
      for (u64 n = 0; n < kernels.size(); ++n) {
        EXPECT_EQ(taken[n], n < forward ? cases * 2 / 3 / forward : cases / 3 / backward) << n;
      }
    }
  }
}

}  // namespace
}  // namespace ropewalk::campaign
