#include <algorithm>

#include "lib/families/families.h"
#include "tests/lib/diagnose/hand_made.h"

namespace ropewalk::diagnose {
namespace {

constexpr i64 elements = 2 * 16 * 4 * 64;  // of x

TEST(Widths, model_width_overruns_the_last_row_by_heads_less_one) {
  HandMade made = rotary_launch("rotary(B=2,T=16,H=4,D=64,rotary_dim=256)");
  made.touches(Rule::OutOfBoundsRead, "x", range(elements, elements + 64));        // first columns
  made.touches(Rule::OutOfBoundsRead, "x", range(elements, elements + 256 - 64));  // second columns
  made.touches(Rule::OutOfBoundsWrite, "out", range(elements, elements + 256 - 64));
  EXPECT_EQ(made.cause_of(0), "model-width-for-head-dim");
  EXPECT_EQ(made.cause_of(1), "model-width-for-head-dim");
  EXPECT_EQ(made.cause_of(2), "model-width-for-head-dim");
  EXPECT_EQ(made.cause(2).text, "rotary_dim 256 = 4 heads x 64: the model width was passed where head_dim was meant");
  EXPECT_NE(made.cause(2).evidence.at(1).find("256 - 64 = 192"), std::string::npos);
}

TEST(Widths, a_width_that_does_not_reach_that_far_is_no_cause) {
  HandMade made = rotary_launch("rotary(B=2,T=16,H=4,D=64,rotary_dim=256)");
  made.touches(Rule::OutOfBoundsRead, "x", range(elements, elements + 193));
  EXPECT_EQ(made.cause_of(), "");
  HandMade before = rotary_launch("rotary(B=2,T=16,H=4,D=64,rotary_dim=256)");
  before.touches(Rule::OutOfBoundsRead, "x", range(-64, 0));
  EXPECT_EQ(before.cause_of(), "");
}

TEST(Widths, other_widths_over_head_dim_have_a_name_of_their_own) {
  HandMade made = rotary_launch("rotary(B=2,T=16,H=4,D=64,rotary_dim=96)");
  made.touches(Rule::OutOfBoundsWrite, "out", range(elements, elements + 32));
  EXPECT_EQ(made.cause_of(), "width-over-head-dim");
  EXPECT_NE(made.cause().advice.find("at most 64"), std::string::npos);
}

TEST(Widths, a_broken_statement_within_the_width_has_the_same_cause) {
  HandMade made = rotary_launch("rotary(B=2,T=16,H=4,D=64,rotary_dim=96)");
  made.breaks("x.head_dim", 64, 64);
  made.breaks("x.head_dim", 96, 64);
  EXPECT_EQ(made.cause_of(0), "width-over-head-dim");
  EXPECT_EQ(made.cause_of(1), "");
}

// Seven rows of a table of 16 columns, read as those of four heads: from row 2 on they are past the end.
TEST(Widths, without_a_problem_the_rows_of_a_table_may_be_those_of_the_model) {
  const auto made_with = [](i64 width, i64 stride) {
    HandMade made = rotary_launch("");
    made.launch.tensors.clear();
    made.tensor("x", {7, 4, 32});
    made.tensor("cos", {7, 16});
    made.launch.arguments.push_back(ScalarArgument{Dtype::I32, u64(width)});
    std::vector<i64> touched;
    for (i64 row = 0; row < 7; ++row) {
      for (const i64 element : range(row * stride, row * stride + 16)) {
        if (element >= 7 * 16) touched.push_back(element);
      }
    }
    made.touches(Rule::OutOfBoundsRead, "cos", touched);
    return made;
  };
  HandMade made = made_with(128, 64);
  EXPECT_EQ(made.cause_of(), "model-width-for-head-dim");
  EXPECT_NE(made.cause().text.find("= 4 heads x 32: the model width"), std::string::npos) << made.cause().text;
  EXPECT_EQ(made_with(96, 64).cause_of(), "");   // nobody passed that width
  EXPECT_EQ(made_with(128, 48).cause_of(), "");  // and these are the rows of another
}

TEST(Widths, without_a_problem_the_tables_tell_the_width) {
  HandMade made = rotary_launch("");
  made.launch.tensors.clear();
  made.tensor("x", {1, 8, 16, 64});
  made.tensor("freqs_cos", {8, 512});
  made.touches(Rule::OutOfBoundsRead, "x", range(8192, 8192 + 960));
  EXPECT_EQ(made.cause_of(), "model-width-for-head-dim");
  HandMade near = rotary_launch("");
  near.launch.tensors.clear();
  near.tensor("x", {1, 8, 16, 64});
  near.tensor("freqs_cos", {8, 512});
  near.touches(Rule::OutOfBoundsRead, "x", range(8192, 8192 + 959));
  EXPECT_EQ(near.cause_of(), "");
}

// The tables are right, and an argument of the launch is the width of the model.
TEST(Widths, without_a_problem_an_argument_may_be_the_width_of_the_model) {
  const auto made_with = [](u64 argument, i64 over) {
    HandMade made = rotary_launch("");
    made.launch.tensors.clear();
    made.tensor("x", {2, 9, 4, 64});
    made.tensor("cos", {9, 32});
    made.launch.arguments = {ScalarArgument{Dtype::I32, 64}, ScalarArgument{Dtype::I32, argument}};
    made.touches(Rule::OutOfBoundsRead, "x", range(4608, 4608 + over));
    return made;
  };
  HandMade made = made_with(256, 192);
  EXPECT_EQ(made.cause_of(), "model-width-for-head-dim");
  EXPECT_EQ(made.cause().text,
            "width 256 (argument 1) = 4 heads x 64: the model width was passed where head_dim was meant");
  EXPECT_EQ(made_with(256, 191).cause_of(), "");
  EXPECT_EQ(made_with(255, 191).cause_of(), "");
}

TEST(Widths, without_tables_an_argument_may_be_the_width) {
  HandMade made;
  made.launch.block = {64, 1, 1};
  made.tensor("x", {4, 32});
  made.launch.arguments = {ScalarArgument{Dtype::I32, 32}, ScalarArgument{Dtype::I32, 48}};
  made.breaks("x.head_dim", 32, 32, 3 * 16);
  EXPECT_EQ(made.cause_of(), "width-over-head-dim");
  EXPECT_NE(made.cause().text.find("width 48 (argument 1)"), std::string::npos);
  EXPECT_NE(made.cause().evidence.at(1).find("48 - 32 = 16 in each of 3 rows"), std::string::npos);

  HandMade near = made;
  near.findings.clear();
  near.breaks("x.head_dim", 32, 32, 3 * 15);
  EXPECT_EQ(near.cause_of(), "");
}

TEST(Widths, an_odd_width_is_one_column_too_wide) {
  HandMade made;
  made.launch.block = {32, 4, 1};
  made.tensor("out", {3, 1, 33});
  made.problem = families::parse_problem("rotary(T=3,H=1,D=33,rotary_dim=33)");
  made.touches(Rule::OutOfBoundsWrite, "out", {99});
  made.breaks("out.head_dim", 33, 33);
  EXPECT_EQ(made.cause_of(0), "odd-rotary-dim");
  EXPECT_EQ(made.cause_of(1), "odd-rotary-dim");

  HandMade far = made;
  far.findings.clear();
  far.touches(Rule::OutOfBoundsWrite, "out", {99, 100});
  EXPECT_EQ(far.cause_of(), "");
}

TEST(Widths, a_half_pair_too_many_in_the_tables_tells_an_odd_head_dim) {
  HandMade made;
  made.tensor("x", {3, 1, 33});
  made.tensor("cos", {3, 17});
  made.touches(Rule::OutOfBoundsRead, "x", {99});
  EXPECT_EQ(made.cause_of(), "odd-rotary-dim");
}

TEST(Widths, an_odd_width_lets_the_rows_of_a_table_drift_apart) {
  HandMade made;
  made.launch.block = {32, 4, 1};
  made.tensor("cos", {5, 3});
  made.problem = families::parse_problem("rotary(T=5,rotary_dim=7)");
  made.touches(Rule::OutOfBoundsWrite, "cos", range(15, 20));
  made.breaks("cos.pairs", 3, 3);
  EXPECT_EQ(made.cause_of(0), "odd-rotary-dim");
  EXPECT_EQ(made.cause_of(1), "odd-rotary-dim");

  HandMade near = made;
  near.findings.clear();
  near.touches(Rule::OutOfBoundsWrite, "cos", range(15, 19));
  EXPECT_EQ(near.cause_of(), "");
}

}  // namespace
}  // namespace ropewalk::diagnose
