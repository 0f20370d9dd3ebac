#include "lib/campaign/shown.h"

#include <gtest/gtest.h>

namespace ropewalk::campaign {
namespace {

TEST(ShownFindings, run_a_case_once_for_all_findings) {
  ShownFindings shown;
  int runs = 0;
  const auto run = [&] {
    ++runs;
    return ShownFindings::Ids{"a", "b"};
  };
  EXPECT_TRUE(shown.shows("first", "a", run));
  EXPECT_TRUE(shown.shows("first", "b", run));
  EXPECT_FALSE(shown.shows("first", "c", run));
  EXPECT_EQ(runs, 1);
  EXPECT_FALSE(shown.shows("second", "a", [] { return ShownFindings::Ids{}; }));
  EXPECT_TRUE(shown.shows("first", "a", run));
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace ropewalk::campaign
