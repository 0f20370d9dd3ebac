#include "lib/problem/attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/attention.h"
#include "tests/reference/attention_problems.h"

namespace ropewalk::reference {
namespace {

struct Answer {
  std::vector<double> out, out_bound, lse, lse_bound;
};

Answer answer_of(const AttentionProblem& p, const Tensors& tensors) {
  const u64 rows = u64((p.varlen() ? 1 : p.batch) * p.query_tokens * p.heads);
  const u64 elements = rows * u64(p.columns_of_values());
  Answer answer{std::vector<double>(elements), std::vector<double>(elements), std::vector<double>(rows),
                std::vector<double>(rows)};
  attention_forward(p, tensors.inputs(), {answer.out.data(), answer.out_bound.data()},
                    {answer.lse.data(), answer.lse_bound.data()});
  return answer;
}

// One row by the definition, element by element, in the arithmetic of `Real`; nothing is shared with the reference.
template <class Real>
struct Row {
  std::vector<Real> out;
  Real lse;
};

template <class Real>
Row<Real> row_by_definition(const AttentionProblem& p, const Tensors& t, i64 sequence, i64 query, i64 head) {
  const i64 queries = p.queries_of(sequence), keys = p.keys_of(sequence), key_heads = p.heads_of_keys();
  const i64 first_q = p.varlen() ? p.cu_seqlens_q[u64(sequence)] : sequence * p.query_tokens;
  const i64 first_k = p.varlen() ? p.cu_seqlens_k[u64(sequence)] : sequence * p.key_tokens;
  const i64 key_head = head * key_heads / p.heads, columns = p.columns_of_values();
  const i64 own_key = p.causal == Causal::TopLeft ? query : keys - (queries - query);
  Row<Real> row{std::vector<Real>(u64(columns), Real(0)), -std::numeric_limits<Real>::infinity()};
  Real total = p.sink ? std::exp(Real(t.sinks[u64(head)])) : Real(0);
  for (i64 key = 0; key < keys; ++key) {
    if (p.causal != Causal::None && key > own_key) continue;
    if (p.window.size() == 2 && p.window[0] >= 0 && own_key - key > p.window[0]) continue;
    if (p.window.size() == 2 && p.window[1] >= 0 && key - own_key > p.window[1]) continue;
    Real score = 0;
    for (i64 c = 0; c < p.head_dim; ++c) {
      score += Real(t.q[u64(((first_q + query) * p.heads + head) * p.head_dim + c)]) *
               Real(t.k[u64(((first_k + key) * key_heads + key_head) * p.head_dim + c)]);
    }
    score *= p.scale != 0 ? Real(p.scale) : Real(1) / std::sqrt(Real(p.head_dim));
    if (p.softcap > 0) score = Real(p.softcap) * std::tanh(score / Real(p.softcap));
    if (p.alibi) score -= Real(t.slopes[u64(head)]) * Real(std::abs(own_key - key));
    const Real weight = std::exp(score);
    total += weight;
    for (i64 c = 0; c < columns; ++c) {
      row.out[u64(c)] += weight * Real(t.v[u64(((first_k + key) * key_heads + key_head) * columns + c)]);
    }
  }
  if (total > 0) row.lse = std::log(total);
  for (Real& value : row.out) value = total > 0 ? value / total : Real(0);
  return row;
}

// Holds every row against the definition; `within` says how far an element may be off.
template <class Real, class Within>
void hold(const AttentionProblem& p, Within within) {
  const Tensors tensors = tensors_of(p);
  const Answer answer = answer_of(p, tensors);
  const i64 columns = p.columns_of_values();
  for (i64 sequence = 0; sequence < p.sequences(); ++sequence) {
    for (i64 query = 0; query < p.queries_of(sequence); ++query) {
      for (i64 head = 0; head < p.heads; ++head) {
        const Row<Real> row = row_by_definition<Real>(p, tensors, sequence, query, head);
        const i64 token = (p.varlen() ? p.cu_seqlens_q[u64(sequence)] : sequence * p.query_tokens) + query;
        const u64 lse_at =
            u64(p.varlen() ? head * p.query_tokens + token : (sequence * p.heads + head) * p.query_tokens + query);
        within(double(row.lse), answer.lse[lse_at], answer.lse_bound[lse_at]);
        for (i64 c = 0; c < columns; ++c) {
          const u64 at = u64((token * p.heads + head) * columns + c);
          within(double(row.out[u64(c)]), answer.out[at], answer.out_bound[at]);
        }
      }
    }
  }
}

TEST(AttentionReference, is_the_definition) {
  for (u64 seed = 0; seed < 200; ++seed) {
    const AttentionProblem p = drawn_problem(seed);
    hold<long double>(p, [&](double got, double value, double) {
      if (got == value) return;
      ASSERT_NEAR(got, value, 1e-12 * (1 + std::abs(value))) << text_of(p);
    });
  }
}

TEST(AttentionReference, is_the_definition_over_many_blocks) {
  AttentionProblem p;
  p.query_tokens = 77;
  p.key_tokens = 301;
  p.heads = 4;
  p.key_heads = 2;
  p.head_dim = 37;
  p.value_dim = 19;
  p.causal = Causal::BottomRight;
  p.window = {200, -1};
  p.sink = true;
  hold<long double>(p,
                    [&](double got, double value, double) { ASSERT_NEAR(got, value, 1e-12 * (1 + std::abs(value))); });
}

TEST(AttentionReference, bounds_what_f32_arithmetic_is_off) {
  double nearest = 0;
  for (u64 seed = 0; seed < 200; ++seed) {
    const AttentionProblem p = drawn_problem(seed);
    hold<float>(p, [&](double got, double value, double bound) {
      if (got == value) return;
      ASSERT_LE(std::abs(got - value), bound) << text_of(p);
      ASSERT_LT(bound, 1e-3 * (1 + std::abs(value))) << text_of(p);
      nearest = std::max(nearest, std::abs(got - value) / bound);
    });
  }
  EXPECT_GT(nearest, 0.01);  // a bound that no error comes near to would let wrong kernels through
}

TEST(AttentionReference, takes_the_mean_of_what_is_seen_where_all_scores_are_alike) {
  AttentionProblem p;
  p.query_tokens = 2;
  p.key_tokens = 4;
  p.head_dim = 1;
  p.causal = Causal::BottomRight;
  Tensors tensors{{0, 0}, {1, 2, 3, 4}, {3, 5, 7, 13}, {}, {}};
  const Answer answer = answer_of(p, tensors);
  EXPECT_DOUBLE_EQ(answer.out[0], 5);
  EXPECT_DOUBLE_EQ(answer.out[1], 7);
  EXPECT_DOUBLE_EQ(answer.lse[0], std::log(3));
  EXPECT_DOUBLE_EQ(answer.lse[1], std::log(4));
}

TEST(AttentionReference, a_row_that_sees_nothing_is_zero) {
  AttentionProblem p;
  p.query_tokens = 3;
  p.key_tokens = 1;
  p.head_dim = 2;
  p.causal = Causal::BottomRight;
  const Answer answer = answer_of(p, tensors_of(p));
  for (u64 n = 0; n < 4; ++n) {
    EXPECT_EQ(answer.out[n], 0);
    EXPECT_EQ(answer.out_bound[n], 0);
  }
  EXPECT_EQ(answer.lse[0], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(answer.lse[1], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(answer.lse_bound[1], 0);
  EXPECT_TRUE(std::isfinite(answer.lse[2]));
}

TEST(AttentionReference, rows_of_no_sequence_are_not_expected_to_be_anything) {
  AttentionProblem p;
  p.query_tokens = p.key_tokens = 3;
  p.head_dim = 2;
  p.cu_seqlens_q = p.cu_seqlens_k = {0, 2};
  const Answer answer = answer_of(p, tensors_of(p));
  EXPECT_TRUE(std::isfinite(answer.out_bound[3]));
  EXPECT_TRUE(std::isinf(answer.out_bound[4]));
  EXPECT_TRUE(std::isinf(answer.lse_bound[2]));
}

}  // namespace
}  // namespace ropewalk::reference
