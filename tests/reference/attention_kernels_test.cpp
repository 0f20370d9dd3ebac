// The kernels of the reference, in each form that this processor executes, compared with plain loops.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "reference/fast/kernels.h"
#include "reference/fast/panels.h"
#include "tests/reference/attention_problems.h"

namespace ropewalk::reference {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Real>
void hold_product(void (*multiply)(const Product<Real>&), i64 rows, i64 depth, i64 columns, bool turned, bool adds) {
  const std::vector<double> left = normals(1, rows * depth), right = normals(2, depth * columns);
  std::vector<Real> factors(left.begin(), left.end());
  std::vector<Real> panels(u64(depth * padded<Real>(columns)));
  fill_panels({right.data(), depth, columns, columns, 1}, panels.data());
  const i64 stride = padded<Real>(columns) + 3;
  std::vector<Real> to(u64(rows * stride), Real(0.5));
  const i64 left_row = turned ? 1 : depth, left_depth = turned ? rows : 1;
  multiply({factors.data(), rows, left_row, left_depth, panels.data(), panels_of<Real>(columns),
            depth * panel_columns<Real>, depth, to.data(), stride, adds});
  for (i64 row = 0; row < rows; ++row) {
    for (i64 column = 0; column < columns; ++column) {
      double sum = adds ? 0.5 : 0;
      for (i64 n = 0; n < depth; ++n) {
        sum += left[u64(row * left_row + n * left_depth)] * right[u64(n * columns + column)];
      }
      ASSERT_NEAR(to[u64(row * stride + column)], sum, sizeof(Real) == 8 ? 1e-13 : 1e-4) << row << " " << column;
    }
    // What lies behind the panels is left alone.
    EXPECT_EQ(to[u64(row * stride + stride - 1)], Real(0.5));
  }
}

TEST(AttentionKernels, multiply_matrices_of_every_height) {
  for (const std::string_view set : attention_instruction_sets()) {
    const AttentionKernels& kernels = attention_kernels(set);
    for (i64 rows = 1; rows < 20; ++rows) {
      hold_product<double>(kernels.multiply, rows, 7, 16 + rows, rows % 2, rows % 3);
      hold_product<float>(kernels.multiply_floats, rows, 9, 31 + rows, rows % 2, rows % 3);
    }
  }
}

// Distance in units in the last place of the expected value, or of the least normal number.
double units_off(double got, long double expected) {
  const double unit = std::max(std::abs(double(expected)), 0x1p-1022) * 0x1p-52;
  return double(std::abs(static_cast<long double>(got) - expected)) / unit;
}

TEST(AttentionKernels, weights_are_exponentials_to_two_units) {
  constexpr i64 keys = 4096;
  const std::vector<double> lengths(keys, 0.0), sizes(keys, 1.0);
  for (const std::string_view set : attention_instruction_sets()) {
    for (const double spread : {1e-3, 1.0, 30.0, 760.0}) {
      std::vector<double> products(keys);
      for (i64 n = 0; n < keys; ++n) products[u64(n)] = -spread * double(n) / keys;
      const std::vector<double> scores = products;
      RowSums sums{keys, -infinity};
      attention_kernels(set).weigh({1, 0, 0, -infinity, false}, {0, keys, 0, keys, 0, keys, 0, 0, 0, lengths.data()},
                                   sizes.data(), products.data(), sums);
      for (u64 n = 0; n < keys; ++n) {
        ASSERT_LE(units_off(products[n], std::exp(static_cast<long double>(scores[n]))), 2) << set << " " << scores[n];
      }
      EXPECT_NEAR(sums.weights, std::accumulate(products.begin(), products.end(), 0.0), 1e-12 * sums.weights);
      EXPECT_EQ(sums.largest, 0);
    }
  }
}

TEST(AttentionKernels, softcaps_are_hyperbolic_tangents) {
  constexpr i64 keys = 4096;
  constexpr double softcap = 20;
  const std::vector<double> lengths(keys, 0.0), sizes(keys, 1.0);
  for (const std::string_view set : attention_instruction_sets()) {
    for (const double spread : {1e-9, 1.0, 50.0, 2000.0}) {
      std::vector<double> products(keys);
      for (i64 n = 0; n < keys; ++n) products[u64(n)] = spread * (double(n) / keys - 0.5);
      const std::vector<double> given = products;
      RowSums sums{keys, -infinity};
      attention_kernels(set).weigh({1, softcap, 0, -infinity, false},
                                   {0, keys, 0, keys, 0, keys, 0, 0, 0, lengths.data()}, sizes.data(), products.data(),
                                   sums);
      EXPECT_LE(units_off(sums.largest, softcap * std::tanh(static_cast<long double>(given.back()) / softcap)), 6);
      for (u64 n = 0; n < keys; ++n) {
        const long double score = softcap * std::tanh(static_cast<long double>(given[n]) / softcap);
        ASSERT_NEAR(products[n] / std::exp(double(score - sums.largest)), 1, 1e-13) << set << " " << given[n];
      }
    }
  }
}

TEST(AttentionKernels, keys_that_are_not_counted_have_no_part_in_anything) {
  constexpr i64 keys = 32;
  const std::vector<double> lengths(keys, 1e300), sizes(keys, 1.0);
  for (const std::string_view set : attention_instruction_sets()) {
    for (i64 first = 0; first <= 16; ++first) {
      const i64 last = first + 9;
      const ScoreRules rules{1, 0, 0, -infinity, true};
      const ScoreRow row{0, keys, first, last, first, last, 3, 0.5, 0, lengths.data()};
      std::vector<double> products = normals(3, keys), pulls(keys, 2.0);
      RowSums sums{9, -infinity};
      std::vector<double> weights = products;
      attention_kernels(set).weigh(rules, row, sizes.data(), weights.data(), sums);
      std::vector<float> of_v(keys, 1), of_q(keys, 1), of_k(keys, 1);
      const GradientRow gradient{-infinity, 0, 0, 0, lengths.data(), 0, 0, 0, 0, 0};
      std::vector<double> given = products;
      attention_kernels(set).differentiate(rules, row, gradient, given.data(), pulls.data(), of_v.data(), of_q.data(),
                                           of_k.data());
      for (i64 key = 0; key < keys; ++key) {
        const u64 n = u64(key);
        const bool counts = key >= first && key < last;
        EXPECT_EQ(weights[n] > 0, counts) << set << " " << key;
        if (counts) continue;
        EXPECT_TRUE(given[n] == 0 && pulls[n] == 0 && of_v[n] == 0 && of_q[n] == 0 && of_k[n] == 0) << key;
      }
      EXPECT_TRUE(std::isfinite(sums.weights + sums.errors + sums.values + sums.moved));
    }
  }
}

}  // namespace
}  // namespace ropewalk::reference
