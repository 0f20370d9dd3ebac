// The healthy kernels, run on the host, give what the reference expects, and touch nothing else.
#include <gtest/gtest.h>

#include "kernels/kernels.h"
#include "lib/compare/expect.h"
#include "lib/compare/judge.h"
#include "lib/problem/rotary.h"
#include "tests/kernels/host_kernels.h"
#include "tests/kernels/rotary_problems.h"

namespace ropewalk::kernels {
namespace {

// Judges every output after a run on the host; elements of no row hold NaN still.
void expect_right(const Kernel& kernel, const RotaryProblem& problem) {
  const auto reasons = kernel.reject(problem);
  ASSERT_TRUE(reasons.empty()) << text_of(problem) << ": " << reasons.front();
  Launch launch = kernel.launch(problem);
  ASSERT_EQ(compare::expect_answer(kernel, problem, launch), "");
  const auto storage = run_on_host(launch);
  std::vector<TensorAfter> after;
  for (const auto& bytes : storage) after.push_back({bytes.data()});
  for (const Expectation& expectation : launch.expectations) {
    const compare::Judgement judgement = compare::judge(launch, expectation, after, false);
    if (!judgement.wrong) continue;
    FAIL() << text_of(problem) << ": " << compare::mismatch_finding(launch, expectation, judgement).message;
  }
}

class Agreement : public testing::TestWithParam<const char*> {};

TEST_P(Agreement, with_the_reference_on_random_problems) {
  const Kernel& kernel = kernel_named(GetParam());
  const std::string kind = kernel.name == "rotary/apply-general" ? "rotary/apply" : kernel.name;
  for (u64 seed = 0; seed < 400; ++seed) {
    expect_right(kernel, good_rotary_problem(Random(seed), kind));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(HealthyFamilies, Agreement,
                         testing::Values("rotary/apply", "rotary/apply-general", "rotary/qk", "rotary/cache"));

TEST(Agreement, another_problems_answer_is_wrong) {
  const Kernel& kernel = kernel_named("rotary/apply");
  for (const char* other :
       {"rotary(B=2,T=5,H=3,backward=true)", "rotary(B=2,T=5,H=3,layout=interleaved)", "rotary(B=2,T=5,H=3,offset=1)",
        "rotary(B=2,T=5,H=3,rotary_dim=32)", "rotary(B=2,T=5,H=3,theta=500000)", "rotary(B=2,T=5,H=3,seed=2)"}) {
    const Launch run = kernel.launch(parse_rotary("rotary(B=2,T=5,H=3)"));
    const auto storage = run_on_host(run);
    std::vector<TensorAfter> after;
    for (const auto& bytes : storage) after.push_back({bytes.data()});
    Launch judged = kernel.launch(parse_rotary(other));
    ASSERT_EQ(compare::expect_answer(kernel, parse_rotary(other), judged), "");
    EXPECT_GT(compare::judge(judged, judged.expectations[0], after, false).wrong, 0u) << other;
  }
}

TEST(Agreement, unguarded_kernel_is_right_where_its_counterpart_takes_the_problem) {
  for (u64 seed = 0; seed < 100; ++seed) {
    expect_right(kernel_named("faulty/rotary-apply-unguarded"), good_rotary_problem(Random(seed), "rotary/apply"));
  }
}

}  // namespace
}  // namespace ropewalk::kernels
