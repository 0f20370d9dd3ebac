// Outputs of attention that are wrong as a known misreading makes them, put together by the reference, and outputs that
// are wrong as none does. (Each seeded bug of the atlas has its cause as well: attn-fuzz atlas.)
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "kernels/kernels.h"
#include "lib/compare/expect.h"
#include "lib/families/attention/attention_case.h"
#include "lib/problem/attention.h"
#include "tests/lib/diagnose/mismatch_cause.h"

namespace ropewalk::attention {
namespace {

constexpr const char* everything =
    "attention(B=2,Tq=5,Tk=9,H=4,D=8,key_heads=2,causal=bottom-right,window=[4,0],softcap=1,alibi=true,sink=true)";

// The cause of a healthy f32 launch whose outputs hold these numbers, by the finding of one of them; "none": it is
// right, "": it has no cause.
std::string cause_of(const std::string& text, const std::string& kernel, const std::string& output,
                     const std::function<void(AttentionCase&)>& misread,
                     const std::function<void(std::vector<double>&)>& spoil = {}) {
  const Problem problem = families::parse_problem(text);
  Launch launch = kernels::kernel_named(kernel).launch(problem);
  EXPECT_EQ(compare::expect_answer(kernels::kernel_named(kernel), problem, launch), "");
  AttentionCase one = *attention_case(problem.get<AttentionProblem>(), launch);
  misread(one);
  std::vector<double> values = one.expected().at(output).value;
  if (spoil) spoil(values);
  return diagnose::cause_of_values(launch, problem, output, values);
}

TEST(AttentionHypotheses, ReadAsAskedIsNoFinding) {
  for (const char* output : {"out", "lse"}) {
    EXPECT_EQ(cause_of(everything, "attention/forward", output, [](AttentionCase&) {}), "none") << output;
  }
  for (const char* output : {"dq", "dk", "dv"}) {
    EXPECT_EQ(cause_of(everything, "attention/backward", output, [](AttentionCase&) {}), "none") << output;
  }
}

TEST(AttentionHypotheses, AreRecognised) {
  const auto forward = [](const std::function<void(AttentionCase&)>& misread) {
    return cause_of(everything, "attention/forward", "out", misread);
  };
  EXPECT_EQ(forward([](AttentionCase& c) { c.problem.scale = 1; }), "scale-missing");
  EXPECT_EQ(forward([](AttentionCase& c) { c.problem.softcap = 0; }), "softcap-missing");
  EXPECT_EQ(forward([](AttentionCase& c) { c.slopes.clear(); }), "alibi-slope");
  EXPECT_EQ(forward([](AttentionCase& c) { c.sinks.clear(); }), "sink-missing");
  EXPECT_EQ(forward([](AttentionCase& c) { c.problem.window = {5, 0}; }), "window-off-by-one");
  EXPECT_EQ(forward([](AttentionCase& c) { c.hypothesis.own_key = [](i64 query, i64, i64) { return query; }; }),
            "causal-top-left");
  const auto backward = [](const char* output, const std::function<void(AttentionCase&)>& misread) {
    return cause_of(everything, "attention/backward", output, misread);
  };
  EXPECT_EQ(backward("dq", [](AttentionCase& c) { c.hypothesis.softcap_slope_lost = true; }),
            "softcap-missing-in-backward");
  EXPECT_EQ(backward("dv", [](AttentionCase& c) { c.problem.softcap = 0; }), "softcap-missing-in-backward");
  EXPECT_EQ(backward("dk", [](AttentionCase& c) { c.delta.assign(c.delta.size(), 0); }), "delta-missing");
}

// Rows that see no key have an lse of -inf: where another mask lets them see some, their weights are infinite.
TEST(AttentionHypotheses, OfInfiniteWeightsAreRecognisedByNumbers) {
  const auto top_left = [](const char* text, const char* output) {
    return cause_of(text, "attention/backward", output,
                    [](AttentionCase& c) { c.hypothesis.own_key = [](i64 query, i64, i64) { return query; }; });
  };
  EXPECT_EQ(top_left("attention(Tq=6,Tk=4,D=2,causal=bottom-right)", "dq"), "causal-top-left");
  // Every element of dk is NaN, as by any mask under which the first row sees a key.
  EXPECT_EQ(top_left("attention(Tq=16,Tk=1,D=2,causal=bottom-right)", "dk"), "");
}

TEST(AttentionHypotheses, RowsOfEmptySequencesAreRecognised) {
  const char* const text = "attention(Tq=2,Tk=9,H=2,D=8,cu_seqlens_q=[0,0,1,2],cu_seqlens_k=[0,3,5,9])";
  EXPECT_EQ(cause_of(text, "attention/forward", "out",
                     [](AttentionCase& c) {
                       c.problem.cu_seqlens_q = {0, 1, 2, 2};
                     }),
            "empty-sequence");
  // Without keys the first row is zero, as it is where whole tiles are left out.
  const char* const zeros = "attention(Tq=1,Tk=2,D=8,cu_seqlens_q=[0,0,1],cu_seqlens_k=[0,0,2])";
  EXPECT_EQ(cause_of(zeros, "attention/forward", "out",
                     [](AttentionCase& c) {
                       c.problem.cu_seqlens_q = {0, 1, 1};
                     }),
            "");
}

TEST(AttentionHypotheses, WhatMakesNoDifferenceCannotWin) {
  // One key: its weight is 1 whatever its score is, so that no hypothesis of scores is of any consequence.
  const auto spoil = [](std::vector<double>& values) { values[1] += 0.5; };
  EXPECT_EQ(
      cause_of(
          "attention(Tq=2,Tk=1,D=4,softcap=10,alibi=true)", "attention/forward", "out", [](AttentionCase&) {}, spoil),
      "");
}

TEST(AttentionHypotheses, AnythingElseHasNoCause) {
  for (u64 wrong = 0; wrong < 20; ++wrong) {
    const auto one = [=](std::vector<double>& values) { values[(wrong * 37) % values.size()] += 0.5; };
    const auto all = [=](std::vector<double>& values) {
      for (double& value : values) value *= 1.001 + 0.01 * double(wrong);
    };
    EXPECT_EQ(cause_of(
                  everything, "attention/forward", "out", [](AttentionCase&) {}, one),
              "")
        << wrong;
    EXPECT_EQ(cause_of(
                  everything, "attention/forward", "out", [](AttentionCase&) {}, all),
              "")
        << wrong;
    EXPECT_EQ(cause_of(
                  everything, "attention/backward", "dk", [](AttentionCase&) {}, one),
              "")
        << wrong;
  }
}

}  // namespace
}  // namespace ropewalk::attention
