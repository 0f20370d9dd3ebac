#include "lib/compare/expect.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/kernels.h"
#include "lib/problem/rotary.h"

namespace ropewalk::compare {

using kernels::kernel_named;

namespace {

const Expectation& expectation_of(const Launch& launch, const char* tensor) {
  for (const Expectation& expectation : launch.expectations) {
    if (launch.tensors[expectation.tensor].name == tensor) return expectation;
  }
  throw std::runtime_error("nothing is expected of " + std::string(tensor));
}

TEST(ExpectAnswer, of_apply_is_out_or_x) {
  const Kernel& kernel = kernel_named("rotary/apply");
  for (const bool inplace : {false, true}) {
    RotaryProblem problem = parse_rotary("rotary(B=2,T=3,H=2,D=8,rotary_dim=4,dtype=bf16)");
    problem.inplace = inplace;
    Launch launch = kernel.launch(problem);
    EXPECT_EQ(expect_answer(kernel, problem, launch), "");
    ASSERT_EQ(launch.expectations.size(), 1u);
    const Expectation& expectation = expectation_of(launch, inplace ? "x" : "out");
    const Array& x = *std::get<Given>(launch.tensors[0].init).array;
    EXPECT_EQ(expectation.values->at(0), x.at(0)) << "position 0 is not rotated";
    EXPECT_EQ(expectation.values->at(8 * 5 + 4), x.at(8 * 5 + 4)) << "past the width";
    EXPECT_NE(expectation.values->at(8 * 5), x.at(8 * 5));
    EXPECT_EQ(expectation.bound->at(8 * 5 + 4), 0);
    EXPECT_GT(expectation.bound->at(8 * 5), 0);
  }
}

TEST(ExpectAnswer, of_qk_is_both) {
  const Kernel& kernel = kernel_named("rotary/qk");
  const RotaryProblem problem = parse_rotary("rotary(B=1,T=2,H=3,D=8,key_heads=1,positions=[0,5])");
  Launch launch = kernel.launch(problem);
  EXPECT_EQ(expect_answer(kernel, problem, launch), "");
  EXPECT_EQ(expectation_of(launch, "q").values->count(), 48);
  EXPECT_EQ(expectation_of(launch, "k").values->count(), 16);
}

TEST(ExpectAnswer, of_the_cache_is_its_tables) {
  const Kernel& kernel = kernel_named("rotary/cache");
  for (const char* text : {"rotary(T=50,D=8)", "rotary(T=50,D=8,given_frequencies=true,cache_dtype=bf16)"}) {
    Launch launch = kernel.launch(parse_rotary(text));
    EXPECT_EQ(expect_answer(kernel, parse_rotary(text), launch), "");
    EXPECT_NEAR(expectation_of(launch, "cos").values->at(4 * 40), std::cos(40), 1e-12);
    EXPECT_NEAR(expectation_of(launch, "sin").values->at(4 * 40 + 1), std::sin(4), 1e-6);
  }
}

TEST(ExpectAnswer, says_why_nothing_is_expected) {
  const Kernel& kernel = kernel_named("faulty/rotary-apply-unguarded");
  const RotaryProblem wide = parse_rotary("rotary(B=2,T=128,H=8,D=64,rotary_dim=512)");
  Launch launch = kernel.launch(wide);
  EXPECT_EQ(expect_answer(kernel, wide, launch),
            "no result is defined: rotary_dim 512 is larger than head_dim 64 (512 = 8 heads x 64: was the model width "
            "passed?)");
  EXPECT_TRUE(launch.expectations.empty());
  const RotaryProblem large = parse_rotary("rotary(B=8192,T=1024,H=16,D=64)");
  Launch large_launch = kernel.launch(large);
  EXPECT_EQ(expect_answer(kernel, large, large_launch),
            "outputs of 8589934592 elements are more than the 16777216 that are computed");
}

}  // namespace
}  // namespace ropewalk::compare
