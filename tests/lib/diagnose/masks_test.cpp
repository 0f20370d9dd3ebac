#include "lib/families/families.h"
#include "lib/ptx/read_module.h"
#include "tests/lib/diagnose/hand_made.h"

namespace ropewalk::diagnose {
namespace {

// x, out [2, 5, 2, 8] in token tiles of 4: three tokens past the last.
HandMade five_tokens(const std::string& problem = "rotary(B=2,T=5,H=2,D=8,cache_rows=16)") {
  HandMade made;
  made.launch.block = {32, 4, 1};
  made.launch.grid = {4, 2, 1};
  made.tensor("x", {2, 5, 2, 8});
  made.tensor("out", {2, 5, 2, 8});
  made.tensor("cos", {16, 4});
  if (!problem.empty()) made.problem = families::parse_problem(problem);
  return made;
}

TEST(RowMask, rows_up_to_the_tile_s_end_are_touched) {
  for (const char* problem : {"rotary(B=2,T=5,H=2,D=8,cache_rows=16)", ""}) {
    HandMade made = five_tokens(problem);
    made.touches(Rule::OutOfBoundsWrite, "out", range(160, 160 + 3 * 16));
    made.breaks("x.tokens", 5, 5);
    EXPECT_EQ(made.cause_of(0), "missing-row-mask") << problem;
    EXPECT_EQ(made.cause_of(1), "missing-row-mask") << problem;
    EXPECT_NE(made.cause(0).evidence.at(0).find("rows 5 to 7 of dimension 1"), std::string::npos);
    EXPECT_NE(made.cause(0).text.find("tiles of 4 (blockDim.y)"), std::string::npos);
  }
}

// Heads and tiles are both extents of the grid, and both may make the same last row.
TEST(RowMask, the_size_of_a_tile_is_named_where_one_extent_of_the_grid_fits) {
  const std::pair<Dim3, const char*> grids[] = {{{2, 3, 1}, "50 rows in tiles of 32 (gridDim.x = 2) are taken for 64"},
                                                {{2, 4, 1}, "50 rows are taken for 64"}};
  for (const auto& [grid, words] : grids) {
    HandMade made;
    made.launch.block = {128, 1, 1};
    made.launch.grid = grid;
    made.tensor("k", {50, 32});
    made.touches(Rule::OutOfBoundsRead, "k", range(50 * 32, 64 * 32));
    EXPECT_EQ(made.cause_of(), "missing-row-mask");
    EXPECT_NE(made.cause().text.find(words), std::string::npos) << made.cause().text;
  }
}

// 76 elements, of which the 32 threads of the block read `bytes` bytes each, up to element `end`.
HandMade elements_up_to(i64 end, u64 bytes) {
  HandMade made;
  made.launch.block = {32, 1, 1};
  made.launch.grid = {1, 1, 1};
  made.tensor("x", {76});
  made.touches(Rule::OutOfBoundsRead, "x", range(76, end)).access->bytes = bytes;
  return made;
}

TEST(RowMask, threads_that_read_several_elements_have_larger_tiles) {
  const auto text_of = [](HandMade made) { return made.cause_of().empty() ? "" : made.cause().text; };
  EXPECT_NE(text_of(elements_up_to(96, 4)).find("76 elements in tiles of 32 (blockDim.x) are taken for 96"),
            std::string::npos);
  EXPECT_EQ(text_of(elements_up_to(96, 16)), "");
  EXPECT_NE(text_of(elements_up_to(128, 16))
                .find("76 elements in tiles of 128 (4 of each of blockDim.x threads) are taken for 128"),
            std::string::npos);
}

TEST(RowMask, a_power_of_two_is_no_tile_of_threads_that_read_several) {
  EXPECT_EQ(elements_up_to(128, 4).cause_of(), "missing-row-mask");
  EXPECT_EQ(elements_up_to(128, 32).cause_of(), "");
}

TEST(RowMask, another_number_of_rows_is_no_mask) {
  for (const i64 count : {2 * 16, 4 * 16, 3 * 16 + 1}) {
    HandMade made = five_tokens();
    made.touches(Rule::OutOfBoundsWrite, "out", range(160, 160 + count));
    EXPECT_EQ(made.cause_of(), "") << count;
  }
  HandMade far = five_tokens();
  far.breaks("x.tokens", 32, 5);
  EXPECT_EQ(far.cause_of(), "");
}

TEST(RowMask, an_access_across_the_end_is_a_vector_and_no_row) {
  for (const bool across : {false, true}) {
    HandMade made = five_tokens();
    Access& access = *made.touches(Rule::OutOfBoundsWrite, "out", range(160, 160 + 3 * 16)).access;
    if (across) {
      access.byte_offset = 159 * 4;
      access.bytes = 16;
    }
    EXPECT_EQ(made.cause_of(), across ? "" : "missing-row-mask");
  }
}

TEST(RowMask, rows_end_where_the_tables_do) {
  HandMade made = five_tokens("rotary(B=2,T=5,H=2,D=8,cache_rows=7)");
  made.touches(Rule::OutOfBoundsWrite, "out", range(160, 160 + 2 * 16));
  EXPECT_EQ(made.cause_of(), "missing-row-mask");
  EXPECT_NE(made.cause().evidence.at(0).find("cos and sin have no rows"), std::string::npos);
}

TEST(RowMask, heads_in_tiles_that_the_launch_does_not_show) {
  HandMade made;
  made.launch.block = {32, 4, 1};
  made.tensor("x", {1, 3, 6, 16});
  made.tensor("cos", {3, 8});
  made.problem = families::parse_problem("rotary(T=3,H=6,D=16)");
  made.touches(Rule::OutOfBoundsRead, "x", range(288, 288 + 32));
  made.breaks("x.heads", 6, 6);
  EXPECT_EQ(made.cause_of(0), "missing-row-mask");
  EXPECT_EQ(made.cause_of(1), "missing-row-mask");

  HandMade alone = made;
  alone.findings.clear();
  alone.launch.block = {32, 1, 1};
  alone.breaks("x.heads", 64, 6);
  EXPECT_EQ(alone.cause_of(), "");
}

TEST(RowMask, a_vector_s_last_tile) {
  HandMade made;
  made.launch.block = {128, 1, 1};
  made.launch.grid = {8, 1, 1};
  made.tensor("y", {1000});
  made.touches(Rule::OutOfBoundsWrite, "y", range(1000, 1024));
  EXPECT_EQ(made.cause_of(), "missing-row-mask");
  EXPECT_EQ(
      made.cause().text,
      "the last tile of elements of y is not masked: 1000 elements in tiles of 128 (blockDim.x) are taken for 1024");
  EXPECT_EQ(made.cause().evidence.at(0),
            "y is touched up to 24 elements past its end: elements 1000 to 1023, and it has 1000");
  made.findings.clear();
  made.touches(Rule::OutOfBoundsWrite, "y", range(1000, 1023));
  EXPECT_EQ(made.cause_of(), "");
}

// 24 pairs in 32 lanes.
HandMade wide_lanes(const std::string& problem = "rotary(T=3,H=2,D=48)") {
  HandMade made;
  made.launch.block = {32, 3, 1};
  made.tensor("x", {1, 3, 2, 48});
  made.tensor("cos", {3, 24});
  if (!problem.empty()) made.problem = families::parse_problem(problem);
  return made;
}

TEST(ColumnMask, lanes_behind_the_last_pair_are_touched) {
  for (const char* problem : {"rotary(T=3,H=2,D=48)", ""}) {
    HandMade made = wide_lanes(problem);
    made.touches(Rule::OutOfBoundsRead, "cos", range(72, 80));
    made.touches(Rule::OutOfBoundsRead, "x", range(288, 296));
    made.breaks("x.head_dim", 48, 48, 6 * 8);
    EXPECT_EQ(made.cause_of(0), "missing-column-mask") << problem;
    EXPECT_EQ(made.cause_of(1), "missing-column-mask") << problem;
    EXPECT_EQ(made.cause_of(2), "missing-column-mask") << problem;
  }
}

TEST(ColumnMask, interleaved_pairs_reach_twice_as_far) {
  HandMade made = wide_lanes("rotary(T=3,H=2,D=48,layout=interleaved)");
  made.touches(Rule::OutOfBoundsRead, "x", range(288, 304));
  EXPECT_EQ(made.cause_of(), "missing-column-mask");
  HandMade half = wide_lanes();
  half.touches(Rule::OutOfBoundsRead, "x", range(288, 304));
  EXPECT_EQ(half.cause_of(), "");
}

TEST(ColumnMask, another_number_of_columns_is_no_mask) {
  for (const i64 count : {7, 9}) {
    HandMade made = wide_lanes();
    made.touches(Rule::OutOfBoundsRead, "cos", range(72, 72 + count));
    EXPECT_EQ(made.cause_of(), "") << count;
  }
  HandMade statement = wide_lanes();
  statement.breaks("x.head_dim", 56, 48, 6 * 8);  // behind the tile
  statement.breaks("x.head_dim", 48, 48, 6 * 5);  // 5 lanes of each row, not 8
  EXPECT_EQ(statement.cause_of(0), "");
  EXPECT_EQ(statement.cause_of(1), "");
}

// One row too many, and the lanes too many would make a whole row: no thread says that it was a lane.
TEST(Masks, a_row_that_a_gather_asks_for_is_no_mask) {
  HandMade made;
  made.launch.block = {32, 1, 1};
  made.tensor("table", {8, 16});
  made.touches(Rule::OutOfBoundsRead, "table", range(128, 144)).thread = ThreadId{{2, 0, 0}, {0, 0, 0}};
  EXPECT_EQ(made.cause_of(), "");
  made.integers("ids", {3, 0, 8, 7});
  made.findings[0].thread = ThreadId{{2, 0, 0}, {16, 0, 0}};
  EXPECT_EQ(made.cause_of(), "");
  HandMade lanes = made;
  lanes.launch.tensors.pop_back();
  EXPECT_EQ(lanes.cause_of(), "missing-column-mask");
}

// A loop of 16 columns a step that takes one too many reaches as far as the next power of two does.
TEST(Masks, a_step_too_many_is_no_mask) {
  HandMade made;
  made.launch.block = {32, 1, 1};
  made.launch.grid = {2, 1, 1};
  made.tensor("a", {32, 48});
  made.tensor("b", {48, 64});
  made.touches(Rule::OutOfBoundsRead, "a", range(32 * 48, 32 * 48 + 16));
  made.touches(Rule::OutOfBoundsRead, "b", range(48 * 64, 64 * 64));
  EXPECT_EQ(made.cause_of(0), "");
  EXPECT_EQ(made.cause_of(1), "");
}

TEST(Masks, strided_elements_up_to_the_tile_s_end_and_no_fewer) {
  HandMade made;
  made.launch.block = {32, 1, 1};
  made.launch.grid = {2, 1, 1};
  made.tensor("x", {40}, {3});
  made.touches(Rule::OutOfBoundsRead, "x", range(40, 42));
  EXPECT_EQ(made.cause_of(), "");
  made.findings.clear();
  made.touches(Rule::OutOfBoundsRead, "x", range(40, 64));
  EXPECT_EQ(made.cause_of(), "missing-row-mask");
}

// 8 columns in 32 lanes: the 24 lanes too many make three whole rows, as a tile of 4 rows does behind the fifth.
TEST(Masks, where_both_would_fit_the_thread_decides) {
  HandMade made;
  made.launch.block = {32, 4, 1};
  made.tensor("y", {5, 8});
  made.touches(Rule::OutOfBoundsWrite, "y", range(40, 64)).thread = ThreadId{{1, 0, 0}, {8, 0, 0}};
  EXPECT_EQ(made.cause_of(), "missing-column-mask");
  made.findings.clear();
  made.touches(Rule::OutOfBoundsWrite, "y", range(40, 64)).thread = ThreadId{{1, 0, 0}, {0, 1, 0}};
  EXPECT_EQ(made.cause_of(), "missing-row-mask");
  made.findings.clear();
  made.touches(Rule::OutOfBoundsWrite, "y", range(40, 64));
  EXPECT_EQ(made.cause_of(), "");
  EXPECT_EQ(made.findings[0].evidence.size(), 2u);
}

// A vector of 15 elements in blocks of 16: one thread is too many, and one element past the end is touched.
HandMade one_past_the_end(const char* body, const char* bound = ".param .u32 n") {
  HandMade made;
  made.launch.block = {16, 1, 1};
  made.launch.grid = {1, 1, 1};
  made.tensor("out", {15});
  made.launch.module = std::make_shared<const ptx::Module>(
      ptx::read_module(std::string(".version 8.0\n.target sm_80\n.address_size 64\n"
                                   ".visible .entry k(.param .u64 out, ") +
                           bound +
                           ") {\n"
                           ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n" +
                           body + "ret;\n}\n",
                       "k.ptx"));
  made.launch.entry = "k";
  made.launch.arguments = {TensorArgument{}, ScalarArgument{Dtype::I32, 15}};
  made.touches(Rule::OutOfBoundsWrite, "out", {15});
  made.findings[0].thread = ThreadId{};
  made.findings[0].thread->thread[0] = 15;
  return made;
}

TEST(Masks, a_mask_that_is_there_is_not_missing) {
  EXPECT_EQ(one_past_the_end("mov.u32 %r1, %tid.x;\n").cause_of(), "missing-row-mask");
  EXPECT_EQ(one_past_the_end("mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; setp.gt.s32 %p1, %r1, %r2;\n").cause_of(),
            "");
}

TEST(Masks, a_mask_that_was_given_a_wrong_number_is_not_missing) {
  const auto cause_of = [](const char* body, Argument bound, const char* parameter = ".param .u32 n") {
    HandMade made = one_past_the_end(body, parameter);
    made.launch.arguments[1] = std::move(bound);
    return made.cause_of();
  };
  const ScalarArgument sixteen{Dtype::I32, 16};
  const char* const compares = "mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; setp.ge.s32 %p1, %r1, %r2;\n";
  EXPECT_EQ(cause_of(compares, sixteen), "");
  EXPECT_EQ(cause_of(compares, ScalarArgument{Dtype::I32, 17}), "missing-row-mask");
  EXPECT_EQ(cause_of("mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; add.s32 %r1, %r1, %r2;\n", sixteen),
            "missing-row-mask");
  // The same where the number is a member of a struct; beside the right one it bounds something else.
  const char* const member = "mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n+4]; setp.ge.s32 %p1, %r1, %r2;\n";
  EXPECT_EQ(cause_of(member, StructArgument{8, {{4, sixteen}}}, ".param .align 4 .b8 n[8]"), "");
  EXPECT_EQ(cause_of(member, StructArgument{8, {{0, ScalarArgument{Dtype::I32, 15}}, {4, sixteen}}},
                     ".param .align 4 .b8 n[8]"),
            "missing-row-mask");
}

// A program passes bytes, of which only the width is known: two members of a struct are one number.
TEST(Masks, a_mask_whose_number_has_no_type_is_not_missing) {
  const auto cause_of = [](const char* body, Argument bound, const char* parameter = ".param .u32 n") {
    HandMade made = one_past_the_end(body, parameter);
    made.launch.arguments[1] = std::move(bound);
    return made.cause_of();
  };
  const char* const compares = "mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; setp.ge.s32 %p1, %r1, %r2;\n";
  EXPECT_EQ(cause_of(compares, ScalarArgument{Dtype::U32, 16}), "");
  EXPECT_EQ(cause_of(compares, ScalarArgument{Dtype::U32, 15}), "");
  EXPECT_EQ(cause_of(compares, ScalarArgument{Dtype::U32, 17}), "missing-row-mask");
  EXPECT_EQ(cause_of(compares, ScalarArgument{Dtype::F32, 16}), "missing-row-mask");
  const char* const second = "mov.u32 %r1, %tid.x; ld.param.v2.u32 {%r3, %r2}, [n]; setp.ge.s32 %p1, %r1, %r2;\n";
  const auto pair_of = [](u64 first, u64 last) {
    return StructArgument{8, {{0, ScalarArgument{Dtype::U64, first | last << 32}}}};
  };
  EXPECT_EQ(cause_of(second, pair_of(7, 16), ".param .align 4 .b8 n[8]"), "");
  EXPECT_EQ(cause_of(second, pair_of(16, 7), ".param .align 4 .b8 n[8]"), "missing-row-mask");
  EXPECT_EQ(cause_of(second, pair_of(15, 16), ".param .align 4 .b8 n[8]"), "missing-row-mask");
}

TEST(Masks, a_counter_that_ran_over_is_no_missing_mask) {
  EXPECT_EQ(
      one_past_the_end("ld.param.u64 %rd1, [out]; atom.global.add.u32 %r1, [%rd1], 1; mul.wide.u32 %rd2, %r1, 4;\n")
          .cause_of(),
      "");
}

}  // namespace
}  // namespace ropewalk::diagnose
