#include "lib/families/attention/cached_keys.h"

#include <gtest/gtest.h>

#include "kernels/kernels.h"
#include "lib/compare/elements.h"
#include "lib/problem/attention.h"

namespace ropewalk::attention {
namespace {

TEST(CachedKeys, are_put_in_order_by_the_block_table) {
  const Problem problem = families::parse_problem(
      "attention(B=2,Tq=1,Tk=3,H=1,D=1,key_lengths=[3,1],page_size=2,spare_pages=1,block_table=[4,1,2,-1])");
  const Launch launch = kernels::kernel_named("attention/decode").launch(problem);
  const auto& attention = problem.get<AttentionProblem>();
  const std::vector<double> pool = compare::initial_values(launch.tensors[u64(launch.tensor_named("k"))]);
  ASSERT_EQ(pool.size(), 10u);
  EXPECT_EQ(keys_in_order(attention, launch, "k"), (std::vector<double>{pool[8], pool[9], pool[2], pool[4], 0, 0}));
}

TEST(CachedKeys, without_pages_are_as_they_lie) {
  const Problem problem = families::parse_problem("attention(B=2,Tq=1,Tk=3,H=1,D=1,key_lengths=[3,1])");
  const Launch launch = kernels::kernel_named("attention/decode").launch(problem);
  EXPECT_EQ(keys_in_order(problem.get<AttentionProblem>(), launch, "v"),
            compare::initial_values(launch.tensors[u64(launch.tensor_named("v"))]));
}

}  // namespace
}  // namespace ropewalk::attention
