// Attention kernels: what their preconditions say, and their PTX on the checked machine.
#include <gtest/gtest.h>

#include "kernels/kernels.h"
#include "lib/compare/expect.h"
#include "lib/compare/judge.h"
#include "lib/generate/case_plan.h"
#include "lib/machine/machine.h"

namespace ropewalk::kernels {
namespace {

const Kernel& forward() { return kernel_named("attention/forward"); }

std::string first_reason(const char* problem) {
  const auto reasons = forward().reject(families::parse_problem(problem));
  return reasons.empty() ? "" : reasons.front();
}

Outcome run(const Kernel& kernel, const Problem& problem, bool fp_contract = false) {
  Launch launch = kernel.launch(problem);
  compare::expect_answer(kernel, problem, launch);
  RunOptions options;
  options.fp_contract = fp_contract;
  options.seconds = 600;  // also where other work takes the processor
  Outcome outcome = machine::make_machine()->run(launch, options);
  compare::judge_outputs(launch, outcome);
  return outcome;
}

std::string report_of(const Outcome& outcome) {
  std::string text = outcome.reason;
  for (const Finding& finding : outcome.findings) {
    text += std::string(name_of(finding.rule)) + ": " + finding.message + "\n";
  }
  return text;
}

TEST(AttentionContract, says_what_is_wrong) {
  EXPECT_EQ(first_reason("attention(B=2)"), "");
  EXPECT_EQ(first_reason("attention(H=6,key_heads=4)"),
            "6 heads of q cannot share 4 heads of k and v evenly: 6 is no multiple of 4");
  EXPECT_EQ(first_reason("attention(dtype=bf16,key_dtype=f16)"),
            "unequal dtypes: q is bf16, k and v are f16; all three must be of one dtype");
  EXPECT_EQ(first_reason("attention(window=[-2,4])"),
            "window[0] is -2, it must be a number of keys up to 2^30, or -1 for all");
  EXPECT_EQ(first_reason("attention(window=[4])"),
            "window has 1 entries, it must have 2: keys to the left and to the right");
  EXPECT_EQ(first_reason("attention(softcap=-1)"), "softcap is -1, it must be 0 (none) or from 2^-10 to 2^20");
  EXPECT_EQ(first_reason("attention(D=257)"), "D is 257, it may be at most 256");
  EXPECT_EQ(first_reason("attention(cu_seqlens_q=[1,16],cu_seqlens_k=[0,16])"),
            "cu_seqlens_q starts at 1, it must start at 0: rows before it belong to no sequence");
  EXPECT_EQ(first_reason("attention(cu_seqlens_q=[0,9,5],cu_seqlens_k=[0,4,16])"),
            "cu_seqlens_q decreases from 9 to 5 at entry 2");
  EXPECT_EQ(first_reason("attention(cu_seqlens_q=[0,16],cu_seqlens_k=[0,17])"),
            "cu_seqlens_k[1] is 17, past the 16 rows of k");
  EXPECT_EQ(first_reason("attention(cu_seqlens_q=[0,16],cu_seqlens_k=[0,16],max_seqlen_q=8)"),
            "sequence 0 has 16 rows of q, more than max_seqlen_q = 8");
  EXPECT_EQ(first_reason("attention(cu_seqlens_q=[0,16])"),
            "cu_seqlens_k is missing: q and k must both be of varying lengths, or neither");
  EXPECT_EQ(first_reason("attention(cu_seqlens_q=[0,16],cu_seqlens_k=[0,8,16])"),
            "cu_seqlens_q has 2 entries and cu_seqlens_k 3: they must be of the same sequences");
}

class Healthy : public testing::TestWithParam<const char*> {};

// The plan's first cases are every value of every parameter, every flaw and every pair of values. Every other one is
// run with products fused with sums, which the bounds allow.
TEST_P(Healthy, is_right_and_silent_and_rejects_flaws) {
  const Kernel& kernel = kernel_named(GetParam());
  const generate::CasePlan plan(kernel, 7);
  for (u64 n = 0; n < plan.guiding_cases(); ++n) {
    const generate::PlannedCase planned = plan.at(n);
    const auto reasons = kernel.reject(planned.problem);
    ASSERT_EQ(reasons.empty(), !planned.flaw) << text_of(planned.problem) << "\n"
                                              << (planned.flaw ? planned.flaw->name : reasons.front());
    if (planned.flaw) continue;
    const Outcome outcome = run(kernel, planned.problem, n % 2);
    ASSERT_EQ(outcome.kind, OutcomeKind::Agreed) << text_of(planned.problem) << "\n" << report_of(outcome);
    ASSERT_TRUE(outcome.findings.empty()) << text_of(planned.problem) << "\n" << report_of(outcome);
  }
}

TEST_P(Healthy, is_right_about_long_heads_and_many_tiles) {
  for (const char* text :
       {"attention(Tq=40,Tk=70,H=1,D=256,value_dim=256,dtype=bf16,causal=bottom-right)",
        "attention(Tq=3,Tk=200,H=2,D=96,key_heads=1,value_dim=200,softcap=20,window=[60,-1])",
        "attention(Tq=65,Tk=2,H=1,D=32,causal=bottom-right)", "attention(Tq=5,Tk=5,H=2,D=64,input=low,dtype=f16)"}) {
    const Outcome outcome = run(kernel_named(GetParam()), families::parse_problem(text));
    EXPECT_EQ(outcome.kind, OutcomeKind::Agreed) << text << "\n" << report_of(outcome);
    EXPECT_TRUE(outcome.findings.empty()) << text << "\n" << report_of(outcome);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Healthy,
                         testing::Values("attention/forward", "attention/backward", "attention/decode",
                                         "attention/merge"));

// A backward that nobody has handed lse and delta leaves zeros, and no NaN.
TEST(AttentionBackwardLaunch, without_lse_no_key_has_any_weight) {
  const Launch launch = kernel_named("attention/backward").launch(families::parse_problem("attention(Tq=3,Tk=5,D=8)"));
  const Outcome outcome = machine::make_machine()->run(launch, {});
  EXPECT_EQ(outcome.kind, OutcomeKind::Agreed) << report_of(outcome);
  const float* const dq = reinterpret_cast<const float*>(outcome.tensors[0].bytes);
  for (int n = 0; n < 3 * 8; ++n) EXPECT_EQ(dq[n], 0);
}

}  // namespace
}  // namespace ropewalk::kernels
