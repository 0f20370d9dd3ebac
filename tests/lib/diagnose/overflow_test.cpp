#include "tests/lib/diagnose/hand_made.h"

namespace ropewalk::diagnose {
namespace {

// qkv of 2,239,488,000 elements.
HandMade large() {
  HandMade made;
  made.launch.block = {128, 1, 1};
  made.launch.blocks = {64, 1};
  made.tensor("x", {7200, 90, 48, 72});
  return made;
}

TEST(Overflow, an_index_that_the_machine_saw_wrap) {
  HandMade made = large();
  made.overflows("x", 2147731200);
  EXPECT_EQ(made.cause_of(), "int32-overflow");
  EXPECT_EQ(made.cause().text, "an index of 2147731200 was computed with 32 bits and became -2147236096");
  EXPECT_NE(made.cause().evidence.at(1).find("2239488000 elements, more than"), std::string::npos);
}

TEST(Overflow, an_index_that_fits_is_none) {
  HandMade made = large();
  made.overflows("x", 2147483647);
  EXPECT_EQ(made.cause_of(), "");
}

TEST(Overflow, an_access_2_to_the_32_elements_before_one_of_the_tensor) {
  HandMade made = large();
  made.touches(Rule::OutOfBoundsRead, "x", {-2147236096, -2147236095});
  EXPECT_EQ(made.cause_of(), "int32-overflow");
  EXPECT_NE(made.cause().evidence.at(0).find("= element 2147731200"), std::string::npos);
}

// Rows may be so far apart that the one before the tensor looks like an index that wrapped.
TEST(Overflow, a_sequence_that_starts_before_the_tensor_is_none) {
  HandMade made = large();
  made.integers("cu_seqlens", {-1, 90});
  made.touches(Rule::OutOfBoundsRead, "x", {-2147236096, -2147236095});
  EXPECT_EQ(made.cause_of(), "");
}

TEST(Overflow, an_access_shortly_before_the_start_is_none) {
  HandMade made = large();
  made.touches(Rule::OutOfBoundsRead, "x", {-8});
  EXPECT_EQ(made.cause_of(), "");
  HandMade small = rotary_launch();
  small.touches(Rule::OutOfBoundsRead, "x", {-2147236096});
  EXPECT_EQ(small.cause_of(), "");
}

}  // namespace
}  // namespace ropewalk::diagnose
