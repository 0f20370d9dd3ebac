#include <algorithm>

#include "lib/families/families.h"
#include "tests/lib/diagnose/hand_made.h"

namespace ropewalk::diagnose {
namespace {

// Offsets that `strides` reach in a tensor without gaps, from its end on.
std::vector<i64> past_end(const Shape& shape, const Strides& strides) {
  std::vector<i64> out;
  for (i64 n = 0; n < element_count(shape); ++n) {
    const i64 offset = offset_of(strides, index_of(shape, n));
    if (offset >= element_count(shape)) out.push_back(offset);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// x has gaps of 8 elements behind each row, out has none.
HandMade gaps_in_x() {
  HandMade made;
  made.launch.block = {32, 4, 1};
  made.tensor("x", {1, 4, 2, 16}, {192, 48, 24, 1});
  made.tensor("out", {1, 4, 2, 16});
  made.problem = families::parse_problem("rotary(T=4,H=2,D=16,row_gap=8)");
  return made;
}

TEST(Strides, the_strides_of_x_are_used_for_out) {
  HandMade made = gaps_in_x();
  made.touches(Rule::OutOfBoundsWrite, "out", past_end({1, 4, 2, 16}, {192, 48, 24, 1}));
  EXPECT_EQ(made.cause_of(), "wrong-stride");
  EXPECT_EQ(made.cause().text, "out is indexed with strides of x: [128, 48, 24, 1] instead of [128, 32, 16, 1]");
}

TEST(Strides, one_element_more_or_less_is_another_cause) {
  HandMade less = gaps_in_x();
  std::vector<i64> elements = past_end({1, 4, 2, 16}, {192, 48, 24, 1});
  elements.pop_back();
  less.touches(Rule::OutOfBoundsWrite, "out", elements);
  EXPECT_EQ(less.cause_of(), "");
  HandMade more = gaps_in_x();
  elements = past_end({1, 4, 2, 16}, {192, 48, 24, 1});
  elements.push_back(elements.back() + 1);
  more.touches(Rule::OutOfBoundsWrite, "out", elements);
  EXPECT_EQ(more.cause_of(), "");
}

TEST(Strides, what_is_left_unwritten_must_fit_as_well) {
  HandMade made = gaps_in_x();
  const std::vector<i64> strays = past_end({1, 4, 2, 16}, {192, 48, 24, 1});
  made.touches(Rule::OutOfBoundsWrite, "out", strays);
  std::vector<i64> unwritten = range(0, 128);
  for (i64 n = 0; n < 128; ++n) {
    const i64 offset = offset_of({192, 48, 24, 1}, index_of({1, 4, 2, 16}, n));
    unwritten.erase(std::remove(unwritten.begin(), unwritten.end(), offset), unwritten.end());
  }
  made.touches(Rule::OutputNotWritten, "out", unwritten);
  EXPECT_EQ(made.cause_of(0), "wrong-stride");
  EXPECT_EQ(made.cause_of(1), "wrong-stride");

  HandMade other = gaps_in_x();
  other.touches(Rule::OutOfBoundsWrite, "out", strays);
  unwritten.pop_back();
  other.touches(Rule::OutputNotWritten, "out", unwritten);
  EXPECT_EQ(other.cause_of(0), "");
  EXPECT_EQ(other.cause_of(1), "");
}

TEST(Strides, one_stride_of_q_is_used_for_k) {
  HandMade made;
  made.launch.block = {32, 4, 1};
  made.tensor("q", {3, 4, 16}, {96, 24, 1});
  made.tensor("k", {3, 2, 16});
  made.touches(Rule::OutOfBoundsWrite, "k", range(96, 104));
  EXPECT_EQ(made.cause_of(), "wrong-stride");
  EXPECT_EQ(made.cause().text, "k is indexed with strides of q: [32, 24, 1] instead of [32, 16, 1]");
}

TEST(Strides, gaps_are_taken_for_rows) {
  HandMade made;
  LaunchTensor& x = made.tensor("x", {4, 16}, {24, 1});
  x.regions = {{"x", 0, 4, 0, 16}};
  // Offsets 16 to 23 and 40 to 47 lie in gaps: the footprint names the element before each.
  made.touches(Rule::IndexOutOfField, "x", {15, 31});
  EXPECT_EQ(made.cause_of(), "wrong-stride");
  EXPECT_NE(made.cause().text.find("without gaps"), std::string::npos);

  HandMade all_gaps;
  LaunchTensor& y = all_gaps.tensor("x", {4, 16}, {24, 1});
  y.regions = {{"x", 0, 4, 0, 16}};
  all_gaps.touches(Rule::IndexOutOfField, "x", {15, 31, 47});  // lanes behind each row
  EXPECT_EQ(all_gaps.cause_of(), "");
}

}  // namespace
}  // namespace ropewalk::diagnose
