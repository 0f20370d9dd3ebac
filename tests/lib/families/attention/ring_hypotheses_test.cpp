// Outputs of a ring's rank that are wrong as a known mistake makes them, put together by the reference, and outputs
// that are wrong as none does. (Each seeded bug of the atlas has its cause as well: attn-fuzz atlas.)
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "kernels/kernels.h"
#include "lib/compare/expect.h"
#include "lib/compare/ring_tensors.h"
#include "lib/families/attention/ring_walk.h"
#include "lib/machine/machine.h"
#include "lib/problem/attention.h"
#include "tests/lib/diagnose/mismatch_cause.h"

namespace ropewalk::attention {
namespace {

constexpr const char* causal =
    "attention(B=2,Tq=24,Tk=24,H=2,D=8,key_heads=1,value_dim=5,causal=bottom-right,alibi=true,ranks=4,zigzag=true)";
constexpr const char* windowed = "attention(Tq=24,Tk=24,H=2,D=8,window=[9,6],softcap=3,sink=true,ranks=3)";

// The cause of a healthy f32 launch one of whose outputs holds what `walk` comes to; "none": it is right, "": it has no
// cause.
std::string cause_of(const std::string& text, const std::string& output, const std::function<void(RingWalk&)>& change,
                     const std::function<void(std::vector<double>&)>& spoil = {}) {
  const compare::RankedName name = compare::ranked_name(output).value_or(compare::RankedName{});
  const bool backward = name.tensor.starts_with("d"), keys = name.tensor == "dk" || name.tensor == "dv";
  const Kernel& kernel = kernels::kernel_named(backward ? "attention/ring-backward" : "attention/ring");
  const Problem problem = families::parse_problem(text);
  const AttentionProblem& attention = problem.get<AttentionProblem>();
  Launch launch = kernel.launch(problem);
  EXPECT_EQ(compare::expect_answer(kernel, problem, launch), "");
  const AttentionCase right = *attention_case(attention, launch);
  RingWalk walk;
  for (i64 step = 0; step < attention.ranks; ++step) walk.steps.push_back(step);
  change(walk);
  RingParts parts(right);
  auto outputs = keys       ? parts.keys_backward(walk, name.rank)
                 : backward ? parts.queries_backward(walk, name.rank)
                            : parts.forward(walk, name.rank);
  std::vector<double> values = outputs.at(name.tensor).value;
  if (spoil) spoil(values);
  return diagnose::cause_of_values(launch, problem, output, values);
}

TEST(RingHypotheses, TheRightWalkIsTheReferencesAnswer) {
  for (const char* text : {causal, windowed}) {
    for (const char* output : {"out.rank0", "out.rank2", "lse.rank1", "dq.rank0", "dq.rank2", "dk.rank1", "dv.rank2"}) {
      EXPECT_EQ(cause_of(text, output, [](RingWalk&) {}), "none") << text << " " << output;
    }
  }
}

TEST(RingHypotheses, StepsAreRecognised) {
  for (const char* output : {"out.rank0", "lse.rank1", "dq.rank2", "dk.rank0", "dv.rank1"}) {
    EXPECT_EQ(cause_of(causal, output, [](RingWalk& w) { w.steps = {0, 1, 3}; }), "ring-step-missing") << output;
    EXPECT_EQ(cause_of(causal, output, [](RingWalk& w) { w.steps.push_back(2); }), "ring-step-twice") << output;
    EXPECT_EQ(cause_of(causal, output, [](RingWalk& w) { w.steps = {0}; }), "ring-step-missing") << output;
  }
}

TEST(RingHypotheses, OrdersAreRecognised) {
  const auto contiguous = [](RingWalk& walk) {
    walk.query_position = [](i64 rank, i64 token) { return rank * 6 + token; };
    walk.key_position = [](i64, i64 source, i64 token) { return source * 6 + token; };
  };
  for (const char* output : {"out.rank1", "lse.rank2", "dq.rank1", "dk.rank2"}) {
    EXPECT_EQ(cause_of(causal, output, contiguous), "rank-order") << output;
  }
  const auto own = [](RingWalk& walk) {
    walk.key_position = [](i64 self, i64, i64 token) { return self * 8 + token; };
  };
  for (const char* output : {"out.rank1", "lse.rank2", "dq.rank1", "dv.rank0"}) {
    EXPECT_EQ(cause_of(windowed, output, own), "rank-order") << output;
  }
}

TEST(RingHypotheses, MergesAreRecognised) {
  for (const RingMerge rule :
       {RingMerge::Summed, RingMerge::NotRescaled, RingMerge::NotWeighted, RingMerge::Mean, RingMerge::Last}) {
    EXPECT_EQ(cause_of(causal, "out.rank3", [=](RingWalk& w) { w.merge = rule; }), "merge-weights") << int(rule);
  }
  for (const char* output : {"out.rank0", "lse.rank2"}) {
    EXPECT_EQ(cause_of(windowed, output, [](RingWalk& w) { w.lse_factor = std::numbers::log2e; }), "lse-base");
    EXPECT_EQ(cause_of(windowed, output, [](RingWalk& w) { w.sink_in_steps = true; }), "sink-in-every-part");
  }
}

TEST(RingHypotheses, HypothesesWithoutARingAreRecognisedAsWell) {
  const Problem problem = families::parse_problem("attention(Tq=24,Tk=24,H=2,D=8,softcap=1,ranks=4)");
  const Kernel& kernel = kernels::kernel_named("attention/ring");
  Launch launch = kernel.launch(problem);
  compare::expect_answer(kernel, problem, launch);
  AttentionCase uncapped = *attention_case(problem.get<AttentionProblem>(), launch);
  uncapped.problem.softcap = 0;
  const std::vector<double> whole = uncapped.expected().at("out").value;
  std::vector<float> held;
  const u32 number = u32(launch.tensor_named("out.rank2"));
  const compare::RingPositions positions(problem.get<AttentionProblem>());
  for (const u64 n : positions.elements(launch.tensors[number].shape, 2)) held.push_back(float(whole[n]));
  Outcome outcome;
  outcome.tensors.resize(launch.tensors.size());
  outcome.tensors[number].bytes = reinterpret_cast<const std::byte*>(held.data());
  for (const Expectation& expected : launch.expectations) {
    if (expected.tensor != number) continue;
    EXPECT_EQ(diagnose::mismatch_cause(launch, problem, expected, outcome), "softcap-missing");
  }
}

// Of a seeded bug on a problem with cu_seqlens: what goes wrong in each of its sequences.
TEST(RingHypotheses, PackedSequencesAreDistinguished) {
  constexpr const char* packed =
      "attention(Tq=40,Tk=40,H=2,D=8,key_heads=1,value_dim=5,causal=bottom-right,cu_seqlens_q=[0,8,8,32],"
      "cu_seqlens_k=[0,8,8,32],ranks=4,zigzag=true)";
  constexpr struct {
    const char *words, *output, *cause;
  } faults[] = {{"packed", "out.rank0", "rank-order"},
                {"packed", "lse.rank1", "rank-order"},
                {"contiguous", "out.rank1", "rank-order"},
                {"last-step", "out.rank1", "ring-step-missing"},
                {"step-twice", "lse.rank0", "ring-step-twice"},
                {"summed", "out.rank1", "merge-weights"},
                {"lse-base", "lse.rank1", "lse-base"},
                {"gradient-own", "dk.rank0", "ring-step-missing"},
                {"gradient-own", "dv.rank1", "ring-step-missing"},
                {"gradient-last-step", "dq.rank1", "ring-step-missing"},
                {"gradient-contiguous", "dq.rank1", "rank-order"}};
  for (const auto& [words, output, cause] : faults) {
    const Kernel& kernel = kernels::kernel_named(std::string("faulty/attention-ring-") + words);
    const Problem problem = families::parse_problem(packed);
    Launch launch = kernel.launch(problem);
    EXPECT_EQ(compare::expect_answer(kernel, problem, launch), "");
    const Outcome outcome = machine::make_machine()->run(launch, {});
    bool is_expected = false;
    for (const Expectation& expected : launch.expectations) {
      if (i64(expected.tensor) != launch.tensor_named(output)) continue;
      is_expected = true;
      EXPECT_EQ(diagnose::mismatch_cause(launch, problem, expected, outcome), cause) << words << " " << output;
    }
    EXPECT_TRUE(is_expected) << output;
  }
}

TEST(RingHypotheses, AnythingElseHasNoCause) {
  for (u64 wrong = 0; wrong < 6; ++wrong) {
    const auto one = [=](std::vector<double>& values) { values[(wrong * 37) % values.size()] += 0.5; };
    const auto all = [=](std::vector<double>& values) {
      for (double& value : values) value *= 1.001 + 0.01 * double(wrong);
    };
    for (const char* output : {"out.rank2", "dq.rank1", "dk.rank0"}) {
      EXPECT_EQ(cause_of(
                    causal, output, [](RingWalk&) {}, one),
                "")
          << output << wrong;
      EXPECT_EQ(cause_of(
                    causal, output, [](RingWalk&) {}, all),
                "")
          << output << wrong;
    }
  }
}

}  // namespace
}  // namespace ropewalk::attention
