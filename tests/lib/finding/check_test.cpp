#include "lib/finding/check.h"

#include <gtest/gtest.h>

#include "tests/lib/message.h"

namespace ropewalk {
namespace {

TEST(Check, lists_are_read_and_printed) {
  EXPECT_EQ(parse_checks("all"), CheckSet::all());
  EXPECT_EQ(text_of(parse_checks("races, bounds")), "bounds,races");
  EXPECT_EQ(text_of(parse_checks("none")), "none");
  EXPECT_EQ(text_of(CheckSet::all()), "all");
  EXPECT_FALSE(parse_checks("all,-races").has(Check::Races));
  EXPECT_TRUE(parse_checks("all,-races").has(Check::Outputs));
  EXPECT_EQ(parse_checks("-races"), parse_checks("all,-races"));
  for (const Check check : all_checks()) {
    CheckSet set;
    set.add(check);
    EXPECT_EQ(parse_checks(name_of(check)), set);
  }
  EXPECT_EQ(CheckSet::all().bits(), (1u << all_checks().size()) - 1);
}

TEST(Check, unknown_names_are_answered_with_the_nearest) {
  EXPECT_EQ(message_of([] { parse_checks("bounds,race"); }),
            "unknown check \"race\" in --checks, did you mean \"races\"?");
  EXPECT_EQ(message_of([] { parse_checks("bounds,,races"); }),
            "--checks is a list such as \"bounds,races\" or \"all,-races\", found an empty name in \"bounds,,races\"");
  EXPECT_EQ(message_of([] { parse_checks(""); }),
            "--checks is a list such as \"bounds,races\" or \"all,-races\", found an empty name in \"\"");
}

}  // namespace
}  // namespace ropewalk
