#include "lib/problem/rotary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "kernels/rotary/rotate.cuh"
#include "lib/base/half.h"
#include "lib/base/random.h"
#include "reference/rotary.h"
#include "reference/rounding.h"

namespace ropewalk::reference {
namespace {

double rounded(double value, Dtype dtype) {
  u8 bytes[8];
  store_from_double(bytes, dtype, value);
  return load_as_double(bytes, dtype);
}

// A problem's arrays, and what the reference says of it.
struct Case {
  RotaryProblem problem;
  std::vector<double> x, cosine, sine, value, bound;

  Case(const std::string& text, double scale = 1) : problem(parse_rotary(text)) {
    const i64 rows = problem.varlen() ? problem.tokens : problem.batch * problem.tokens;
    const i64 count = rows * problem.heads * problem.head_dim;
    for (i64 n = 0; n < count; ++n) {
      x.push_back(rounded(scale * random_normal(problem.seed, u64(n)), problem.dtype));
    }
    for (i64 row = 0; row < problem.table_rows(); ++row) {
      for (i64 pair = 0; pair < problem.pairs(); ++pair) {
        const double angle = double(row) * std::pow(problem.theta, -2.0 * double(pair) / double(problem.width()));
        cosine.push_back(rounded(std::cos(angle), problem.cache_dtype));
        sine.push_back(rounded(std::sin(angle), problem.cache_dtype));
      }
    }
    value.resize(x.size());
    bound.resize(x.size());
  }
  void run() { rotary_apply(problem, x.data(), {cosine.data(), sine.data()}, {value.data(), bound.data()}); }
};

// out by complex numbers in long double, over columns and rows in another order: (x1 + i x2) (cos + i sin).
std::vector<long double> by_complex_numbers(const Case& c) {
  const RotaryProblem& p = c.problem;
  std::vector<long double> out(c.x.begin(), c.x.end());
  const i64 half = p.width() / 2;
  for (i64 pair = 0; pair < half; ++pair) {
    const i64 first = p.layout == RotaryLayout::Half ? pair : pair * 2;
    const i64 second = p.layout == RotaryLayout::Half ? pair + half : pair * 2 + 1;
    for (i64 sequence = 0; sequence < p.sequences(); ++sequence) {
      const i64 begin = p.varlen() ? p.cu_seqlens[u64(sequence)] : sequence * p.tokens;
      for (i64 token = 0; token < p.tokens_of_sequence(sequence); ++token) {
        const u64 entry = u64((token + p.offset_of_sequence(sequence)) * half + pair);
        const std::complex<long double> turn(c.cosine[entry], p.backward ? -c.sine[entry] : c.sine[entry]);
        for (i64 head = 0; head < p.heads; ++head) {
          const i64 row = ((begin + token) * p.heads + head) * p.head_dim;
          const std::complex<long double> z(c.x[u64(row + first)], c.x[u64(row + second)]);
          out[u64(row + first)] = (z * turn).real();
          out[u64(row + second)] = (z * turn).imag();
        }
      }
    }
  }
  return out;
}

const char* const problems[] = {
    "rotary(B=2,T=5,H=3,D=8)",
    "rotary(B=2,T=5,H=3,D=8,layout=interleaved,backward=true)",
    "rotary(B=3,T=4,H=2,D=32,rotary_dim=12,layout=interleaved,dtype=bf16,offset=7,cache_rows=40)",
    "rotary(B=3,T=4,H=2,D=32,rotary_dim=12,dtype=f16,cache_dtype=f16,offsets=[3,0,11])",
    "rotary(T=17,H=2,D=64,rotary_dim=64,dtype=bf16,cache_dtype=bf16,cu_seqlens=[0,5,5,17],seed=9)",
    "rotary(T=17,H=2,D=20,rotary_dim=6,offsets=[4,5],cu_seqlens=[0,16,17],backward=true)",
};

TEST(RotaryReference, agrees_with_complex_numbers) {
  for (const char* text : problems) {
    Case c(text);
    c.run();
    const auto expected = by_complex_numbers(c);
    for (u64 n = 0; n < c.x.size(); ++n) {
      ASSERT_LE(std::abs(expected[n] - c.value[n]), 1e-15L * (std::abs(expected[n]) + 1e-3L)) << text << " at " << n;
    }
  }
}

// Of bf16: cos and sin are 0.70703125, the products 0.7109375 (0.712554931640625 before) and 0.70703125; their sum,
// 1.41796875, is half way between two numbers.
TEST(RotaryReference, rounds_every_step_where_that_is_promised) {
  Case c("rotary(T=1,H=1,D=2,dtype=bf16,rounding=steps)");
  c.x = {1.0078125, 1};
  c.cosine = {0.70710678f};
  c.sine = {0.70710678f};
  c.run();
  EXPECT_EQ(c.value, (std::vector<double>{0.00390625, 1.421875}));
  EXPECT_EQ(c.bound, (std::vector<double>{0, 0}));
}

// The kernel's own function, compiled for the host, stays within the bound; so does a form with fused products.
TEST(RotaryReference, f32_arithmetic_stays_within_the_bound) {
  Random random(5);
  double largest = 0;
  for (const Dtype dtype : {Dtype::F32, Dtype::F16, Dtype::BF16}) {
    for (int n = 0; n < 100000; ++n) {
      const int exponent = int(random.between(-30, dtype == Dtype::F16 ? 14 : 120));
      RotaryProblem p;
      p.tokens = p.heads = 1;
      p.head_dim = 2;
      p.dtype = dtype;
      const double x[2] = {rounded(std::ldexp(random.unit() * 2 - 1, exponent), dtype),
                           rounded(std::ldexp(random.unit() * 2 - 1, exponent), dtype)};
      const double angle = random.unit() * 1000;
      const double cosine = float(std::cos(angle)), sine = float(std::sin(angle));
      double value[2], bound[2];
      rotary_apply(p, x, {&cosine, &sine}, {value, bound});
      const Pair got = rotate({float(x[0]), float(x[1])}, float(cosine), float(sine), 1.0f);
      const float fused[2] = {std::fma(float(x[0]), float(cosine), -(float(x[1]) * float(sine))),
                              std::fma(float(x[1]), float(cosine), float(x[0]) * float(sine))};
      for (int side = 0; side < 2; ++side) {
        const double stored = rounded(side ? got.second : got.first, dtype);
        ASSERT_TRUE(stored == value[side] || std::abs(stored - value[side]) <= bound[side]) << x[0] << " " << x[1];
        const double stored_fused = rounded(fused[side], dtype);
        ASSERT_TRUE(stored_fused == value[side] || std::abs(stored_fused - value[side]) <= bound[side]);
        if (std::isfinite(bound[side]) && std::isfinite(stored)) {
          largest = std::max(largest, std::abs(stored - value[side]) / bound[side]);
        }
      }
    }
  }
  EXPECT_GT(largest, 0.5) << "a bound that is never half reached is loose";
}

TEST(RotaryReference, bound_is_a_few_units_and_no_more) {
  Case c("rotary(B=1,T=64,H=2,D=64)");
  c.run();
  for (u64 n = 0; n < c.value.size(); ++n) {
    // |first cos| + |second sin| + |difference| is at most 2 sqrt(2) times the pair's length, which here is below 10.
    ASSERT_LE(c.bound[n], 30 * f32_roundoff);
    ASSERT_GT(c.bound[n], 0);
  }
}

TEST(RotaryReference, columns_behind_the_width_are_left_alone) {
  Case c("rotary(B=2,T=3,H=2,D=16,rotary_dim=6)");
  c.run();
  for (u64 n = 0; n < c.x.size(); ++n) {
    if (n % 16 < 6) continue;
    ASSERT_EQ(c.value[n], c.x[n]);
    ASSERT_EQ(c.bound[n], 0);
  }
}

TEST(RotaryReference, rows_past_the_last_sequence_are_expected_in_place_only) {
  Case apart("rotary(T=4,H=1,D=4,cu_seqlens=[0,3])"), inplace("rotary(T=4,H=1,D=4,cu_seqlens=[0,3],inplace=true)");
  apart.run();
  inplace.run();
  EXPECT_TRUE(std::isinf(apart.bound[12]));
  EXPECT_EQ(inplace.bound[12], 0);
  EXPECT_EQ(inplace.value[12], inplace.x[12]);
  EXPECT_TRUE(std::isfinite(apart.bound[11]));
}

TEST(RotaryReference, backward_undoes_forward) {
  Case forward("rotary(B=2,T=9,H=2,D=16,dtype=f32,offset=3)"), back("rotary(B=2,T=9,H=2,D=16,offset=3,backward=true)");
  forward.run();
  back.x = forward.value;
  back.run();
  for (u64 n = 0; n < forward.x.size(); ++n) ASSERT_NEAR(back.value[n], forward.x[n], 4e-7 * 4);
}

TEST(RotaryReference, positions_choose_the_rows) {
  Case c("rotary(B=1,T=3,H=2,D=8,positions=[4,0,4])");
  const i64 positions[] = {4, 0, 4};
  rotary_at_positions(c.problem, 2, c.x.data(), positions, {c.cosine.data(), c.sine.data()},
                      {c.value.data(), c.bound.data()});
  for (const i64 token : {0, 1, 2}) {
    RotaryProblem one = c.problem;
    one.positions.clear();
    one.tokens = 1;
    one.offset = positions[token];
    std::vector<double> value(16), bound(16);
    rotary_apply(one, c.x.data() + token * 16, {c.cosine.data(), c.sine.data()}, {value.data(), bound.data()});
    for (u64 n = 0; n < 16; ++n) ASSERT_EQ(value[n], c.value[u64(token) * 16 + n]);
  }
}

TEST(RotaryReference, values_that_are_not_finite_are_expected_as_such) {
  RotaryProblem p = parse_rotary("rotary(T=1,H=1,D=2)");
  const double infinity = std::numeric_limits<double>::infinity();
  double value[2], bound[2];
  const double x[2] = {infinity, 1}, cosine = 0.5, sine = 0.25;
  rotary_apply(p, x, {&cosine, &sine}, {value, bound});
  EXPECT_EQ(value[0], infinity);
  EXPECT_EQ(bound[0], 0);
  const double no_number[2] = {std::nan(""), 1};
  rotary_apply(p, no_number, {&cosine, &sine}, {value, bound});
  EXPECT_TRUE(std::isnan(value[0]));
  p.dtype = Dtype::F16;
  const double large[2] = {65504, -65504};
  const double diagonal = float(std::sqrt(0.5));
  rotary_apply(p, large, {&diagonal, &diagonal}, {value, bound});
  EXPECT_EQ(value[0], infinity) << "92636 is past the largest f16";
  EXPECT_EQ(value[1], 0);
}

}  // namespace
}  // namespace ropewalk::reference
