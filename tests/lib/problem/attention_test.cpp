#include "lib/problem/attention.h"

#include <gtest/gtest.h>

#include "lib/base/error.h"
#include "lib/families/families.h"
#include "lib/problem/problem.h"
#include "tests/lib/message.h"

namespace ropewalk {
namespace {

TEST(AttentionText, prints_what_differs_from_the_default) {
  AttentionProblem problem;
  EXPECT_EQ(text_of(problem), "attention(B=1,Tq=16,Tk=16,H=1,D=64)");
  problem.causal = Causal::BottomRight;
  problem.window = {16, 0};
  problem.softcap = 30;
  problem.key_dtype = Dtype::F16;
  EXPECT_EQ(text_of(problem),
            "attention(B=1,Tq=16,Tk=16,H=1,D=64,key_dtype=f16,causal=bottom-right,window=[16,0],softcap=30)");
}

TEST(AttentionText, is_read_back) {
  AttentionProblem problem;
  problem.batch = 3;
  problem.query_tokens = 0;
  problem.key_tokens = 7;
  problem.heads = 6;
  problem.key_heads = 2;
  problem.head_dim = 80;
  problem.value_dim = 48;
  problem.dtype = Dtype::BF16;
  problem.causal = Causal::TopLeft;
  problem.window = {-1, 3};
  problem.softcap = 12.5;
  problem.alibi = problem.sink = true;
  problem.scale = 0.3;
  problem.cu_seqlens_q = {0, 3, 3};
  problem.cu_seqlens_k = {0, 0, 7};
  problem.max_seqlen_q = 4;
  problem.q_gap = 1;
  problem.k_gap = 2;
  problem.v_gap = 3;
  problem.out_gap = 4;
  problem.token_gap = 5;
  problem.key_lengths = {0, 7, 3};
  problem.page_size = 4;
  problem.spare_pages = 2;
  problem.block_table = {1, 0, 4, 7, 2, 3};
  problem.splits = 3;
  problem.seed = ~u64(0);
  problem.input = "low";
  EXPECT_EQ(parse_attention(text_of(problem)), problem);
  EXPECT_EQ(families::parse_problem(text_of(problem)), Problem(problem));
  EXPECT_EQ(kind_of(Problem(problem)), "attention");
}

TEST(AttentionText, names_what_is_wrong) {
  EXPECT_NE(message_of([] { parse_attention("attention(Tkk=3)"); }).find("no field \"Tkk\""), std::string::npos);
  EXPECT_NE(message_of([] { parse_attention("attention(causal=bottomright)"); }).find("bottom-right"),
            std::string::npos);
  EXPECT_NE(message_of([] { parse_attention("attention(input=norml)"); }).find("normal"), std::string::npos);
  EXPECT_NE(message_of([] { families::parse_problem("atention(D=3)"); }).find("attention"), std::string::npos);
}

TEST(VisibleKeys, follow_the_alignment) {
  AttentionProblem problem;
  const auto seen = [&](i64 query, i64 queries, i64 keys) {
    const auto range = problem.visible_keys(query, queries, keys);
    return std::pair(range.first, range.last);
  };
  EXPECT_EQ(seen(0, 2, 5), std::pair(i64(0), i64(5)));
  problem.causal = Causal::BottomRight;
  EXPECT_EQ(seen(0, 2, 5), std::pair(i64(0), i64(4)));
  EXPECT_EQ(seen(1, 2, 5), std::pair(i64(0), i64(5)));
  EXPECT_EQ(seen(0, 5, 2), std::pair(i64(0), i64(-2)));  // sees nothing
  problem.causal = Causal::TopLeft;
  EXPECT_EQ(seen(0, 2, 5), std::pair(i64(0), i64(1)));
  EXPECT_EQ(seen(4, 5, 2), std::pair(i64(0), i64(2)));
}

TEST(VisibleKeys, are_those_of_the_window) {
  AttentionProblem problem;
  problem.window = {2, 1};
  const auto range = problem.visible_keys(3, 6, 8);  // its own key is 5
  EXPECT_EQ(range.first, 3);
  EXPECT_EQ(range.last, 7);
  problem.window = {-1, 0};
  EXPECT_EQ(problem.visible_keys(3, 6, 8).first, 0);
  EXPECT_EQ(problem.visible_keys(3, 6, 8).last, 6);
  problem.causal = Causal::BottomRight;
  problem.window = {0, 5};  // causal: nothing to the right
  EXPECT_EQ(problem.visible_keys(3, 6, 8).first, 5);
  EXPECT_EQ(problem.visible_keys(3, 6, 8).last, 6);
}

}  // namespace
}  // namespace ropewalk
