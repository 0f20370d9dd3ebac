#include "lib/base/nearest.h"

#include <gtest/gtest.h>

namespace ropewalk {
namespace {

TEST(Nearest, distance_counts_single_changes) {
  EXPECT_EQ(edit_distance("shape", "shape"), 0u);
  EXPECT_EQ(edit_distance("shpae", "shape"), 1u);
  EXPECT_EQ(edit_distance("shap", "shape"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, first_of_equals_wins) {
  EXPECT_EQ(nearest_of("x1", {"x2", "x3"}), "x2");
  EXPECT_EQ(nearest_of("strides", {"shape", "strides", "stride"}), "strides");
  EXPECT_EQ(nearest_of("anything", {}), "");
}

TEST(Nearest, message_names_the_near_one_or_all) {
  EXPECT_EQ(did_you_mean("tensor", {"tensors", "args"}), "did you mean \"tensors\"?");
  EXPECT_EQ(did_you_mean("--sede", {"--jobs", "--seed"}), "did you mean \"--seed\"?");
  EXPECT_EQ(did_you_mean("--bogus", {"--jobs", "--seed"}), "known are \"--jobs\", \"--seed\"");
  EXPECT_EQ(did_you_mean("ab", {"cd"}), "known are \"cd\"");
  EXPECT_EQ(did_you_mean("colour", {"ptx", "args"}), "known are \"ptx\", \"args\"");
  EXPECT_EQ(did_you_mean("x", {}), "none is known here");
}

TEST(Nearest, a_name_of_a_million_letters_is_no_trouble) {
  EXPECT_EQ(did_you_mean(std::string(1000000, 'a'), {"args"}), "known are \"args\"");
}

}  // namespace
}  // namespace ropewalk
