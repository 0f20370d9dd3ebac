#include "reference/attention_parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lib/base/random.h"
#include "lib/problem/attention.h"
#include "tests/reference/attention_problems.h"

namespace ropewalk::reference {
namespace {

constexpr double positive_infinity = std::numeric_limits<double>::infinity();

struct SplitAnswer {
  std::vector<double> out, out_bound, lse, lse_bound;
  SplitAnswer(const AttentionProblem& p, i64 splits) {
    const u64 rows = u64(splits * p.batch * p.query_tokens * p.heads);
    out.resize(rows * u64(p.columns_of_values()));
    out_bound.resize(out.size());
    lse.resize(rows);
    lse_bound.resize(rows);
  }
  ExpectedValues of_out() { return {out.data(), out_bound.data()}; }
  ExpectedValues of_lse() { return {lse.data(), lse_bound.data()}; }
};

SplitAnswer whole(const AttentionProblem& p, const Tensors& tensors) {
  SplitAnswer answer(p, 1);
  attention_forward(p, tensors.inputs(), answer.of_out(), answer.of_lse());
  return answer;
}

SplitAnswer in_parts(const AttentionProblem& p, const Tensors& tensors, const PartsHypothesis& hypothesis = {}) {
  SplitAnswer answer(p, p.splits);
  attention_parts(p, tensors.inputs(), hypothesis, answer.of_out(), answer.of_lse());
  return answer;
}

SplitAnswer merged(const AttentionProblem& p, const SplitAnswer& parts, const std::vector<double>& sinks,
                   const MergeHypothesis& hypothesis = {}) {
  SplitAnswer answer(p, 1);
  attention_merge(p, parts.out.data(), parts.lse.data(), sinks.empty() ? nullptr : sinks.data(), hypothesis,
                  answer.of_out(), answer.of_lse());
  return answer;
}

// A drawn problem without cu_seqlens, with key lengths and splits.
AttentionProblem drawn_in_parts(u64 seed) {
  AttentionProblem p = drawn_problem(seed);
  Random random(mix(seed));
  p.cu_seqlens_q.clear();
  p.cu_seqlens_k.clear();
  p.splits = random.between(1, 9);
  for (i64 n = 0; n < p.batch && seed % 2; ++n) p.key_lengths.push_back(random.between(0, p.key_tokens));
  return p;
}

TEST(AttentionParts, put_together_are_the_whole) {
  for (u64 seed = 0; seed < 100; ++seed) {
    const AttentionProblem p = drawn_in_parts(seed);
    const Tensors tensors = tensors_of(p);
    const SplitAnswer one = whole(p, tensors), other = merged(p, in_parts(p, tensors), tensors.sinks);
    for (u64 n = 0; n < one.out.size(); ++n) ASSERT_NEAR(one.out[n], other.out[n], 1e-12) << text_of(p);
    for (u64 n = 0; n < one.lse.size(); ++n) {
      if (one.lse[n] == other.lse[n]) continue;
      ASSERT_NEAR(one.lse[n], other.lse[n], 1e-12) << text_of(p);
    }
  }
}

TEST(AttentionParts, without_keys_are_zero_and_minus_infinity) {
  AttentionProblem p;
  p.query_tokens = p.heads = p.head_dim = 1;
  p.key_tokens = 2;
  p.splits = 4;
  const SplitAnswer parts = in_parts(p, tensors_of(p));
  EXPECT_TRUE(std::isfinite(parts.lse[1]));
  for (const u64 empty : {2, 3}) {
    EXPECT_EQ(parts.out[empty], 0);
    EXPECT_EQ(parts.lse[empty], -positive_infinity);
    EXPECT_EQ(parts.lse_bound[empty], 0);
  }
}

TEST(AttentionParts, know_of_no_sink_unless_they_are_read_so) {
  AttentionProblem p;
  p.query_tokens = p.heads = p.head_dim = 1;
  p.key_tokens = 2;
  p.splits = 2;
  p.sink = true;
  const Tensors tensors = tensors_of(p);
  AttentionProblem without = p;
  without.sink = false;
  EXPECT_EQ(in_parts(p, tensors).lse, in_parts(without, tensors_of(without)).lse);
  PartsHypothesis hypothesis;
  hypothesis.with_sink = true;
  EXPECT_GT(in_parts(p, tensors, hypothesis).lse[0], in_parts(p, tensors).lse[0]);
}

TEST(AttentionKeyLengths, are_those_of_a_shorter_cache) {
  AttentionProblem p;
  p.query_tokens = 3;
  p.key_tokens = 9;
  p.heads = 2;
  p.head_dim = 4;
  p.causal = Causal::BottomRight;
  p.key_lengths = {5};
  Tensors tensors = tensors_of(p);
  const SplitAnswer longer = whole(p, tensors);
  p.key_lengths.clear();
  p.key_tokens = 5;
  tensors.k.resize(5 * 2 * 4);
  tensors.v.resize(5 * 2 * 4);
  const SplitAnswer shorter = whole(p, tensors);
  EXPECT_EQ(longer.out, shorter.out);
  EXPECT_EQ(longer.lse, shorter.lse);
}

// A row of the merge by the definition, in the arithmetic of `Real`: shares nothing with the reference.
template <class Real>
void hold_to_definition(u64 seed, const std::function<void(double, double, double)>& within) {
  Random random(seed);
  AttentionProblem p;
  p.query_tokens = p.heads = 1;
  p.value_dim = 3;
  p.splits = random.between(1, 12);
  SplitAnswer parts(p, p.splits);
  for (u64 n = 0; n < parts.lse.size(); ++n) {
    parts.lse[n] = random.below(4) ? double(float(20 * random_normal(seed, n))) : -positive_infinity;
    for (u64 c = 0; c < 3; ++c) parts.out[3 * n + c] = double(float(random_normal(seed + 1, 3 * n + c)));
    // What an empty part holds must not count.
    if (parts.lse[n] == -positive_infinity) parts.out[3 * n] = std::numeric_limits<double>::quiet_NaN();
  }
  const std::vector<double> sinks = random.below(2) ? std::vector<double>{0.5} : std::vector<double>{};
  const SplitAnswer answer = merged(p, parts, sinks);
  Real largest = sinks.empty() ? -std::numeric_limits<Real>::infinity() : Real(sinks[0]), total = 0, sums[3] = {};
  for (const double lse : parts.lse) largest = std::max(largest, Real(lse));
  if (largest == -std::numeric_limits<Real>::infinity()) {
    EXPECT_EQ(answer.lse[0], -positive_infinity);
    EXPECT_EQ(answer.out, (std::vector<double>{0, 0, 0}));
    return;
  }
  for (u64 n = 0; n < parts.lse.size(); ++n) {
    if (parts.lse[n] == -positive_infinity) continue;
    const Real weight = std::exp(Real(parts.lse[n]) - largest);
    total += weight;
    for (u64 c = 0; c < 3; ++c) sums[c] += weight * Real(parts.out[3 * n + c]);
  }
  if (!sinks.empty()) total += std::exp(Real(sinks[0]) - largest);
  within(double(largest + std::log(total)), answer.lse[0], answer.lse_bound[0]);
  for (u64 c = 0; c < 3; ++c) within(double(sums[c] / total), answer.out[c], answer.out_bound[c]);
}

TEST(AttentionMerge, is_the_definition) {
  for (u64 seed = 0; seed < 500; ++seed) {
    hold_to_definition<long double>(seed, [&](double got, double value, double) {
      ASSERT_NEAR(got, value, 1e-13 * (1 + std::abs(value))) << seed;
    });
  }
}

TEST(AttentionMerge, bounds_what_f32_arithmetic_is_off) {
  double nearest = 0;
  for (u64 seed = 0; seed < 500; ++seed) {
    hold_to_definition<float>(seed, [&](double got, double value, double bound) {
      ASSERT_LE(std::abs(got - value), bound) << seed;
      ASSERT_LT(bound, 1e-4 * (1 + std::abs(value))) << seed;
      if (bound > 0) nearest = std::max(nearest, std::abs(got - value) / bound);
    });
  }
  EXPECT_GT(nearest, 0.01);
}

TEST(AttentionMerge, may_be_misread) {
  AttentionProblem p;
  p.query_tokens = p.heads = p.head_dim = 1;
  p.splits = 2;
  SplitAnswer parts(p, 2);
  parts.lse = {0, std::log(3)};
  parts.out = {4, 8};
  EXPECT_DOUBLE_EQ(merged(p, parts, {}).out[0], 7);
  MergeHypothesis hypothesis;
  hypothesis.weights = MergeHypothesis::Weights::Equal;
  EXPECT_DOUBLE_EQ(merged(p, parts, {}, hypothesis).out[0], 6);
  hypothesis.weights = MergeHypothesis::Weights::Ones;
  EXPECT_DOUBLE_EQ(merged(p, parts, {}, hypothesis).out[0], 12);
  hypothesis.weights = MergeHypothesis::Weights::OfLse;
  parts.lse = {0, -positive_infinity};
  EXPECT_DOUBLE_EQ(merged(p, parts, {}, hypothesis).out[0], 4);
  hypothesis.counts_empty = true;
  EXPECT_DOUBLE_EQ(merged(p, parts, {}, hypothesis).out[0], 6);
}

}  // namespace
}  // namespace ropewalk::reference
