#include "lib/finding/rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace ropewalk {
namespace {

TEST(Rule, names_are_unique_and_come_back) {
  std::set<std::string_view> names;
  for (const Rule rule : all_rules()) {
    EXPECT_TRUE(names.insert(name_of(rule)).second) << name_of(rule);
    EXPECT_EQ(rule_named(name_of(rule)), rule);
    EXPECT_EQ(name_of(rule).find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string_view::npos);
  }
  EXPECT_EQ(rule_named("out-of-luck"), std::nullopt);
}

// Reports and baselines are built on these names.
TEST(Rule, the_fixed_names_are_there) {
  for (const char* name : {"out-of-bounds-read",
                           "out-of-bounds-write",
                           "index-out-of-field",
                           "misaligned-access",
                           "uninitialized-read",
                           "use-after-free",
                           "shared-race",
                           "global-race",
                           "barrier-divergence",
                           "inactive-lane-read",
                           "index-overflow",
                           "division-by-zero",
                           "nonfinite-origin",
                           "hang",
                           "launch-limit",
                           "output-mismatch",
                           "output-not-written",
                           "nondeterministic-output",
                           "bad-argument-accepted",
                           "good-argument-rejected",
                           "cache-mismatch",
                           "rank-mismatch",
                           "init-order",
                           "signature-mismatch",
                           "device-assert",
                           "illegal-address",
                           "launch-failed",
                           "stream-race"}) {
    EXPECT_TRUE(rule_named(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace ropewalk
