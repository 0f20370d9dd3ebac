#include "lib/campaign/examine.h"

#include <gtest/gtest.h>

#include "kernels/kernels.h"
#include "lib/families/families.h"
#include "lib/generate/space.h"
#include "lib/machine/machine.h"
#include "lib/problem/rotary.h"
#include "lib/ptx/read.h"

namespace ropewalk::campaign {

using kernels::kernel_named;

namespace {

generate::ProblemSpace space_of(const Kernel& kernel) { return kernel.family->space(kernel); }

Examined examine(const Kernel& kernel, const std::string& text) {
  RunOptions options;
  options.threads = 1;
  Examiner examiner(machine::make_machine(), options);
  const generate::ProblemSpace space = space_of(kernel_named("rotary/apply"));
  const Problem problem = families::parse_problem(text);
  return examiner.examine({kernel, space.flaws, problem, 0}, {});
}

std::vector<Rule> rules_of(const Examined& examined) {
  std::vector<Rule> rules;
  for (const Finding& finding : examined.findings) rules.push_back(finding.rule);
  return rules;
}

TEST(Examine, a_healthy_kernel_is_silent) {
  const Examined good = examine(kernel_named("rotary/apply"), "rotary(B=2,T=5,H=3,D=16,seed=2)");
  EXPECT_EQ(rules_of(good), std::vector<Rule>{});
  EXPECT_FALSE(good.rejected);
  EXPECT_EQ(good.entry, "rotary_apply_vector_half_f32_f32");
  const Examined bad = examine(kernel_named("rotary/apply"), "rotary(T=5,H=3,D=16,rotary_dim=18)");
  EXPECT_TRUE(bad.rejected);
  EXPECT_EQ(rules_of(bad), std::vector<Rule>{});
}

// A missing precondition is found by itself, and what comes of it as well.
TEST(Examine, a_missing_precondition_is_a_finding) {
  const Examined examined = examine(kernel_named("faulty/rotary-apply-unguarded"), "rotary(T=3,H=2,D=8,rotary_dim=16)");
  ASSERT_FALSE(examined.findings.empty());
  EXPECT_EQ(examined.findings[0].rule, Rule::BadArgumentAccepted);
  EXPECT_EQ(examined.findings[0].message, "accepts a rotary_dim over head_dim, which it must reject");
  EXPECT_GT(examined.findings.size(), 1u);
}

TEST(Examine, a_precondition_that_refuses_too_much_is_a_finding) {
  Kernel strict = kernel_named("rotary/apply");
  strict.name = "strict";
  strict.reject = [](const Problem& problem) -> std::vector<std::string> {
    if (problem.get<RotaryProblem>().offset > 0) return {"offset must be 0"};
    return {};
  };
  EXPECT_EQ(rules_of(examine(strict, "rotary(T=3,H=2,D=8,offset=1)")), std::vector<Rule>{Rule::GoodArgumentRejected});
  EXPECT_EQ(rules_of(examine(strict, "rotary(T=3,H=2,D=8)")), std::vector<Rule>{});
}

// A kernel whose output depends on which block comes first: the row of the last one stays.
TEST(Examine, the_order_of_blocks_is_tried) {
  constexpr const char* text = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry last(.param .u64 out)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  atom.global.exch.b32 %r2, [%rd1], %r1;
  ret;
})";
  Kernel kernel = kernel_named("rotary/apply");
  kernel.name = "last";
  kernel.launch = [module = std::make_shared<const ptx::Module>(ptx::read(text, "last.ptx"))](const Problem&) {
    Launch launch;
    launch.module = module;
    launch.entry = launch.kernel_name = "last";
    launch.grid = {9, 1, 1};
    LaunchTensor out{"out", Dtype::I32, {1}, {1}, Fill{0}};
    out.output = true;
    launch.tensors.push_back(out);
    launch.arguments = {TensorArgument{0}};
    return launch;
  };
  RunOptions options;
  options.threads = 1;
  options.checks.remove(Check::Outputs);  // the reference knows no such kernel
  Examiner examiner(machine::make_machine(), options);
  const Problem problem = families::parse_problem("rotary(T=9,H=1,D=8)");
  const Examined examined = examiner.examine({kernel, {}, problem, 0}, {});
  EXPECT_EQ(rules_of(examined), std::vector<Rule>{Rule::NondeterministicOutput});
  EXPECT_EQ(rules_of(examiner.examine({kernel, {}, problem, 0}, {.other_order = false, .relations = false})),
            std::vector<Rule>{});
}

}  // namespace
}  // namespace ropewalk::campaign
