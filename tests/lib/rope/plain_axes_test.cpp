#include "lib/rope/plain_axes.h"

#include <gtest/gtest.h>

#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

constexpr i64 axis_rows = 96, axis_pairs = 32;

RopeFormula formula(double theta = 10000) {
  RopeFormula one = plain_formula(2 * axis_pairs, axis_rows);
  one.theta = theta;
  return one;
}

// value(table, row, n) for n < width, row after row.
template <class Value>
std::vector<float> values_of(const FloatTable& table, i64 width, const Value& value) {
  std::vector<float> values;
  for (i64 row = 0; row < table.rows; ++row) {
    for (i64 n = 0; n < width; ++n) values.push_back(value(table, row, n));
  }
  return values;
}
float cosine(const FloatTable& table, i64 row, i64 pair) { return table.cosine[size_t(row * table.pairs + pair)]; }
float sine(const FloatTable& table, i64 row, i64 pair) { return table.sine[size_t(row * table.pairs + pair)]; }

CacheAnswer answer_to(const std::string& name, const Shape& shape, const std::vector<float>& values) {
  DumpWriter writer("t.safetensors");
  writer.add_tensor(name, Dtype::F32, shape, values);
  return check_dumps({writer.finish()}, config_for(formula()), 1);
}

// cos and sin of four heads, repeated in halves; `odd`: the table of head 2.
CacheAnswer answer_to_heads(const FloatTable& table, const FloatTable& odd, const Shape& shape) {
  DumpWriter writer("t.safetensors");
  for (const bool is_sin : {false, true}) {
    const auto value = [&](const FloatTable& own, i64 row, i64 n) {
      const FloatTable& of = n / (2 * axis_pairs) == 2 ? odd : own;
      return is_sin ? sine(of, row, n % axis_pairs) : cosine(of, row, n % axis_pairs);
    };
    writer.add_tensor(is_sin ? "sin" : "cos", Dtype::F32, shape, values_of(table, 8 * axis_pairs, value));
  }
  return check_dumps({writer.finish()}, config_for(formula()), 1);
}

TEST(PlainAxes, HeadsThatAreAlikeAreOneTable) {
  const FloatTable right = float_table({formula(), axis_rows}, axis_rows),
                   wrong = float_table({formula(5e5), axis_rows}, axis_rows);
  for (const Shape& shape : {Shape{axis_rows, 4, 2 * axis_pairs}, Shape{1, axis_rows, 4, 2 * axis_pairs}}) {
    const CacheAnswer healthy = answer_to_heads(right, right, shape), broken = answer_to_heads(wrong, wrong, shape);
    EXPECT_EQ(only_cause(healthy), "");
    EXPECT_EQ(healthy.cases, 1u);
    EXPECT_EQ(only_cause(broken), "wrong-theta");
    EXPECT_EQ(broken.cases, 1u);
    const CacheAnswer odd = answer_to_heads(right, wrong, shape);
    EXPECT_EQ(only_cause(odd), "wrong-theta");
    EXPECT_EQ(odd.passed, 3u);
    ASSERT_FALSE(odd.findings.empty());
    EXPECT_NE(odd.findings[0].message.find("cos/sin[:, 2]"), std::string::npos) << odd.findings[0].message;
  }
}

// Tables of a batch stay tables, also where most of them were never filled.
TEST(PlainAxes, ABatchIsNoHeads) {
  const FloatTable right = float_table({formula(), axis_rows}, axis_rows);
  std::vector<float> values = values_of(right, 2 * axis_pairs, [](const FloatTable& table, i64 row, i64 n) {
    return n < axis_pairs ? cosine(table, row, n) : sine(table, row, n - axis_pairs);
  });
  values.resize(3 * values.size(), 0);
  const CacheAnswer answer = answer_to("cos_sin_cache", {3, axis_rows, 2 * axis_pairs}, values);
  EXPECT_EQ(only_cause(answer), "uninitialized-memory");
  EXPECT_EQ(answer.cases, 3u);
  EXPECT_EQ(answer.passed, 1u);
}

TEST(PlainAxes, CosAndSinMayBeStackedInEachRow) {
  for (const double theta : {10000.0, 5e5}) {
    const FloatTable table = float_table({formula(theta), axis_rows}, axis_rows);
    for (const i64 width : {axis_pairs, 2 * axis_pairs}) {
      const std::vector<float> values = values_of(table, 2 * width, [&](const FloatTable& of, i64 row, i64 n) {
        return n < width ? cosine(of, row, n % axis_pairs) : sine(of, row, n % axis_pairs);
      });
      for (const Shape& shape : {Shape{axis_rows, 2, width}, Shape{axis_rows, 2 * width}}) {
        const CacheAnswer answer = answer_to("cos_sin_cache", shape, values);
        EXPECT_EQ(only_cause(answer), theta == 1e4 ? "" : "wrong-theta") << width << " in " << shape.size() << " axes";
        EXPECT_EQ(answer.cases, 1u);
      }
    }
  }
}

TEST(PlainAxes, RotationsMayBeMatrices) {
  for (const double theta : {10000.0, 5e5}) {
    const FloatTable table = float_table({formula(theta), axis_rows}, axis_rows);
    std::vector<float> values = values_of(table, 4 * axis_pairs, [](const FloatTable& of, i64 row, i64 n) {
      if (n % 4 == 0 || n % 4 == 3) return cosine(of, row, n / 4);
      return n % 4 == 1 ? -sine(of, row, n / 4) : sine(of, row, n / 4);
    });
    EXPECT_EQ(only_cause(answer_to("freqs_cis", {axis_rows, axis_pairs, 2, 2}, values)),
              theta == 1e4 ? "" : "wrong-theta");
    // Damage of either column is seen.
    for (const i64 place : {0, 1, 2, 3}) {
      std::vector<float> damaged = values;
      damaged[size_t(50 * 4 * axis_pairs + 4 * 7 + place)] += 0.3f;
      EXPECT_FALSE(answer_to("freqs_cis", {axis_rows, axis_pairs, 2, 2}, damaged).findings.empty()) << place;
    }
  }
}

}  // namespace
}  // namespace ropewalk::rope::testing
