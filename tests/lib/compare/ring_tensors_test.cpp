// Where the tokens of a ring's ranks are among those of all.
#include "lib/compare/ring_tensors.h"

#include <gtest/gtest.h>

namespace ropewalk::compare {
namespace {

using Numbers = std::vector<u64>;

// The rows of a rank, of `tokens` that it has: as a tensor of one head and one column.
Numbers rows_of(const char* problem, i64 tokens, i64 rank) {
  return RingPositions(parse_attention(problem)).elements({tokens, 1, 1}, rank);
}

TEST(RingPositions, DealOutEachPackedSequenceByItself) {
  // The example of NVIDIA/Megatron-LM#5243.
  constexpr const char* zigzag = "attention(Tq=8,Tk=8,cu_seqlens_q=[0,4,8],cu_seqlens_k=[0,4,8],ranks=2,zigzag=true)";
  EXPECT_EQ(rows_of(zigzag, 4, 0), (Numbers{0, 3, 4, 7}));
  EXPECT_EQ(rows_of(zigzag, 4, 1), (Numbers{1, 2, 5, 6}));
  // One sequence is empty, and 4 rows are no sequence's.
  constexpr const char* in_order = "attention(Tq=12,Tk=12,cu_seqlens_q=[0,2,2,8],cu_seqlens_k=[0,2,2,8],ranks=2)";
  EXPECT_EQ(rows_of(in_order, 6, 0), (Numbers{0, 2, 3, 4, 8, 9}));
  EXPECT_EQ(rows_of(in_order, 6, 1), (Numbers{1, 5, 6, 7, 10, 11}));
}

TEST(RingPositions, KnowTokensByTheShape) {
  const RingPositions batched(parse_attention("attention(B=2,Tq=4,Tk=4,ranks=2)"));
  EXPECT_EQ(batched.elements({2, 2, 1, 2}, 1), (Numbers{4, 5, 6, 7, 12, 13, 14, 15})) << "[B, T, heads, columns]";
  EXPECT_EQ(batched.elements({1, 3, 2}, 0), (Numbers{0, 1, 4, 5, 8, 9})) << "[B, heads, T]";
  EXPECT_EQ(batched.part_like({2, 9, 1, 2}), (Shape{2, 2, 1, 2}));
  EXPECT_EQ(batched.part_like({1, 3, 9}), (Shape{1, 3, 2}));
  const RingPositions packed(parse_attention("attention(Tq=4,Tk=4,cu_seqlens_q=[0,4],cu_seqlens_k=[0,4],ranks=2)"));
  EXPECT_EQ(packed.elements({2, 1, 2}, 1), (Numbers{4, 5, 6, 7})) << "[T, heads, columns]";
  EXPECT_EQ(packed.elements({2, 2}, 1), (Numbers{2, 3, 6, 7})) << "[heads, T]";
  EXPECT_EQ(packed.part_like({9, 1, 2}), (Shape{2, 1, 2}));
  EXPECT_EQ(packed.part_like({2, 9}), (Shape{2, 2}));
}

}  // namespace
}  // namespace ropewalk::compare
