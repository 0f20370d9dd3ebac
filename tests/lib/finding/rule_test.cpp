#include "lib/finding/rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace ropewalk {
namespace {

TEST(Rule, the_table_is_in_the_order_of_the_enumeration) {
  EXPECT_EQ(all_rules().size(), size_t(Rule::LaunchFailed) + 1);
  for (size_t i = 0; i < all_rules().size(); ++i) EXPECT_EQ(size_t(all_rules()[i].rule), i);
}

TEST(Rule, names_are_unique_and_come_back) {
  std::set<std::string_view> names;
  for (const RuleInfo& info : all_rules()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(rule_named(info.name), info.rule);
    EXPECT_EQ(info.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string_view::npos);
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
                           "launch-failed"}) {
    EXPECT_TRUE(rule_named(name).has_value()) << name;
  }
}

TEST(Rule, every_page_has_three_sentences) {
  for (const RuleInfo& info : all_rules()) {
    for (const std::string_view sentence : {info.means, info.hurts, info.causes}) {
      EXPECT_GT(sentence.size(), 40u) << info.name;
      EXPECT_EQ(sentence.back(), '.') << info.name;
      EXPECT_EQ(sentence.find(". "), std::string_view::npos) << info.name << ": more than one sentence";
    }
    EXPECT_FALSE(info.title.empty());
    EXPECT_NE(info.title.back(), '.');
  }
}

}  // namespace
}  // namespace ropewalk
