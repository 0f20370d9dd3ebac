#include "lib/generate/case_plan.h"

#include <gtest/gtest.h>

#include "kernels/kernels.h"
#include "lib/problem/rotary.h"

namespace ropewalk::generate {
namespace {

const Kernel& apply() { return kernels::kernel_named("rotary/apply"); }

TEST(Plan, a_case_depends_on_seed_kernel_and_number_alone) {
  const CasePlan one(apply(), 4), other(apply(), 4), another(apply(), 5),
      elsewhere(kernels::kernel_named("rotary/qk"), 4);
  // In another order, and with others left out.
  u64 differ = 0, far = 0;
  for (u64 n = one.first_random() + 40; n-- > 0; n -= n % 3) {
    const std::string text = text_of(one.at(n).problem);
    EXPECT_EQ(text, text_of(other.at(n).problem)) << n;
    differ += text != text_of(another.at(n).problem);
    far += text != text_of(elsewhere.at(n).problem);
    if (n < 2) break;
  }
  EXPECT_GT(differ, 100u);
  EXPECT_GT(far, 100u);
}

TEST(Plan, covers_every_pair_and_every_triple_before_it_draws) {
  const CasePlan plan(apply(), 1);
  for (const Tuples& tuples : plan.tuples()) {
    std::vector<bool> seen(tuples.count());
    for (u64 n = 0; n < plan.first_random(); ++n) {
      const PlannedCase one = plan.at(n);
      if (!one.choice.empty()) tuples.each(one.choice, [&](u64 tuple) { seen[tuple] = true; });
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), i64(tuples.count())) << tuples.strength();
  }
  EXPECT_LT(plan.guiding_cases(), 400u);
  EXPECT_LT(plan.first_random(), 2000u);
}

TEST(Plan, draws_what_rare_branches_need) {
  const CasePlan plan(apply(), 1);
  // One side was taken by the case of 12 heads alone.
  u64 example = 0;
  while (plan.at(example).problem.get<RotaryProblem>().heads != 12) ++example;
  Guidance guidance;
  guidance.sides = {{{example}}, {std::vector<u64>(50, 0)}};
  u64 guided = 0, blind = 0;
  for (u64 n = plan.first_random(); n < plan.first_random() + 400; ++n) {
    guided += plan.at(n, &guidance).problem.get<RotaryProblem>().heads == 12;
    blind += plan.at(n).problem.get<RotaryProblem>().heads == 12;
  }
  EXPECT_GT(guided, 2 * blind);
}

}  // namespace
}  // namespace ropewalk::generate
