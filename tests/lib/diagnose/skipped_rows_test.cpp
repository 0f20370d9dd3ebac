#include "lib/families/families.h"
#include "tests/lib/diagnose/hand_made.h"

namespace ropewalk::diagnose {
namespace {

// Elements of the rows of x (tokens x heads, 64 columns) that these tokens have; 4 heads.
std::vector<i64> tokens(const std::vector<i64>& which) {
  std::vector<i64> out;
  for (const i64 token : which) {
    for (const i64 element : range(token * 4 * 64, (token + 1) * 4 * 64)) out.push_back(element);
  }
  return out;
}

TEST(SkippedRows, tokens_at_positions_outside_of_the_tables) {
  HandMade made = rotary_launch("rotary(B=2,T=16,H=4,D=64,offset=-2)");
  made.touches(Rule::OutputNotWritten, "out", tokens({0, 1, 16, 17}));
  EXPECT_EQ(made.cause_of(), "rows-skipped");
  EXPECT_NE(made.cause().evidence.at(0).find("16 of 128 rows of out"), std::string::npos);
  EXPECT_NE(made.cause().evidence.at(1).find("positions are not in [0, 14)"), std::string::npos);
}

TEST(SkippedRows, part_of_a_row_is_another_cause) {
  HandMade made = rotary_launch("rotary(B=2,T=16,H=4,D=64,offset=-2)");
  std::vector<i64> elements = tokens({0, 1, 16, 17});
  elements.pop_back();
  made.touches(Rule::OutputNotWritten, "out", elements);
  EXPECT_EQ(made.cause_of(), "");
}

TEST(SkippedRows, an_output_that_was_written_elsewhere_is_another_cause) {
  HandMade made = rotary_launch();
  made.touches(Rule::OutputNotWritten, "out", tokens({3}));
  made.touches(Rule::OutOfBoundsWrite, "out", {-1});
  EXPECT_EQ(made.cause_of(), "");
}

TEST(SkippedRows, nothing_written_at_all_is_another_cause) {
  HandMade made = rotary_launch();
  made.touches(Rule::OutputNotWritten, "out", range(0, 2 * 16 * 4 * 64));
  EXPECT_EQ(made.cause_of(), "");
}

TEST(SkippedRows, the_rows_past_the_grid_are_named_by_their_dimension) {
  HandMade made;
  made.launch.grid = {3, 1, 1};
  made.launch.block = {64, 1, 1};
  made.tensor("y", {4, 8});
  made.touches(Rule::OutputNotWritten, "y", range(24, 32));
  EXPECT_EQ(made.cause_of(), "rows-skipped");
  EXPECT_NE(made.cause().text.find("from index 3 of dimension 0 on"), std::string::npos);
  EXPECT_NE(made.cause().evidence.back().find("grid of 3 x 1 x 1"), std::string::npos);
}

TEST(SkippedRows, the_same_rows_of_every_tile) {
  HandMade made = rotary_launch();
  made.touches(Rule::OutputNotWritten, "out", tokens({3, 7, 11, 15, 19, 23, 27, 31}));
  EXPECT_EQ(made.cause_of(), "block-local-mask");
  EXPECT_NE(made.cause().text.find("tile of 4 rows those from 3 on"), std::string::npos);

  HandMade irregular = rotary_launch();
  irregular.touches(Rule::OutputNotWritten, "out", tokens({3, 7, 12, 15, 19, 23, 28, 31}));
  EXPECT_EQ(irregular.cause_of(), "rows-skipped");
}

// Tiles of blockDim.y rows; sequences of 5, 1 and 10: of each the last tile has 1, 1 and 2.
HandMade launch_of_sequences() {
  HandMade made;
  made.launch.block = {32, 4, 1};
  made.launch.grid = {9, 4, 1};
  for (const char* name : {"x", "out"}) made.tensor(name, {16, 4, 64});
  for (const char* name : {"cos", "sin"}) made.tensor(name, {10, 32});
  made.problem = families::parse_problem("rotary(T=16,H=4,D=64,cu_seqlens=[0,5,6,16])");
  return made;
}

TEST(SkippedRows, the_mask_of_a_last_tile_is_reported_in_every_sequence) {
  HandMade made = launch_of_sequences();
  made.touches(Rule::OutputNotWritten, "out", tokens({1, 2, 3, 8, 9, 12, 13}));
  EXPECT_EQ(made.cause_of(), "block-local-mask");
  EXPECT_NE(made.cause().text.find("last tile of 4"), std::string::npos);
  HandMade other = launch_of_sequences();
  other.touches(Rule::OutputNotWritten, "out", tokens({1, 2, 3, 8, 9, 12}));
  EXPECT_EQ(other.cause_of(), "rows-skipped");
}

TEST(SkippedRows, a_block_with_too_few_threads_is_no_mask) {
  HandMade made;
  made.launch.block = {64, 1, 1};
  made.launch.grid = {2, 1, 1};
  made.tensor("y", {256});
  std::vector<i64> missing = range(64, 128);
  for (const i64 n : range(192, 256)) missing.push_back(n);
  made.touches(Rule::OutputNotWritten, "y", missing);
  EXPECT_EQ(made.cause_of(), "rows-skipped");
  EXPECT_NE(made.cause().evidence.back().find("2 x 1 x 1 blocks of 64 x 1 x 1 threads"), std::string::npos);
}

TEST(SkippedRows, a_sample_counts_only_the_rows_that_it_holds) {
  HandMade made = rotary_launch();
  std::vector<i64> elements = tokens({0, 5});
  elements.resize(elements.size() - 10);
  made.touches(Rule::OutputNotWritten, "out", elements).footprint.complete = false;
  EXPECT_EQ(made.cause_of(), "rows-skipped");
  EXPECT_NE(made.cause().evidence.at(0).find("7 of the first 23 rows"), std::string::npos);
}

}  // namespace
}  // namespace ropewalk::diagnose
