#include "lib/families/families.h"
#include "tests/lib/diagnose/hand_made.h"

namespace ropewalk::diagnose {
namespace {

// Elements of rows [first, end) of a table of 32 columns.
std::vector<i64> rows(i64 first, i64 end) { return range(first * 32, end * 32); }

TEST(Positions, offset_and_tokens_need_more_rows_than_there_are) {
  HandMade made = rotary_launch("rotary(B=2,T=16,H=4,D=64,offset=5,cache_rows=16)");
  made.touches(Rule::OutOfBoundsRead, "cos", rows(16, 21));
  made.breaks("cos.rows", 16, 16);
  EXPECT_EQ(made.cause_of(0), "cache-too-short");
  EXPECT_EQ(made.cause_of(1), "cache-too-short");
  EXPECT_EQ(made.cause(0).text, "offset 5 + 16 tokens asks for row 20 of cos, which has 16 rows");
  EXPECT_NE(made.cause(0).evidence.at(0).find("rows from 16 to 20"), std::string::npos);
}

TEST(Positions, rows_that_nobody_asked_for_are_no_short_cache) {
  HandMade made = rotary_launch("rotary(B=2,T=16,H=4,D=64,offset=5,cache_rows=16)");
  made.touches(Rule::OutOfBoundsRead, "cos", rows(16, 22));  // one row too many
  EXPECT_EQ(made.cause_of(), "");
  HandMade few = rotary_launch("rotary(B=2,T=16,H=4,D=64,offset=5,cache_rows=16)");
  few.touches(Rule::OutOfBoundsRead, "cos", rows(16, 20));  // one too few
  EXPECT_EQ(few.cause_of(), "");
}

TEST(Positions, each_sequence_has_its_offset) {
  HandMade made = rotary_launch("rotary(B=2,T=16,H=4,D=64,offsets=[0,3],cache_rows=16)");
  made.touches(Rule::OutOfBoundsRead, "sin", rows(16, 19));
  EXPECT_EQ(made.cause_of(), "cache-too-short");
  EXPECT_NE(made.cause().text.find("offset 3 + 16 tokens of sequence 1"), std::string::npos);
}

TEST(Positions, a_position_past_the_table_is_named) {
  HandMade made;
  made.launch.block = {32, 4, 1};
  made.tensor("q", {3, 2, 16});
  made.tensor("cos", {8, 8});
  made.problem = families::parse_problem("rotary(T=3,H=2,D=16,key_heads=1,cache_rows=8,positions=[0,99,1])");
  made.touches(Rule::OutOfBoundsRead, "cos", range(99 * 8, 100 * 8));
  EXPECT_EQ(made.cause_of(), "cache-too-short");
  EXPECT_NE(made.cause().text.find("positions[1] = 99"), std::string::npos);
}

TEST(Positions, without_a_problem_arrays_and_scalars_tell) {
  HandMade by_array = rotary_launch("");
  by_array.integers("seqlen_offsets", {0, 4});
  by_array.touches(Rule::OutOfBoundsRead, "cos", rows(16, 20));
  EXPECT_EQ(by_array.cause_of(), "cache-too-short");

  HandMade by_scalar = rotary_launch("");
  by_scalar.launch.arguments = {ScalarArgument{Dtype::I32, 4}};
  by_scalar.touches(Rule::OutOfBoundsRead, "cos", rows(16, 20));
  EXPECT_EQ(by_scalar.cause_of(), "cache-too-short");
  EXPECT_NE(by_scalar.cause().text.find("argument 0 = 4 + 16 tokens"), std::string::npos);

  HandMade unexplained = rotary_launch("");
  unexplained.launch.block = {32, 1, 1};
  unexplained.touches(Rule::OutOfBoundsRead, "cos", rows(16, 21));
  EXPECT_EQ(unexplained.cause_of(), "");
}

TEST(Positions, a_negative_offset_reads_before_the_start) {
  HandMade made = rotary_launch("rotary(B=2,T=16,H=4,D=64,offset=-3,cache_rows=16)");
  made.touches(Rule::OutOfBoundsRead, "cos", rows(-3, 0));
  made.breaks("cos.rows", -3, 16);
  EXPECT_EQ(made.cause_of(0), "negative-position");
  EXPECT_EQ(made.cause_of(1), "negative-position");
  EXPECT_NE(made.cause(0).evidence.at(1).find("384 bytes before the start, and a row has 128 bytes"),
            std::string::npos);
}

TEST(Positions, reads_before_the_start_that_no_offset_asks_for_have_no_cause) {
  HandMade made = rotary_launch("rotary(B=2,T=16,H=4,D=64,offset=-3,cache_rows=16)");
  made.touches(Rule::OutOfBoundsRead, "cos", rows(-4, 0));
  EXPECT_EQ(made.cause_of(), "");
  HandMade none = rotary_launch();
  none.touches(Rule::OutOfBoundsRead, "cos", rows(-3, 0));
  EXPECT_EQ(none.cause_of(), "");
}

TEST(Positions, a_negative_scalar_is_an_offset) {
  HandMade made = rotary_launch("");
  made.launch.arguments = {ScalarArgument{Dtype::I32, u32(-3)}, ScalarArgument{Dtype::I32, 16}};
  made.touches(Rule::OutOfBoundsRead, "sin", rows(-3, 0));
  EXPECT_EQ(made.cause_of(), "negative-position");
}

TEST(Positions, one_finding_on_both_sides_may_be_either) {
  HandMade made;
  made.tensor("q", {3, 2, 16});
  made.tensor("cos", {8, 8});
  made.problem = families::parse_problem("rotary(T=3,H=2,D=16,key_heads=1,cache_rows=8,positions=[-1,9,1])");
  std::vector<i64> elements = range(-8, 0);
  for (const i64 element : range(72, 80)) elements.push_back(element);
  made.touches(Rule::OutOfBoundsRead, "cos", elements);
  EXPECT_EQ(made.cause_of(), "");
  ASSERT_EQ(made.findings[0].evidence.size(), 2u);
  EXPECT_NE(made.findings[0].evidence[0].find("may be cache-too-short"), std::string::npos);
  EXPECT_NE(made.findings[0].evidence[1].find("may be negative-position"), std::string::npos);
}

TEST(Positions, sequences_that_end_behind_the_rows) {
  HandMade made;
  made.launch.block = {32, 4, 1};
  made.tensor("x", {9, 1, 64});
  made.problem = families::parse_problem("rotary(T=9,H=1,D=64,cu_seqlens=[0,5,18])");
  made.touches(Rule::OutOfBoundsRead, "x", range(9 * 64, 18 * 64));
  EXPECT_EQ(made.cause_of(), "varlen-total-over-rows");
  EXPECT_EQ(made.cause().text, "cu_seqlens[2] is 18, and x has 9 rows");

  HandMade near = made;
  near.findings.clear();
  near.touches(Rule::OutOfBoundsRead, "x", range(9 * 64, 17 * 64));
  EXPECT_EQ(near.cause_of(), "");

  HandMade bare = made;
  bare.problem.reset();
  bare.findings.clear();
  bare.integers("cu_seqlens", {0, 5, 18});
  bare.touches(Rule::OutOfBoundsRead, "x", range(9 * 64, 18 * 64));
  EXPECT_EQ(bare.cause_of(), "varlen-total-over-rows");
}

}  // namespace
}  // namespace ropewalk::diagnose
