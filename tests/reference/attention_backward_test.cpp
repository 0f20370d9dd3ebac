#include <gtest/gtest.h>

#include <cmath>

#include "lib/problem/attention.h"
#include "tests/reference/attention_problems.h"

namespace ropewalk::reference {
namespace {

// The sum of out times its gradient.
double loss(const AttentionProblem& p, const Tensors& tensors, const std::vector<double>& out_gradient) {
  const u64 rows = u64((p.varlen() ? 1 : p.batch) * p.query_tokens * p.heads);
  std::vector<double> out(out_gradient.size()), out_bound(out_gradient.size()), lse(rows), lse_bound(rows);
  attention_forward(p, tensors.inputs(), {out.data(), out_bound.data()}, {lse.data(), lse_bound.data()});
  double sum = 0;
  for (u64 n = 0; n < out.size(); ++n) sum += out[n] * out_gradient[n];
  return sum;
}

// By what the forward saves, with room for the bounds.
void gradients(const AttentionProblem& p, const Tensors& tensors, const std::vector<double>& out_gradient,
               std::vector<double>& q, std::vector<double>& k, std::vector<double>& v) {
  const u64 rows = u64((p.varlen() ? 1 : p.batch) * p.query_tokens * p.heads);
  std::vector<double> lse(rows), delta(rows), q_bound(q.size()), k_bound(k.size()), v_bound(v.size());
  attention_saved(p, tensors.inputs(), out_gradient.data(), lse.data(), delta.data());
  attention_backward(p, tensors.inputs(), out_gradient.data(), {lse.data(), delta.data()},
                     {{q.data(), q_bound.data()}, {k.data(), k_bound.data()}, {v.data(), v_bound.data()}});
}

TEST(AttentionBackward, is_what_finite_differences_say) {
  constexpr double step = 1e-5;
  for (u64 seed = 0; seed < 60; ++seed) {
    const AttentionProblem p = drawn_problem(seed);
    Tensors tensors = tensors_of(p);
    const i64 rows = (p.varlen() ? 1 : p.batch) * p.query_tokens * p.heads;
    const std::vector<double> out_gradient = normals(seed + 9, rows * p.columns_of_values());
    std::vector<double> q(tensors.q.size()), k(tensors.k.size()), v(tensors.v.size());
    gradients(p, tensors, out_gradient, q, k, v);
    const auto hold = [&](std::vector<double>& numbers, const std::vector<double>& gradient, const char* name) {
      // Every element of small tensors, and some of others.
      for (u64 n = 0; n < numbers.size(); n += 1 + numbers.size() / 13) {
        const double kept = numbers[n];
        numbers[n] = kept + step;
        const double above = loss(p, tensors, out_gradient);
        numbers[n] = kept - step;
        const double below = loss(p, tensors, out_gradient);
        numbers[n] = kept;
        ASSERT_NEAR(gradient[n], (above - below) / (2 * step), 1e-6 * (1 + std::abs(gradient[n])))
            << name << "[" << n << "] of " << text_of(p);
      }
    };
    hold(tensors.q, q, "q");
    hold(tensors.k, k, "k");
    hold(tensors.v, v, "v");
  }
}

TEST(AttentionBackward, gives_nothing_to_what_nobody_sees) {
  AttentionProblem p;
  p.query_tokens = 2;
  p.key_tokens = 4;
  p.head_dim = 3;
  p.causal = Causal::TopLeft;
  const Tensors tensors = tensors_of(p);
  const std::vector<double> out_gradient = normals(5, 6);
  std::vector<double> q(6, 7), k(12, 7), v(12, 7);
  gradients(p, tensors, out_gradient, q, k, v);
  for (u64 n = 6; n < 12; ++n) {
    EXPECT_EQ(k[n], 0);
    EXPECT_EQ(v[n], 0);
  }
  for (u64 n = 0; n < 3; ++n) {
    EXPECT_EQ(q[n], 0);  // one key alone: its weight is 1, whatever the score
    EXPECT_EQ(v[n] == 0, false);
  }
}

// What a kernel with another mask makes of a row that sees no key by its own.
TEST(AttentionBackward, has_no_finite_numbers_where_lse_is_minus_infinity_and_keys_are_seen) {
  AttentionProblem p;
  p.query_tokens = 3;
  p.key_tokens = 2;
  p.head_dim = 2;
  p.causal = Causal::BottomRight;  // query 0 sees nothing, 1 the first key, 2 both
  const Tensors tensors = tensors_of(p);
  const std::vector<double> out_gradient = normals(5, 6);
  std::vector<double> lse(3), delta(3), q(6), k(4), v(4), q_bound(6), k_bound(4), v_bound(4);
  attention_saved(p, tensors.inputs(), out_gradient.data(), lse.data(), delta.data());
  ASSERT_EQ(lse[0], -HUGE_VAL);
  AttentionInputs inputs = tensors.inputs();
  inputs.hypothesis.own_key = [](i64 query, i64, i64) { return query; };  // top left: query 0 sees the first key
  attention_backward(p, inputs, out_gradient.data(), {lse.data(), delta.data()},
                     {{q.data(), q_bound.data()}, {k.data(), k_bound.data()}, {v.data(), v_bound.data()}});
  for (u64 n = 0; n < 6; ++n) EXPECT_EQ(std::isnan(q[n]), n < 2) << n;
  for (u64 n = 0; n < 4; ++n) {
    EXPECT_EQ(std::isnan(k[n]), n < 2) << n;
    EXPECT_EQ(std::isnan(v[n]), n < 2) << n;
  }
}

}  // namespace
}  // namespace ropewalk::reference
