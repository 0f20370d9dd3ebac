// Ring attention on the checked machine: whatever the number of ranks, and however tokens are dealt out, it comes to
// what one rank comes to, and to what the kernels without a ring do.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/kernels.h"
#include "lib/compare/elements.h"
#include "lib/compare/expect.h"
#include "lib/compare/judge.h"
#include "lib/compare/ring_tensors.h"
#include "lib/generate/case_plan.h"
#include "lib/machine/machine.h"
#include "lib/problem/attention.h"

namespace ropewalk::kernels {
namespace {

std::string first_reason_of_ring(const char* problem) {
  const auto reasons = kernel_named("attention/ring").reject(families::parse_problem(problem));
  return reasons.empty() ? "" : reasons.front();
}

TEST(RingContract, SaysWhatIsWrong) {
  EXPECT_EQ(first_reason_of_ring("attention(ranks=4)"), "");
  EXPECT_EQ(first_reason_of_ring("attention(Tq=12,Tk=12,ranks=2,zigzag=true)"), "");
  EXPECT_EQ(first_reason_of_ring("attention(ranks=0)"), "ranks is 0, it must be at least 1");
  EXPECT_EQ(first_reason_of_ring("attention(ranks=9)"), "ranks is 9, it may be at most 8");
  EXPECT_EQ(first_reason_of_ring("attention(Tq=18,Tk=18,ranks=4)"),
            "18 tokens cannot be dealt out evenly to 4 ranks: 18 is no multiple of 4");
  EXPECT_EQ(first_reason_of_ring("attention(Tq=12,Tk=12,ranks=4,zigzag=true)"),
            "12 tokens cannot be dealt out evenly to 4 ranks of two chunks each: 12 is no multiple of 8");
  EXPECT_EQ(first_reason_of_ring("attention(Tq=8,Tk=16,ranks=4)"),
            "Tq is 8 and Tk is 16: a ring deals out the tokens of one sequence, as many queries as keys");
  EXPECT_EQ(first_reason_of_ring("attention(ranks=2,cu_seqlens_q=[0,6,6,16],cu_seqlens_k=[0,6,6,16])"), "");
  EXPECT_EQ(first_reason_of_ring("attention(ranks=2,cu_seqlens_q=[0,6,11,16],cu_seqlens_k=[0,6,11,16])"),
            "5 tokens of sequence 1 cannot be dealt out evenly to 2 ranks: 5 is no multiple of 2");
  EXPECT_EQ(first_reason_of_ring("attention(ranks=2,zigzag=true,cu_seqlens_q=[0,8,14],cu_seqlens_k=[0,8,14])"),
            "6 tokens of sequence 1 cannot be dealt out evenly to 2 ranks of two chunks each: 6 is no multiple of 4");
  EXPECT_EQ(
      first_reason_of_ring("attention(ranks=2,cu_seqlens_q=[0,6,16],cu_seqlens_k=[0,8,16])"),
      "cu_seqlens_q and cu_seqlens_k differ: a ring deals out the tokens of each sequence, as many queries as keys");
  EXPECT_EQ(first_reason_of_ring("attention(ranks=2,cu_seqlens_q=[0,16])"),
            "cu_seqlens_k is missing: q and k must both be of varying lengths, or neither");
}

// An output of the whole sequence, with the bound of each element.
struct Whole {
  std::vector<double> value, bound;
};

std::vector<double> numbers(const Array& array) {
  const double* const first = reinterpret_cast<const double*>(array.bytes.data());
  return {first, first + element_count(array.shape)};
}

// The f32 outputs of a launch whose inputs are those of `one`, dealt out; where `dealt` has one rank, as they are.
std::map<std::string, Whole> outputs(const std::string& family_name, const AttentionProblem& dealt, const Launch& one) {
  const Kernel& kernel = kernel_named(family_name);
  AttentionProblem undealt = dealt;
  undealt.ranks = 1;
  undealt.zigzag = false;
  const compare::RingPositions positions(dealt), undealt_positions(undealt);
  Launch launch = kernel.launch(dealt);
  for (LaunchTensor& tensor : launch.tensors) {
    const auto name = compare::ranked_name(tensor.name);
    if (!name || tensor.output || name->tensor == "lse" || name->tensor == "delta") continue;
    const std::vector<double> whole = undealt_positions.whole_values(one, name->tensor);
    std::vector<double> part;
    for (const u64 n : positions.elements(tensor.shape, name->rank)) part.push_back(whole[n]);
    tensor.init = Given{std::make_shared<Array>(Array::of(tensor.dtype, tensor.shape, part)), ""};
  }
  EXPECT_EQ(compare::expect_answer(kernel, dealt, launch), "");
  Outcome outcome = machine::make_machine()->run(launch, {});
  compare::judge_outputs(launch, outcome);
  EXPECT_EQ(outcome.kind, OutcomeKind::Agreed) << family_name << " " << text_of(dealt);
  EXPECT_TRUE(outcome.findings.empty()) << outcome.findings.front().message;
  std::map<std::string, Whole> all;
  for (const Expectation& expected : launch.expectations) {
    const LaunchTensor& tensor = launch.tensors[expected.tensor];
    const auto name = compare::ranked_name(tensor.name);
    const auto elements = positions.elements(tensor.shape, name->rank);
    const std::vector<double> bound = numbers(*expected.bound);
    Whole& whole = all[name->tensor];
    whole.value.resize(elements.size() * u64(dealt.ranks));
    whole.bound.resize(whole.value.size());
    const float* const got = reinterpret_cast<const float*>(outcome.tensors[expected.tensor].bytes);
    for (u64 n = 0; n < elements.size(); ++n) {
      whole.value[elements[n]] = double(got[n]);
      whole.bound[elements[n]] = bound[n];
    }
  }
  return all;
}

class Ring : public testing::TestWithParam<const char*> {};

TEST_P(Ring, EqualsOneRank) {
  for (const char* text : {"attention(Tq=48,Tk=48,H=2,D=20,causal=bottom-right)",
                           "attention(B=2,Tq=32,Tk=32,H=4,D=12,key_heads=2,value_dim=7,softcap=5,alibi=true,sink=true)",
                           "attention(Tq=80,Tk=80,H=2,D=16,key_heads=1,window=[9,4],scale=0.5)",
                           "attention(Tq=80,Tk=80,H=2,D=12,key_heads=1,causal=bottom-right,alibi=true,sink=true,"
                           "cu_seqlens_q=[0,16,16,64],cu_seqlens_k=[0,16,16,64])",
                           "attention(Tq=32,Tk=32,H=1,D=65,causal=bottom-right,window=[20,0],input=large)"}) {
    const AttentionProblem one = parse_attention(text);
    const Launch inputs = kernel_named(GetParam()).launch(one);
    const std::map<std::string, Whole> expected = outputs(GetParam(), one, inputs);
    for (const i64 ranks : {2, 4, 8}) {
      for (const bool zigzag : {false, true}) {
        AttentionProblem dealt = one;
        dealt.ranks = ranks;
        dealt.zigzag = zigzag;
        u64 compared = 0, left_over = 0;
        for (const auto& [name, whole] : outputs(GetParam(), dealt, inputs)) {
          const Whole& right = expected.at(name);
          ASSERT_EQ(whole.value.size(), right.value.size());
          for (u64 n = 0; n < whole.value.size(); ++n, ++compared) {
            ASSERT_EQ(std::isinf(whole.bound[n]), std::isinf(right.bound[n])) << name << " " << n;
            if (std::isinf(whole.bound[n])) {
              ++left_over;
              continue;
            }
            ASSERT_NEAR(whole.value[n], right.value[n], whole.bound[n] + right.bound[n])
                << GetParam() << " " << text_of(dealt) << " " << name << " " << n;
            ASSERT_LE(whole.bound[n], 6 * right.bound[n] + 1e-6) << name << " " << n;
          }
        }
        EXPECT_GT(compared, 600u);
        EXPECT_EQ(left_over * 5, dealt.varlen() ? compared : 0) << "16 of 80 rows are no sequence's";
      }
    }
  }
}

// The first cases of a campaign; every other one with products fused with sums, which the bounds allow.
TEST_P(Ring, IsRightAndSilentAndRejectsFlaws) {
  const Kernel& kernel = kernel_named(GetParam());
  const generate::CasePlan plan(kernel, 7);
  for (u64 n = 0; n < 150; ++n) {
    const generate::PlannedCase planned = plan.at(n);
    ASSERT_EQ(kernel.reject(planned.problem).empty(), !planned.flaw) << text_of(planned.problem);
    if (planned.flaw || planned.blocks) continue;
    Launch launch = kernel.launch(planned.problem);
    compare::expect_answer(kernel, planned.problem, launch);
    RunOptions options;
    options.fp_contract = n % 2;
    Outcome outcome = machine::make_machine()->run(launch, options);
    compare::judge_outputs(launch, outcome);
    ASSERT_EQ(outcome.kind, OutcomeKind::Agreed) << text_of(planned.problem) << "\n" << outcome.reason;
    ASSERT_TRUE(outcome.findings.empty()) << text_of(planned.problem) << "\n" << outcome.findings.front().message;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Ring, testing::Values("attention/ring", "attention/ring-backward"));

// Rank 0 of a ring of one rank has the numbers of a launch without a ring.
TEST(RingInputs, OneRankHasThoseOfALaunchWithoutARing) {
  const Problem problem = families::parse_problem("attention(Tq=6,Tk=6,H=2,D=5)");
  const Launch ring = kernel_named("attention/ring").launch(problem);
  const Launch plain = kernel_named("attention/forward").launch(problem);
  const compare::RingPositions positions(problem.get<AttentionProblem>());
  for (const char* name : {"q", "k", "v"}) {
    EXPECT_EQ(positions.whole_values(ring, name), compare::initial_values(plain.tensors[u64(plain.tensor_named(name))]))
        << name;
  }
}

}  // namespace
}  // namespace ropewalk::kernels
