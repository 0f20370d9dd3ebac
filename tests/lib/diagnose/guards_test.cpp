// Memory that the host made too small is no mask that a kernel lacks.
#include "lib/diagnose/tiles.h"
#include "lib/ptx/read_module.h"
#include "tests/lib/diagnose/hand_made.h"

namespace ropewalk::diagnose {
namespace {

// out, of `elements` floats, is touched up to element `end` by the store of a body, in blocks of 64 threads.
HandMade store_past_the_end(const std::string& body, const Dim3& grid, i64 elements, i64 end) {
  HandMade made;
  made.launch.block = {64, 1, 1};
  made.launch.grid = grid;
  made.tensor("out", {elements});
  const std::string head =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 out, .param .u32 n, .param .align 4 .b8 all[8]) {\n"
      ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n"
      "ld.param.u64 %rd1, [out]; ld.param.u32 %r9, [n]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
      "mov.u32 %r3, %ctaid.y; mad.lo.s32 %r4, %r2, 64, %r1;\n" +
      body + "mul.wide.s32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;\n";
  const std::string text = head + "st.global.u32 [%rd3], %r1;\ndone: ret;\n}\n";
  made.launch.module = std::make_shared<const ptx::Module>(ptx::read_module(text, "k.ptx"));
  made.launch.entry = "k";
  made.launch.arguments = {TensorArgument{}, ScalarArgument{Dtype::U32, 128},
                           StructArgument{8, {{0, ScalarArgument{Dtype::U64, u64(128) << 32}}}}};
  Finding& finding = made.touches(Rule::OutOfBoundsWrite, "out", range(elements, end));
  finding.thread = ThreadId{{grid.x - 1, grid.y - 1, grid.z - 1}, {u32(elements % 64), 0, 0}};
  finding.occurrences.accesses = finding.occurrences.threads = u64(end - elements);
  finding.occurrences.blocks = 1;
  finding.location = FindingLocation();
  finding.location->ptx_line = u64(std::count(head.begin(), head.end(), '\n')) + 1;
  finding.location->instruction = "st.global.u32 [%rd3], %r1";
  return made;
}

TEST(Guards, a_store_under_a_comparison_with_an_argument_has_its_mask) {
  const auto cause_of = [](const std::string& body) {
    return store_past_the_end(body, {2, 1, 1}, 100, 128).cause_of();
  };
  EXPECT_EQ(cause_of(""), "missing-row-mask");
  EXPECT_EQ(cause_of("setp.ge.s32 %p1, %r4, %r9; @%p1 bra done;\n"), "");
  EXPECT_EQ(cause_of("sub.s32 %r5, %r9, %r4; setp.lt.s32 %p1, %r5, 1; @%p1 bra done;\n"), "");
  EXPECT_EQ(cause_of("min.s32 %r4, %r4, %r9;\n"), "");
  // The thread's number alone, as in a tile of rows that have their mask.
  EXPECT_EQ(cause_of("shr.u32 %r5, %r1, 5; setp.ge.s32 %p1, %r5, %r9; @%p1 bra done;\n"), "");
}

TEST(Guards, what_decides_on_something_else_is_no_mask) {
  const auto cause_of = [](const std::string& body) {
    HandMade made = store_past_the_end(body, {2, 1, 1}, 100, 128);
    made.launch.arguments[1] = ScalarArgument{Dtype::U32, 300};
    return made.cause_of();
  };
  // Both ways lead to the store; a number of the block; a constant; an order that is none.
  EXPECT_EQ(cause_of("setp.ge.s32 %p1, %r4, %r9; @%p1 bra on; add.s32 %r6, %r1, 1;\non:\n"), "missing-row-mask");
  EXPECT_EQ(cause_of("setp.ge.s32 %p1, %r2, %r9; @%p1 bra done;\n"), "missing-row-mask");
  EXPECT_EQ(cause_of("setp.ge.s32 %p1, %r4, 300; @%p1 bra done;\n"), "missing-row-mask");
  EXPECT_EQ(cause_of("setp.eq.s32 %p1, %r4, %r9; @%p1 bra done;\n"), "missing-row-mask");
}

// 2 x 2 blocks of 64 elements each, in rows that are 128 apart, as an argument says.
TEST(Guards, tiles_are_those_of_one_axis_of_the_grid) {
  const std::string pitch = "mad.lo.s32 %r4, %r3, %r9, %r4;\n";
  EXPECT_EQ(store_past_the_end(pitch, {2, 2, 1}, 200, 256).cause_of(), "");
  EXPECT_EQ(store_past_the_end("", {4, 1, 1}, 200, 256).cause_of(), "missing-row-mask");
  HandMade other_block = store_past_the_end("", {4, 1, 1}, 200, 256);
  other_block.findings[0].thread->block[0] = 2;
  EXPECT_EQ(other_block.cause_of(), "");
  HandMade two_blocks = store_past_the_end("", {4, 1, 1}, 200, 256);
  two_blocks.findings[0].occurrences.blocks = 2;
  EXPECT_EQ(two_blocks.cause_of(), "");
  // All blocks may go through all tiles.
  HandMade all_blocks = store_past_the_end("", {7, 1, 1}, 200, 256);
  all_blocks.findings[0].occurrences.blocks = 7;
  EXPECT_EQ(all_blocks.cause_of(), "missing-row-mask");
}

// Two rows of 128 elements in a grid that has as many blocks as there are rows.
TEST(Guards, what_an_argument_says_is_no_tile) {
  const auto cause_of = [](const std::string& body) {
    HandMade made = store_past_the_end(body, {1, 2, 1}, 200, 256);
    made.launch.block.x = 256;
    made.findings[0].thread->thread[0] = 72;
    return made.cause_of();
  };
  EXPECT_EQ(cause_of("mad.lo.s32 %r4, %r3, 128, %r1;\n"), "missing-row-mask");
  EXPECT_EQ(cause_of("mad.lo.s32 %r4, %r3, %r9, %r1;\n"), "");
  EXPECT_EQ(cause_of("mov.b64 %rd4, all; add.s64 %rd5, %rd4, 8; ld.param.u32 %r10, [%rd5+-4];\n"
                     "mad.lo.s32 %r4, %r3, %r10, %r1;\n"),
            "");
  EXPECT_EQ(cause_of("mov.b64 %rd4, all; add.s64 %rd5, %rd4, 8; ld.param.u32 %r10, [%rd5+-8];\n"
                     "mad.lo.s32 %r4, %r3, %r10, %r1;\n"),
            "missing-row-mask");
}

// Two rows of 50 columns, one a block of 64 threads.
TEST(Guards, a_comparison_of_the_column_is_a_mask_of_columns) {
  const auto cause_of = [](const std::string& body) {
    HandMade made = store_past_the_end(body + "mad.lo.s32 %r4, %r2, 50, %r1;\n", {2, 1, 1}, 100, 114);
    made.launch.tensors[0].shape = {2, 50};
    made.launch.tensors[0].strides = {50, 1};
    made.findings[0].thread->thread[0] = 50;
    return made.cause_of();
  };
  EXPECT_EQ(cause_of(""), "missing-column-mask");
  EXPECT_EQ(cause_of("setp.ge.s32 %p1, %r2, %r9; @%p1 bra done;\n"), "missing-column-mask");
  EXPECT_EQ(cause_of("setp.ge.s32 %p1, %r1, %r9; @%p1 bra done;\n"), "");
}

// A thread that takes two columns at once is no lane of one; a kernel that does not look at its block has other tiles.
TEST(Guards, tiles_of_a_block_are_those_of_its_threads) {
  const auto made = [](u32 bytes) {
    HandMade made = store_past_the_end("mad.lo.s32 %r4, %r2, 50, %r1;\n", {2, 1, 1}, 100, 146);
    made.launch.tensors[0].shape = {2, 50};
    made.launch.tensors[0].strides = {50, 1};
    made.launch.block.x = 96;
    made.findings[0].thread->thread[0] = 50;
    made.findings[0].access->bytes = bytes;
    return made;
  };
  EXPECT_EQ(made(4).cause_of(), "missing-column-mask");
  EXPECT_EQ(made(4).cause().text.find("blockDim"), std::string::npos) << made(4).cause().text;
  EXPECT_EQ(made(8).cause_of(), "");
}

TEST(Guards, a_grid_with_a_block_for_each_row_has_no_tiles_of_them) {
  const auto tile_of_4 = [](const Dim3& grid) {
    Launch launch;
    launch.block = {50, 1, 1};
    launch.grid = grid;
    const std::vector<Tile> tiles = tiles_of(5, launch);
    return *std::ranges::find(tiles, 4, &Tile::size);
  };
  EXPECT_EQ(tile_of_4({2, 1, 1}).text, "tiles of 4 (gridDim.x = 2)");
  EXPECT_EQ(tile_of_4({8, 2, 1}).text, "");
  EXPECT_FALSE(tile_of_4({8, 2, 1}).of_launch);
}

// Memory of which no type is known is bytes.
TEST(Guards, bytes_are_called_bytes) {
  HandMade made;
  made.launch.block = {64, 1, 1};
  made.launch.grid = {4, 1, 1};
  made.tensor("out", {1000}).dtype = Dtype::U8;
  Finding& finding = made.touches(Rule::OutOfBoundsWrite, "out", range(1000, 1024));
  finding.access->bytes = 4;
  finding.thread = ThreadId{{3, 0, 0}, {58, 0, 0}};
  EXPECT_EQ(made.cause_of(), "missing-row-mask");
  EXPECT_EQ(made.cause().text,
            "the last tile of bytes of out is not masked: 1000 bytes in tiles of 256 (4 of each of "
            "blockDim.x threads) are taken for 1024");
}

}  // namespace
}  // namespace ropewalk::diagnose
