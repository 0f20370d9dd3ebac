// Causes that are predicted to the element: claimed where all is as predicted, and not where an element differs.
#include "lib/families/families.h"
#include "tests/lib/diagnose/hand_made.h"

namespace ropewalk::diagnose {

using families::parse_problem;

namespace {

// q [3, 4, 16], k [3, 2, 16].
HandMade q_and_k(const std::string& problem = "rotary(T=3,H=4,D=16,key_heads=2)") {
  HandMade made;
  made.launch.block = {32, 3, 1};
  made.tensor("q", {3, 4, 16});
  made.tensor("k", {3, 2, 16});
  made.tensor("cos", {3, 8});
  if (!problem.empty()) made.problem = parse_problem(problem);
  return made;
}

TEST(Extents, k_is_gone_through_with_the_heads_of_q) {
  HandMade made = q_and_k();
  made.touches(Rule::OutOfBoundsWrite, "k", range(96, 96 + 2 * 16));
  EXPECT_EQ(made.cause_of(), "wrong-head-count");
  HandMade less = q_and_k();
  less.touches(Rule::OutOfBoundsWrite, "k", range(96, 96 + 2 * 16 - 1));
  EXPECT_NE(less.cause_of(), "wrong-head-count");
}

TEST(Extents, k_is_gone_through_to_the_end_of_q) {
  HandMade made;
  made.tensor("q", {6, 2, 16});
  made.tensor("k", {2, 2, 16});
  made.problem = parse_problem("rotary(B=3,T=2,H=2,D=16,key_heads=2,key_batch=1)");
  made.touches(Rule::OutOfBoundsWrite, "k", range(64, 64 + 4 * 32));
  EXPECT_EQ(made.cause_of(), "unequal-batches");
  made.findings.clear();
  made.touches(Rule::OutOfBoundsWrite, "k", range(64, 64 + 3 * 32));
  EXPECT_NE(made.cause_of(), "unequal-batches");
}

// Of three dimensions the first may be heads: nothing is known of a batch.
TEST(Extents, the_first_of_three_dimensions_is_no_batch_where_no_problem_says_so) {
  HandMade made;
  made.tensor("q", {4, 50, 32});
  made.tensor("k", {2, 50, 32});
  made.touches(Rule::OutOfBoundsRead, "k", range(3200, 3200 + 2 * 1600));
  EXPECT_NE(made.cause_of(), "unequal-batches");
  HandMade batched;
  batched.tensor("q", {4, 50, 2, 32});
  batched.tensor("k", {2, 50, 2, 32});
  batched.touches(Rule::OutOfBoundsRead, "k", range(6400, 6400 + 2 * 3200));
  EXPECT_EQ(batched.cause_of(), "unequal-batches");
}

HandMade bf16_tables() {
  HandMade made = rotary_launch("rotary(B=2,T=16,H=4,D=64,dtype=bf16,cache_dtype=bf16)");
  for (LaunchTensor& tensor : made.launch.tensors) tensor.dtype = Dtype::BF16;
  return made;
}

TEST(Tables, elements_are_read_as_if_they_were_wider) {
  HandMade made = bf16_tables();
  made.touches(Rule::OutOfBoundsRead, "cos", range(512, 1024)).access->bytes = 4;
  EXPECT_EQ(made.cause_of(), "wrong-dtype-width");
  HandMade same = bf16_tables();
  same.touches(Rule::OutOfBoundsRead, "cos", range(512, 1024));  // two bytes each
  EXPECT_NE(same.cause_of(), "wrong-dtype-width");
  HandMade less = bf16_tables();
  less.touches(Rule::OutOfBoundsRead, "cos", range(512, 1000)).access->bytes = 4;
  EXPECT_NE(less.cause_of(), "wrong-dtype-width");
}

TEST(Tables, a_vector_too_many_behind_the_last_row) {
  HandMade made = rotary_launch();
  made.touches(Rule::OutOfBoundsRead, "cos", range(512, 516)).access->bytes = 16;
  EXPECT_EQ(made.cause_of(), "vector-too-wide");
  HandMade two = rotary_launch();
  two.touches(Rule::OutOfBoundsRead, "cos", range(512, 520)).access->bytes = 16;
  EXPECT_NE(two.cause_of(), "vector-too-wide");
  HandMade single = rotary_launch();
  single.touches(Rule::OutOfBoundsRead, "cos", range(512, 513));
  EXPECT_NE(single.cause_of(), "vector-too-wide");
}

// cos and sin in one table of 2 x 5 rows.
HandMade packed(i64 first_row_of_sin) {
  HandMade made;
  made.launch.block = {32, 4, 1};
  made.tensor("x", {1, 5, 2, 16});
  made.tensor("cos_sin", {2, 5, 8}).regions = {{"cos", 0, 5, 0, 8}, {"sin", 5, 10, 0, 8}};
  made.launch.arguments = {TensorArgument{0}, TensorArgument{1}, ScalarArgument{Dtype::I32, u64(first_row_of_sin)}};
  made.problem = parse_problem("rotary(T=5,H=2,D=16)");
  made.touches(Rule::OutOfBoundsRead, "cos_sin", range(80, 104));  // rows 10 to 12 of 10
  return made;
}

TEST(Tables, sin_is_looked_for_behind_another_number_of_rows) {
  EXPECT_EQ(packed(8).cause_of(), "wrong-sin-offset");
  EXPECT_NE(packed(9).cause_of(), "wrong-sin-offset");
  EXPECT_NE(packed(5).cause_of(), "wrong-sin-offset");
}

HandMade dead_rows() {
  HandMade made;
  made.tensor("x", {9, 2, 16});
  made.tensor("out", {9, 2, 16}).regions = {{"out", 0, 12, 0, 16}};
  made.tensor("cos", {3, 8});
  made.problem = parse_problem("rotary(T=9,H=2,D=16,cu_seqlens=[0,3,6])");
  return made;
}

TEST(DeadTokens, rows_past_the_last_sequence_are_rotated) {
  HandMade made = dead_rows();
  made.touches(Rule::IndexOutOfField, "out", range(6 * 32, 9 * 32));
  made.touches(Rule::OutOfBoundsRead, "cos", range(24, 48));  // positions 3, 4 and 5
  EXPECT_EQ(made.cause_of(0), "tokens-behind-sequences");
  EXPECT_EQ(made.cause_of(1), "tokens-behind-sequences");
  HandMade other = dead_rows();
  other.touches(Rule::IndexOutOfField, "out", range(5 * 32, 9 * 32));
  other.touches(Rule::OutOfBoundsRead, "cos", range(24, 56));
  EXPECT_NE(other.cause_of(0), "tokens-behind-sequences");
  EXPECT_NE(other.cause_of(1), "tokens-behind-sequences");
}

TEST(Positions, that_go_on_over_packed_sequences) {
  const auto cause = [](const std::vector<i64>& rows, const char* problem) {
    HandMade made;
    made.tensor("x", {9, 2, 16});
    made.tensor("out", {9, 2, 16});
    made.tensor("cos", {5, 8});
    made.problem = parse_problem(problem);
    std::vector<i64> elements;
    for (const i64 row : rows) {
      for (i64 column = 0; column < 8; ++column) elements.push_back(row * 8 + column);
    }
    made.touches(Rule::OutOfBoundsRead, "cos", elements);
    return made.cause_of();
  };
  const char* const packed = "rotary(T=9,H=2,D=16,cu_seqlens=[0,4,9],cache_rows=5)";
  EXPECT_EQ(cause({5, 6, 7, 8}, packed), "position-not-restarted");
  EXPECT_NE(cause({5, 6, 7}, packed), "position-not-restarted");
  EXPECT_NE(cause({5, 6, 7, 8, 9}, packed), "position-not-restarted");
  EXPECT_EQ(cause({5, 6, 7, 8}, "rotary(T=9,H=2,D=16,cu_seqlens=[0,9],cache_rows=5)"), "cache-too-short");
}

TEST(TailColumns, columns_up_to_a_power_of_two_are_rotated_in_place) {
  const auto cause = [](const std::vector<i64>& columns, const std::vector<i64>& rows = {0, 1}, bool rotated = true) {
    HandMade made;
    made.launch.block = {32, 1, 1};
    LaunchTensor& x = made.tensor("x", {1, 2, 1, 16});
    x.regions = {{"x", 0, 2, 0, 6}};
    x.output = rotated;
    made.tensor("cos", {2, 3});
    made.problem = parse_problem("rotary(T=2,H=1,D=16,rotary_dim=6,layout=interleaved,inplace=true)");
    std::vector<i64> elements;
    for (const i64 row : rows) {
      for (const i64 column : columns) elements.push_back(row * 16 + column);
    }
    made.touches(Rule::IndexOutOfField, "x", elements);
    return made.cause_of();
  };
  EXPECT_EQ(cause({6, 7}), "missing-column-mask");
  EXPECT_EQ(cause({6, 7}, {1}), "");            // lanes are the same in all rows
  EXPECT_EQ(cause({6, 7}, {0, 1}, false), "");  // of an x that out is not, all columns are read
  EXPECT_EQ(cause({5, 6}), "");                 // one of the width's own
  EXPECT_EQ(cause({10, 11}), "");               // not next to the width
}

TEST(TailColumns, pairs_that_are_half_of_head_dim_apart_leave_columns_out) {
  const auto cause = [](i64 first, i64 end) {
    HandMade made;
    made.tensor("x", {1, 3, 2, 16});
    made.tensor("out", {1, 3, 2, 16});
    made.problem = parse_problem("rotary(T=3,H=2,D=16,rotary_dim=8)");
    std::vector<i64> elements;
    for (i64 row = 0; row < 6; ++row) {
      for (i64 column = first; column < end; ++column) elements.push_back(row * 16 + column);
    }
    made.touches(Rule::OutputNotWritten, "out", elements);
    return made.cause_of();
  };
  EXPECT_EQ(cause(4, 8), "head-dim-for-rotary-dim");
  EXPECT_EQ(cause(4, 7), "");
  EXPECT_EQ(cause(8, 12), "");
}

TEST(BadArgument, the_one_thing_that_is_wrong_is_the_cause) {
  const auto cause = [](const char* problem) {
    HandMade made = rotary_launch(problem);
    Finding finding;
    finding.rule = Rule::BadArgumentAccepted;
    made.findings.push_back(finding);
    return made.cause_of();
  };
  EXPECT_EQ(cause("rotary(B=2,T=16,H=4,D=64,rotary_dim=256)"), "model-width-for-head-dim");
  EXPECT_EQ(cause("rotary(B=2,T=16,H=4,D=64,rotary_dim=66)"), "width-over-head-dim");
  EXPECT_EQ(cause("rotary(B=2,T=16,H=4,D=64,rotary_dim=31)"), "odd-rotary-dim");
  EXPECT_EQ(cause("rotary(B=2,T=16,H=4,D=64,offset=-1)"), "negative-position");
  EXPECT_EQ(cause("rotary(B=2,T=16,H=4,D=64,cache_rows=9)"), "cache-too-short");
  EXPECT_EQ(cause("rotary(T=16,H=4,D=64,cu_seqlens=[0,17])"), "varlen-total-over-rows");
  EXPECT_EQ(cause("rotary(B=2,T=16,H=4,D=64,key_heads=1,key_batch=3)"), "unequal-batches");
  EXPECT_EQ(cause("rotary(B=2,T=16,H=4,D=64,rotary_dim=66,cache_rows=9)"), "");
  EXPECT_EQ(cause("rotary(B=2,T=16,H=4,D=64)"), "");
}

}  // namespace
}  // namespace ropewalk::diagnose
