#include "lib/init/separate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace ropewalk::init {
namespace {

// Every order of so many steps, judged by a predicate over the positions.
std::vector<Judged> judged(size_t steps, const std::function<bool(const std::vector<u8>&)>& bad) {
  std::vector<u8> position(steps);
  std::iota(position.begin(), position.end(), u8(0));
  std::vector<Judged> orders;
  do {
    orders.push_back({position, bad(position)});
  } while (std::next_permutation(position.begin(), position.end()));
  return orders;
}

bool holds(const SeparatingRule& rule, const std::vector<u8>& position) {
  return std::any_of(rule.alternatives.begin(), rule.alternatives.end(), [&](const std::vector<Precedence>& all) {
    return std::all_of(all.begin(), all.end(),
                       [&](const Precedence& one) { return position[one.first] < position[one.second]; });
  });
}

bool always(u8, u8) { return true; }

void expect_fits(const std::vector<Judged>& orders) {
  const std::optional<SeparatingRule> rule = separating_rule(orders, always);
  ASSERT_TRUE(rule);
  for (const Judged& order : orders) EXPECT_EQ(holds(*rule, order.position), order.bad);
}

TEST(SeparatingRule, FindsOnePrecedence) {
  const auto orders = judged(4, [](const std::vector<u8>& position) { return position[2] < position[0]; });
  const std::optional<SeparatingRule> rule = separating_rule(orders, always);
  ASSERT_TRUE(rule);
  ASSERT_EQ(rule->alternatives.size(), 1u);
  ASSERT_EQ(rule->alternatives[0].size(), 1u);
  EXPECT_EQ(rule->alternatives[0][0].first, 2);
  EXPECT_EQ(rule->alternatives[0][0].second, 0);
}

TEST(SeparatingRule, FindsSeveralThatMustHold) {
  expect_fits(judged(5, [](const std::vector<u8>& p) { return p[0] < p[1] && p[3] < p[2]; }));
  expect_fits(judged(5, [](const std::vector<u8>& p) { return p[0] < p[1] && p[3] < p[2] && p[4] < p[2]; }));
}

TEST(SeparatingRule, FindsAlternatives) {
  expect_fits(judged(4, [](const std::vector<u8>& p) { return p[0] < p[1] || p[3] < p[2]; }));
  expect_fits(judged(4, [](const std::vector<u8>& p) { return (p[0] < p[1] && p[1] < p[2]) || p[3] < p[0]; }));
}

TEST(SeparatingRule, KnowsNeverAndAlways) {
  const auto never = separating_rule(judged(3, [](const std::vector<u8>&) { return false; }), always);
  ASSERT_TRUE(never);
  EXPECT_TRUE(never->alternatives.empty());
  const auto ever = separating_rule(judged(3, [](const std::vector<u8>&) { return true; }), always);
  ASSERT_TRUE(ever);
  ASSERT_EQ(ever->alternatives.size(), 1u);
  EXPECT_TRUE(ever->alternatives[0].empty());
}

TEST(SeparatingRule, ClaimsNothingThatDoesNotFitExactly) {
  const auto parity = judged(4, [](const std::vector<u8>& p) {
    int turned = 0;
    for (size_t a = 0; a < 4; ++a) {
      for (size_t b = a + 1; b < 4; ++b) turned += p[a] > p[b];
    }
    return turned % 2 == 1;
  });
  EXPECT_FALSE(separating_rule(parity, always));
}

TEST(SeparatingRule, LeavesOutWhatSaysNothing) {
  const auto orders = judged(3, [](const std::vector<u8>& p) { return p[0] < p[1]; });
  EXPECT_FALSE(separating_rule(orders, [](u8 a, u8 b) { return a + b != 1; }));
}

}  // namespace
}  // namespace ropewalk::init
