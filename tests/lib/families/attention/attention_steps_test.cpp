// Smaller problems of attention to a cache.
#include "lib/families/attention/attention_steps.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/kernels.h"
#include "lib/problem/attention.h"

namespace ropewalk::attention {
namespace {

AttentionProblem cached() {
  return families::parse_problem(
             "attention(B=2,Tq=1,Tk=9,H=2,D=8,key_lengths=[9,4],page_size=4,spare_pages=1,"
             "block_table=[0,1,2,5,4,3],splits=3)")
      .get<AttentionProblem>();
}

bool can_become(const AttentionProblem& from, const char* to) {
  const auto smaller = smaller_problems_of(from);
  const auto wanted = families::parse_problem(to).get<AttentionProblem>();
  return std::find(smaller.begin(), smaller.end(), wanted) != smaller.end();
}

TEST(AttentionSteps, a_sequence_goes_with_its_length_and_its_pages) {
  EXPECT_TRUE(can_become(cached(),
                         "attention(B=1,Tq=1,Tk=9,H=2,D=8,key_lengths=[4],page_size=4,spare_pages=1,"
                         "block_table=[5,4,3],splits=3)"));
}

TEST(AttentionSteps, the_room_comes_down_with_the_lengths) {
  EXPECT_TRUE(
      can_become(cached(), "attention(B=2,Tq=1,Tk=5,H=2,D=8,key_lengths=[5,4],page_size=4,spare_pages=1,splits=3)"));
}

TEST(AttentionSteps, pages_lengths_and_splits_go) {
  EXPECT_TRUE(can_become(cached(), "attention(B=2,Tq=1,Tk=9,H=2,D=8,key_lengths=[9,4],splits=3)"));
  EXPECT_TRUE(can_become(cached(),
                         "attention(B=2,Tq=1,Tk=9,H=2,D=8,page_size=4,spare_pages=1,"
                         "block_table=[0,1,2,5,4,3],splits=3)"));
  EXPECT_TRUE(can_become(cached(),
                         "attention(B=2,Tq=1,Tk=9,H=2,D=8,key_lengths=[9,4],page_size=4,spare_pages=1,"
                         "block_table=[0,1,2,5,4,3])"));
}

}  // namespace
}  // namespace ropewalk::attention
