// Problems of many blocks and tiles, compared with the definition with plain loops.
#include <gtest/gtest.h>

#include <cmath>
#include <list>

#include "lib/base/cores.h"
#include "lib/problem/attention.h"
#include "tests/reference/attention_problems.h"

namespace ropewalk::reference {
namespace {

struct Gradients {
  std::vector<double> lse, delta, q, q_bound, k, k_bound, v, v_bound;
};

Gradients gradients_of(const AttentionProblem& p, const Tensors& tensors, const std::vector<double>& out_gradient) {
  Gradients all;
  const u64 rows = u64(p.batch * p.query_tokens * p.heads);
  all.lse.resize(rows);
  all.delta.resize(rows);
  for (auto* part : {&all.q, &all.q_bound}) part->resize(tensors.q.size());
  for (auto* part : {&all.k, &all.k_bound}) part->resize(tensors.k.size());
  for (auto* part : {&all.v, &all.v_bound}) part->resize(tensors.v.size());
  attention_saved(p, tensors.inputs(), out_gradient.data(), all.lse.data(), all.delta.data());
  // As a kernel gets them.
  for (double& lse : all.lse) lse = double(float(lse));
  for (double& delta : all.delta) delta = double(float(delta));
  attention_backward(
      p, tensors.inputs(), out_gradient.data(), {all.lse.data(), all.delta.data()},
      {{all.q.data(), all.q_bound.data()}, {all.k.data(), all.k_bound.data()}, {all.v.data(), all.v_bound.data()}});
  return all;
}

// The gradients by their definition, pair by pair, in the arithmetic of `Real`.
template <class Real>
struct ByDefinition {
  std::vector<Real> q, k, v;

  ByDefinition(const AttentionProblem& p, const Tensors& t, const std::vector<double>& g, const Gradients& saved)
      : q(t.q.size()), k(t.k.size()), v(t.v.size()) {
    const i64 queries = p.query_tokens, keys = p.key_tokens, group = p.heads / p.heads_of_keys();
    const Real scale = Real(p.score_scale());
    for (i64 n = 0; n < p.batch * p.heads * queries; ++n) {
      const i64 query = n % queries, head = n / queries % p.heads, sequence = n / queries / p.heads;
      const i64 own_key = p.own_key(query, queries, keys), row = (sequence * queries + query) * p.heads + head;
      const auto range = p.visible_keys(query, queries, keys);
      for (i64 key = range.first; key < range.last; ++key) {
        const i64 key_row = (sequence * keys + key) * p.heads_of_keys() + head / group;
        const i64 d = p.head_dim, e = p.columns_of_values();
        Real score = 0, pull = -Real(saved.delta[u64(n)]), slope = 1;
        for (i64 c = 0; c < d; ++c) score += Real(t.q[u64(row * d + c)]) * Real(t.k[u64(key_row * d + c)]);
        score *= scale;
        if (p.softcap > 0) {
          const Real tangent = std::tanh(score / Real(p.softcap));
          score = Real(p.softcap) * tangent;
          slope = 1 - tangent * tangent;
        }
        if (p.alibi) score -= Real(t.slopes[u64(head)]) * Real(std::abs(own_key - key));
        const Real weight = std::exp(score - Real(saved.lse[u64(n)]));
        Real product = 0;
        for (i64 c = 0; c < e; ++c) product += Real(g[u64(row * e + c)]) * Real(t.v[u64(key_row * e + c)]);
        pull += product;
        for (i64 c = 0; c < e; ++c) v[u64(key_row * e + c)] += weight * Real(g[u64(row * e + c)]);
        for (i64 c = 0; c < d; ++c) {
          q[u64(row * d + c)] += weight * pull * slope * Real(t.k[u64(key_row * d + c)]);
          k[u64(key_row * d + c)] += weight * pull * slope * Real(t.q[u64(row * d + c)]);
        }
      }
    }
    for (Real& value : q) value *= scale;
    for (Real& value : k) value *= scale;
  }
};

AttentionProblem drawn(u64 seed) {
  AttentionProblem p = drawn_problem(seed);
  p.cu_seqlens_q.clear();
  p.cu_seqlens_k.clear();
  p.sink = false;
  return p;
}

// More rows and keys than a block and a tile have, and than are a multiple of anything.
AttentionProblem large_problem() {
  AttentionProblem p;
  p.batch = 2;
  p.query_tokens = 101;
  p.key_tokens = 293;
  p.heads = 4;
  p.key_heads = 2;
  p.head_dim = 37;
  p.value_dim = 19;
  p.causal = Causal::BottomRight;
  p.window = {200, -1};
  p.softcap = 5;
  p.alibi = true;
  return p;
}

template <class Real>
void hold(const std::vector<double>& got, const std::vector<double>& bound, const std::vector<Real>& expected,
          double& nearest) {
  for (u64 n = 0; n < got.size(); ++n) {
    const double off = std::abs(double(expected[n]) - got[n]);
    if (sizeof(Real) > sizeof(float)) {
      ASSERT_LE(off, 1e-12 * (1 + std::abs(got[n])));
    } else if (off > 0) {
      ASSERT_LE(off, bound[n]);
      ASSERT_LT(bound[n], 1e-2 * (1 + std::abs(got[n])));
      nearest = std::max(nearest, off / bound[n]);
    }
  }
}

template <class Real>
void hold_all(const AttentionProblem& p, double& nearest) {
  const Tensors tensors = tensors_of(p);
  const std::vector<double> g = normals(77, p.batch * p.query_tokens * p.heads * p.columns_of_values());
  const Gradients got = gradients_of(p, tensors, g);
  const ByDefinition<Real> expected(p, tensors, g, got);
  SCOPED_TRACE(text_of(p));
  hold(got.q, got.q_bound, expected.q, nearest);
  hold(got.k, got.k_bound, expected.k, nearest);
  hold(got.v, got.v_bound, expected.v, nearest);
}

TEST(AttentionBlocks, gradients_are_those_of_the_definition) {
  double nearest = 0;
  for (u64 seed = 0; seed < 60; ++seed) hold_all<long double>(drawn(seed), nearest);
  hold_all<double>(large_problem(), nearest);
}

TEST(AttentionBlocks, gradients_bound_what_f32_arithmetic_is_off) {
  double nearest = 0;
  for (u64 seed = 0; seed < 100; ++seed) hold_all<float>(drawn(seed), nearest);
  hold_all<float>(large_problem(), nearest);
  EXPECT_GT(nearest, 0.01);  // a bound that no error comes near to would let wrong kernels through
}

TEST(AttentionBlocks, threads_change_nothing) {
  AttentionProblem p = large_problem();
  p.query_tokens = 700;
  p.head_dim = p.value_dim = 64;
  const Tensors tensors = tensors_of(p);
  const std::vector<double> g = normals(77, p.batch * p.query_tokens * p.heads * p.columns_of_values());
  const Gradients on_all = gradients_of(p, tensors, g);
  std::list<BusyCore> busy;
  for (u32 n = 0; n < threads_for(0); ++n) busy.emplace_back();
  const Gradients on_one = gradients_of(p, tensors, g);
  EXPECT_EQ(on_all.lse, on_one.lse);
  EXPECT_EQ(on_all.q, on_one.q);
  EXPECT_EQ(on_all.k_bound, on_one.k_bound);
  EXPECT_EQ(on_all.v, on_one.v);
}

}  // namespace
}  // namespace ropewalk::reference
