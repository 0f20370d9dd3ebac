#include "lib/compat/patterns.h"

#include <gtest/gtest.h>

namespace ropewalk::compat {
namespace {

using Constant = PythonConstant;

std::string groups(const std::string& function, const std::string& pattern, const std::string& text) {
  const auto found = matched(function, pattern, text);
  if (!found) return "open";
  if (found->kind == Constant::Kind::None) return "None";
  const auto all = match_method(*found, "groups", {});
  std::string out;
  for (const Constant& one : all->items) out += (one.kind == Constant::Kind::None ? "None" : one.text) + " ";
  return out;
}

TEST(Patterns, TakeVersionsApart) {
  EXPECT_EQ(groups("match", R"((\d+)\.(\d+))", "2.6.3"), "2 6 ");
  EXPECT_EQ(groups("match", R"(^v?(\d+)\.(\d+)(?:\.(\d+))?$)", "2.6"), "2 6 None ");
  EXPECT_EQ(groups("match", R"((\d+)\.(\d+)$)", "2.6.3"), "None");
  EXPECT_EQ(groups("search", R"(\.(\d+)$)", "2.6.3"), "3 ");
  EXPECT_EQ(groups("match", R"(\.(\d+)$)", "2.6.3"), "None");
  EXPECT_EQ(groups("fullmatch", R"((\d+)\.(\d+))", "2.6.3"), "None");
  EXPECT_EQ(groups("match", R"((?P<major>\d+)\.(?P<minor>[0-9]+))", "2.10.1"), "2 10 ");
  const auto numbers = matched("findall", R"(\d+)", "2.7.4.post1");
  ASSERT_TRUE(numbers);
  EXPECT_EQ(*numbers, Constant::of_items({Constant::of_text("2"), Constant::of_text("7"), Constant::of_text("4"),
                                          Constant::of_text("1")}));
}

TEST(Patterns, GroupsHaveNumbersAndNames) {
  const auto match = matched("match", R"((?P<major>\d+)\.(\d+))", "2.6.3");
  ASSERT_TRUE(match);
  EXPECT_EQ(match_method(*match, "group", {}), Constant::of_text("2.6"));
  EXPECT_EQ(match_method(*match, "group", {Constant::of_number(2)}), Constant::of_text("6"));
  EXPECT_EQ(match_method(*match, "group", {Constant::of_text("major")}), Constant::of_text("2"));
  EXPECT_EQ(match_method(*match, "group", {Constant::of_number(3)}), std::nullopt);
  EXPECT_EQ(match_method(*match, "end", {}), std::nullopt);
}

TEST(Patterns, WhatIsNotReadAlikeIsLeftOpen) {
  for (const char* pattern :
       {R"((?i)v\d)", R"((?=2)\d)", R"(\A\d)", R"((\d)\1)", R"(\d++)", "[]2]", "[^]2]", "[[2]", "(2", "2)"})
    EXPECT_EQ(groups("match", pattern, "2.6.3"), "open") << pattern;
  EXPECT_EQ(groups("match", "2", std::string(40, '2')), "open");
}

}  // namespace
}  // namespace ropewalk::compat
