#include "lib/shrink/shrink.h"

#include <gtest/gtest.h>

#include "lib/families/families.h"
#include "lib/problem/attention.h"
#include "lib/problem/rotary.h"
#include "lib/shrink/numbers.h"

namespace ropewalk::shrink {

using families::parse_problem;

namespace {

Shrunk shrink(const Problem& problem, const std::function<bool(const Problem&)>& shows, u64 most_trials,
              const std::function<bool()>& is_over = {}) {
  return shrink::shrink(families::family_of(problem), problem, shows, most_trials, is_over);
}

using Shows = std::function<bool(const RotaryProblem&)>;

std::string minimal(const std::string& text, const Shows& shows) {
  const auto of_problem = [&](const Problem& problem) { return shows(problem.get<RotaryProblem>()); };
  const Shrunk shrunk = shrink(parse_problem(text), of_problem, 100000);
  EXPECT_TRUE(shrunk.minimal);
  EXPECT_TRUE(of_problem(shrunk.problem));
  return text_of(shrunk.problem);
}

TEST(Shrink, numbers_come_nearer_to_the_least) {
  EXPECT_EQ(smaller_numbers(17, 1), (std::vector<i64>{1, 2, 8, 9, 10, 13, 14, 15, 16}));
  EXPECT_EQ(smaller_numbers(2, 1), (std::vector<i64>{1}));
  EXPECT_EQ(smaller_numbers(1, 1), std::vector<i64>{});
  EXPECT_EQ(smaller_numbers(-5, 0), (std::vector<i64>{0, -1, -2, -3, -4}));
}

TEST(Shrink, every_dimension_goes_to_its_bound) {
  EXPECT_EQ(minimal("rotary(B=3,T=33,H=12,D=96,dtype=bf16,layout=interleaved,inplace=true,seed=9,input=large)",
                    [](const RotaryProblem& p) { return p.tokens >= 5 && p.heads > 2 && p.inplace; }),
            "rotary(B=1,T=5,H=3,D=1,inplace=true)");
}

TEST(Shrink, a_width_stays_over_its_head) {
  EXPECT_EQ(minimal("rotary(B=2,T=128,H=8,D=64,rotary_dim=512)",
                    [](const RotaryProblem& p) { return p.width() > p.head_dim && p.width() % 2 == 0; }),
            "rotary(B=1,T=1,H=1,D=1,rotary_dim=2)");
}

TEST(Shrink, lists_lose_their_entries) {
  EXPECT_EQ(minimal("rotary(B=1,T=20,H=2,D=8,offsets=[3,9,0,30],cu_seqlens=[0,4,8,8,20])",
                    [](const RotaryProblem& p) {
                      return !p.offsets.empty() && i64(p.offsets.size()) == p.sequences() && p.offsets.back() >= 7;
                    }),
            "rotary(B=1,T=1,H=1,D=1,offsets=[7])");
  EXPECT_EQ(minimal("rotary(B=2,T=3,H=2,D=8,key_heads=2,positions=[5,6,7,8,9,40])",
                    [](const RotaryProblem& p) {
                      return !p.positions.empty() && i64(p.positions.size()) == p.batch * p.tokens &&
                             p.positions.back() > 10;
                    }),
            "rotary(B=1,T=1,H=1,D=1,positions=[11])");
}

TEST(Shrink, rows_go_down_with_what_needs_them) {
  EXPECT_EQ(minimal("rotary(B=2,T=40,H=2,D=8,cache_rows=50,offset=30)",
                    [](const RotaryProblem& p) { return p.cache_rows > 0 && p.offset + p.tokens > p.cache_rows; }),
            "rotary(B=1,T=1,H=1,D=1,cache_rows=1,offset=1)");
}

// Tokens go down by as many as there are chunks, and ranks with the tokens that they have.
TEST(Shrink, rings_stay_evenly_dealt_out) {
  const auto minimal_ring = [](const std::string& text, const std::function<bool(const AttentionProblem&)>& shows) {
    const Shrunk shrunk = shrink(
        parse_problem(text),
        [&](const Problem& problem) {
          const auto& p = problem.get<AttentionProblem>();
          const i64 chunks = p.ranks * (p.zigzag ? 2 : 1);
          for (i64 n = 0; n < p.sequences(); ++n) {
            if (p.queries_of(n) < 0 || p.queries_of(n) % chunks || p.queries_of(n) != p.keys_of(n)) return false;
          }
          if (p.varlen() && p.cu_seqlens_q.back() > p.query_tokens) return false;
          return p.query_tokens == p.key_tokens && p.query_tokens % chunks == 0 && shows(p);
        },
        100000);
    EXPECT_TRUE(shrunk.minimal);
    return text_of(shrunk.problem);
  };
  EXPECT_EQ(minimal_ring("attention(B=2,Tq=48,Tk=48,H=4,D=16,causal=bottom-right,ranks=8,zigzag=true)",
                         [](const AttentionProblem& p) { return p.ranks > 2; }),
            "attention(B=1,Tq=3,Tk=3,H=1,D=1,ranks=3)");
  EXPECT_EQ(minimal_ring("attention(B=2,Tq=80,Tk=80,H=4,D=16,causal=bottom-right,ranks=8,zigzag=true)",
                         [](const AttentionProblem& p) { return p.zigzag && p.ranks > 1 && p.query_tokens >= 7; }),
            "attention(B=1,Tq=8,Tk=8,H=1,D=1,ranks=2,zigzag=true)");
  EXPECT_EQ(minimal_ring("attention(Tq=96,Tk=96,H=4,D=16,cu_seqlens_q=[0,16,64,80],cu_seqlens_k=[0,16,64,80],ranks=8,"
                         "zigzag=true)",
                         [](const AttentionProblem& p) {
                           return p.zigzag && p.ranks > 1 && p.sequences() > 1 && p.queries_of(1) >= 5;
                         }),
            "attention(B=1,Tq=6,Tk=6,H=1,D=1,cu_seqlens_q=[0,0,6],cu_seqlens_k=[0,0,6],ranks=3,zigzag=true)");
}

TEST(Shrink, numbers_that_must_be_even_get_small) {
  EXPECT_EQ(minimal("rotary(B=1,T=1,H=1,D=96)", [](const RotaryProblem& p) { return p.head_dim % 2 == 0; }),
            "rotary(B=1,T=1,H=1,D=2)");
  EXPECT_EQ(minimal("rotary(B=1,T=1,H=1,D=96)", [](const RotaryProblem& p) { return p.head_dim % 8 == 0; }),
            "rotary(B=1,T=1,H=1,D=24)");
}

// From the minimal problem no single step shows the same.
TEST(Shrink, the_end_is_minimal) {
  const auto shows = [](const Problem& problem) {
    const auto& p = problem.get<RotaryProblem>();
    return p.batch * p.tokens * p.heads >= 30 && p.heads % 3 == 0;
  };
  const Shrunk shrunk = shrink(parse_problem("rotary(B=7,T=19,H=9,D=64,backward=true)"), shows, 100000);
  EXPECT_TRUE(shrunk.minimal);
  for (const Problem& smaller : families::family_of(shrunk.problem).smaller(shrunk.problem))
    EXPECT_FALSE(shows(smaller)) << text_of(smaller);
}

TEST(Shrink, stops_when_its_trials_run_out) {
  u64 asked = 0;
  const Shrunk shrunk = shrink(
      parse_problem("rotary(B=99,T=999,H=99,D=999)"), [&](const Problem&) { return ++asked % 2 == 0; }, 10);
  EXPECT_EQ(asked, 10u);
  EXPECT_EQ(shrunk.trials, 10u);
  EXPECT_FALSE(shrunk.minimal);
}

TEST(Shrink, stops_when_its_time_is_over) {
  u64 asked = 0;
  const Shrunk shrunk = shrink(
      parse_problem("rotary(B=99,T=999,H=99,D=999)"), [&](const Problem&) { return ++asked % 2 == 0; }, 1000,
      [&] { return asked == 7; });
  EXPECT_EQ(asked, 7u);
  EXPECT_FALSE(shrunk.minimal);
}

}  // namespace
}  // namespace ropewalk::shrink
