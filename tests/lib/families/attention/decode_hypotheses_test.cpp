// Outputs of decode kernels and of merges that are wrong as a known misreading makes them, put together by the
// reference. (Each seeded bug of the atlas has its cause as well: attn-fuzz atlas.)
#include <gtest/gtest.h>

#include <cstring>

#include "kernels/kernels.h"
#include "lib/compare/elements.h"
#include "lib/compare/expect.h"
#include "lib/families/attention/attention_case.h"
#include "lib/families/attention/page_hypotheses.h"
#include "lib/problem/attention.h"
#include "reference/attention_parts.h"
#include "tests/lib/diagnose/mismatch_cause.h"

namespace ropewalk::attention {

using reference::MergeHypothesis;

namespace {

Launch expected_launch(const std::string& kernel, const Problem& problem) {
  Launch launch = kernels::kernel_named(kernel).launch(problem);
  EXPECT_EQ(compare::expect_answer(kernels::kernel_named(kernel), problem, launch), "");
  return launch;
}

std::string decode_cause(const std::string& text, const std::string& output,
                         const std::function<void(AttentionCase&, const Launch&)>& misread) {
  const Problem problem = families::parse_problem(text);
  const Launch launch = expected_launch("attention/decode", problem);
  AttentionCase one = *attention_case(problem.get<AttentionProblem>(), launch);
  misread(one, launch);
  return diagnose::cause_of_values(launch, problem, output, one.expected().at(output).value);
}

constexpr const char* paged =
    "attention(B=3,Tq=2,Tk=40,H=2,D=8,window=[30,-1],key_lengths=[40,9,33],page_size=8,spare_pages=2,seed=5)";

TEST(PageHypotheses, ReadAsAskedIsNoFinding) {
  EXPECT_EQ(decode_cause(paged, "out", [](AttentionCase&, const Launch&) {}), "none");
  EXPECT_EQ(decode_cause(paged, "lse", [](AttentionCase&, const Launch&) {}), "none");
}

TEST(PageHypotheses, AreRecognised) {
  u64 reported = 0;
  const auto problem = families::parse_problem(paged).get<AttentionProblem>();
  const Launch launch = kernels::kernel_named("attention/decode").launch(Problem(problem));
  for (const PageHypothesis& hypothesis : page_hypotheses(problem, launch)) {
    if (hypothesis.values_alone) continue;
    const std::string cause = decode_cause(paged, "out", [&](AttentionCase& one, const Launch& of) {
      if (hypothesis.all_keys) one.problem.key_lengths.clear();
      one.take_keys_from(cached_rows_of(hypothesis, problem, of));
    });
    EXPECT_EQ(cause, hypothesis.cause) << hypothesis.text;
    ++reported;
  }
  EXPECT_GT(reported, 8u);
}

TEST(PageHypotheses, OtherPagesHaveNoCause) {
  EXPECT_EQ(decode_cause(paged, "out",
                         [](AttentionCase& one, const Launch&) {
                           one.take_keys_from([](i64 sequence, i64 key) { return (7 * key + 3 * sequence) % 100; });
                         }),
            "");
}

TEST(PartHypotheses, AreRecognised) {
  const char* const text = "attention(B=2,Tq=2,Tk=11,H=2,D=8,sink=true,splits=3)";
  for (const char* output : {"out_partial", "lse_partial"}) {
    EXPECT_EQ(decode_cause(text, output, [](AttentionCase&, const Launch&) {}), "none");
    EXPECT_EQ(decode_cause(text, output, [](AttentionCase& one, const Launch&) { one.parts.with_sink = true; }),
              "sink-in-every-part");
    EXPECT_EQ(decode_cause(text, output,
                           [](AttentionCase& one, const Launch&) {
                             one.parts.part_of = [](i64 split, i64) {
                               return AttentionProblem::Range{3 * split, 3 * split + 3};
                             };
                           }),
              "split-range");
    EXPECT_EQ(decode_cause(text, output, [](AttentionCase& one, const Launch&) { one.problem.scale = 1; }),
              "scale-missing");
  }
}

std::string merge_cause(const std::string& output, const MergeHypothesis& hypothesis, i64 parts_less = 0,
                        double more = 0) {
  const Problem problem =
      families::parse_problem("attention(Tq=3,Tk=6,H=2,D=4,causal=bottom-right,splits=4,key_lengths=[5])");
  const Launch launch = expected_launch("attention/merge", problem);
  AttentionProblem read = problem.get<AttentionProblem>();
  read.splits -= parts_less;
  const auto input = [&](const char* name) {
    return compare::initial_values(launch.tensors[u64(launch.tensor_named(name))]);
  };
  std::vector<double> out(24), lse(6), bound(24);
  reference::attention_merge(read, input("out_partial").data(), input("lse_partial").data(), nullptr, hypothesis,
                             {out.data(), bound.data()}, {lse.data(), bound.data()});
  if (more != 0) out[5] += more;
  return diagnose::cause_of_values(launch, problem, output, output == "out" ? out : lse);
}

TEST(MergeHypotheses, AreRecognised) {
  for (const char* output : {"out", "lse"}) {
    EXPECT_EQ(merge_cause(output, {}), "none");
    MergeHypothesis hypothesis;
    hypothesis.weights = MergeHypothesis::Weights::Equal;
    EXPECT_EQ(merge_cause(output, hypothesis), "merge-weights") << output;
    hypothesis.weights = MergeHypothesis::Weights::OfBaseTwo;
    EXPECT_EQ(merge_cause(output, hypothesis), "lse-base") << output;
    hypothesis = {};
    hypothesis.counts_empty = true;
    EXPECT_EQ(merge_cause(output, hypothesis), "empty-split") << output;
  }
  MergeHypothesis ones;
  ones.weights = MergeHypothesis::Weights::Ones;
  EXPECT_EQ(merge_cause("out", ones), "merge-weights");
}

TEST(MergeHypotheses, AnythingElseHasNoCause) { EXPECT_EQ(merge_cause("out", {}, 0, 0.25), ""); }

TEST(MergeHypotheses, AnEmptyLastPartMakesNoDifference) { EXPECT_EQ(merge_cause("out", {}, 1), "none"); }

}  // namespace
}  // namespace ropewalk::attention
