// What merging by lse adds to a bound: enough for merges in f32, and little more.
#include "reference/merged_parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "lib/base/random.h"
#include "lib/problem/attention.h"
#include "reference/attention.h"

namespace ropewalk::reference {
namespace {

struct MergedAnswer {
  std::vector<double> out, out_bound, lse, lse_bound;
};

MergedAnswer answer(const AttentionProblem& p, const std::vector<double>& q, const std::vector<double>& k,
                    const std::vector<double>& v) {
  const u64 rows = u64(p.batch * p.query_tokens * p.heads), columns = u64(p.columns_of_values());
  MergedAnswer a{std::vector<double>(rows * columns), std::vector<double>(rows * columns), std::vector<double>(rows),
                 std::vector<double>(rows)};
  attention_forward(p, {q.data(), k.data(), v.data()}, {a.out.data(), a.out_bound.data()},
                    {a.lse.data(), a.lse_bound.data()});
  return a;
}

std::vector<double> normal(u64 seed, u64 count, double factor) {
  std::vector<double> values;
  for (u64 n = 0; n < count; ++n) values.push_back(double(float(factor * random_normal(seed, n))));
  return values;
}

// Parts of exact answers, rounded to f32 and merged in f32, stay within the bound of the whole, and come near to it.
TEST(MergedParts, MergesInF32AreWithinTheBound) {
  double nearest = 0;
  for (const i64 parts : {2, 4, 8}) {
    for (const double scale : {0.1, 1.0, 30.0}) {
      AttentionProblem p;
      p.query_tokens = 5, p.key_tokens = 32, p.head_dim = 8;
      p.scale = scale;
      const auto q = normal(1, 40, 1), k = normal(2, 256, 1), v = normal(3, 256, 1);
      MergedAnswer whole = answer(p, q, k, v);
      std::vector<double> out_bound = whole.out_bound, lse_bound = whole.lse_bound;
      widen_by_merging(p, parts, v.data(), {whole.out.data(), out_bound.data()}, {whole.lse.data(), lse_bound.data()});
      std::vector<float> out(40), lse(5, -std::numeric_limits<float>::infinity());
      AttentionProblem one = p;
      one.key_tokens = 32 / parts;
      for (i64 n = 0; n < parts; ++n) {
        const i64 first = n * one.key_tokens * 8;
        const MergedAnswer part = answer(one, q, {k.begin() + first, k.begin() + first + one.key_tokens * 8},
                                         {v.begin() + first, v.begin() + first + one.key_tokens * 8});
        for (u64 row = 0; row < 5; ++row) {
          const float its = float(part.lse[row]), largest = std::max(lse[row], its);
          const float merged = largest + std::log(std::exp(lse[row] - largest) + std::exp(its - largest));
          const float kept = std::exp(lse[row] - merged), share = std::exp(its - merged);
          for (u64 c = row * 8; c < row * 8 + 8; ++c) out[c] = out[c] * kept + float(part.out[c]) * share;
          lse[row] = merged;
        }
      }
      for (u64 n = 0; n < 40; ++n) {
        EXPECT_GT(out_bound[n], whole.out_bound[n]);
        const double added = out_bound[n] - whole.out_bound[n];
        EXPECT_LE(std::abs(double(out[n]) - whole.out[n]), added) << parts << " " << scale;
        nearest = std::max(nearest, std::abs(double(out[n]) - whole.out[n]) / added);
      }
      for (u64 n = 0; n < 5; ++n) {
        EXPECT_LE(std::abs(double(lse[n]) - whole.lse[n]), lse_bound[n] - whole.lse_bound[n]);
      }
    }
  }
  EXPECT_GT(nearest, 0.003) << "a bound that nothing comes near to lets wrong merges through";
}

TEST(MergedParts, RowsThatSeeNothingStayAsTheyAre) {
  AttentionProblem p;
  p.query_tokens = 3, p.key_tokens = 1, p.head_dim = 2;
  p.causal = Causal::BottomRight;
  const std::vector<double> q(6, 1), k(2, 1), v(2, 1);
  MergedAnswer a = answer(p, q, k, v);
  widen_by_merging(p, 4, v.data(), {a.out.data(), a.out_bound.data()}, {a.lse.data(), a.lse_bound.data()});
  EXPECT_EQ(a.out_bound[0], 0);
  EXPECT_EQ(a.lse_bound[0], 0);
  EXPECT_GT(a.lse_bound[2], 0);
}

TEST(MergedParts, MorePartsAndLargerLseAreFartherOff) {
  EXPECT_LT(merging_error(3, 2, 64).weight, merging_error(3, 8, 64).weight);
  EXPECT_LT(merging_error(3, 2, 64).lse, merging_error(300, 2, 64).lse);
  EXPECT_LT(merging_error(3, 8, 64).weight, 2e-5);
}

}  // namespace
}  // namespace ropewalk::reference
