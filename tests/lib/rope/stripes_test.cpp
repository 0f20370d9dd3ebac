// Ranks that hold every n-th position.
#include <gtest/gtest.h>

#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

constexpr i64 length = 1024;

// Rank r has position as[r] + n * row; `theta` of rank `odd` is another one, -1: of all.
std::vector<Dump> stripes(const std::vector<i64>& as, double theta = 1e4, i64 odd = -1) {
  std::vector<Dump> dumps;
  const i64 ranks = i64(as.size());
  for (i64 rank = 0; rank < ranks; ++rank) {
    Making making{plain_formula(64, length), length};
    if (odd < 0 || odd == rank) making.formula.theta = theta;
    making.position = [ranks, first = as[size_t(rank)]](i64 row) { return double(first + row * ranks); };
    dumps.push_back(bare_dump(float_table(making, length / ranks), "r" + std::to_string(rank)));
  }
  return dumps;
}

std::string cause_in(const std::vector<Dump>& dumps, bool configured = true) {
  const auto config = configured ? std::optional(config_for(plain_formula(64, length))) : std::nullopt;
  return only_cause(check_dumps(dumps, config, 1));
}

TEST(Stripes, OfOneTableAreRight) {
  for (const bool configured : {true, false}) {
    EXPECT_EQ(cause_in(stripes({0, 1}), configured), "");
    EXPECT_EQ(cause_in(stripes({0, 1, 2, 3}), configured), "");
    EXPECT_EQ(cause_in(stripes({0, 1, 2, 3, 4, 5, 6, 7}), configured), "");
  }
  const CacheAnswer answer = check_dumps(stripes({0, 1, 2, 3}), config_for(plain_formula(64, length)), 1);
  EXPECT_EQ(answer.notes[1], "the 4 files are stripes of one table (positions r, r+n, ...)");
  EXPECT_EQ(answer.passed, 4u);
}

TEST(Stripes, OfAnotherRankAreFound) {
  EXPECT_EQ(cause_in(stripes({0, 2, 1, 3})), "rank-swapped");
  EXPECT_EQ(cause_in(stripes({1, 0})), "rank-swapped");
  EXPECT_EQ(cause_in(stripes({0, 0, 2, 3})), "position-shift");
}

TEST(Stripes, OfAnotherFormulaAreFound) {
  EXPECT_EQ(cause_in(stripes({0, 1, 2, 3}, 5e5, 2)), "wrong-theta");
  EXPECT_EQ(cause_in(stripes({0, 1, 2, 3}, 5e5)), "wrong-theta");
  EXPECT_EQ(cause_in(stripes({0, 1}, 1e6)), "wrong-theta");
}

}  // namespace
}  // namespace ropewalk::rope::testing
