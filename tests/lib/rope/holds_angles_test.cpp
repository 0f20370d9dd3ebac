#include "lib/rope/holds_angles.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/rope_table.h"
#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

constexpr i64 angle_rows = 64, angle_pairs = 16;

// value(row, pair), twice in each row, as Megatron's module repeats its angles.
CacheAnswer judge_angles(const std::string& name, Dtype dtype, const std::function<double(i64, i64)>& value) {
  std::vector<float> values;
  for (i64 row = 0; row < angle_rows; ++row) {
    for (i64 column = 0; column < 2 * angle_pairs; ++column) values.push_back(float(value(row, column % angle_pairs)));
  }
  DumpWriter writer("t.safetensors");
  writer.add_tensor(name, dtype, {angle_rows, 1, 1, 2 * angle_pairs}, values);
  return check_dumps({writer.finish()}, config_for(plain_formula(2 * angle_pairs, angle_rows)), 1);
}

double frequency(i64 pair) {
  return reference::rope_frequencies(plain_formula(2 * angle_pairs), angle_rows).frequency[size_t(pair)];
}

TEST(HoldsAngles, TablesOfAnglesAreNoTablesOfCos) {
  const auto at = [](i64 row, i64 pair) { return double(row) * frequency(pair); };
  const auto packed = [](i64 row, i64 pair) { return double(row % 40) * frequency(pair); };
  const auto image = [](i64 row, i64 pair) {
    return double(pair < angle_pairs / 2 ? row / 8 : row % 8) * frequency(pair % (angle_pairs / 2));
  };
  for (const Dtype dtype : {Dtype::F32, Dtype::BF16}) {
    for (const std::function<double(i64, i64)>& value : {std::function<double(i64, i64)>(at), {packed}, {image}}) {
      const CacheAnswer answer = judge_angles("rotary_pos_emb", dtype, value);
      EXPECT_TRUE(answer.findings.empty());
      ASSERT_EQ(answer.not_judged.size(), 1u);
      EXPECT_NE(answer.not_judged[0].reason.find("holds angles"), std::string::npos);
    }
  }
  // What is called cos should be cos.
  EXPECT_EQ(judge_angles("cos_cached", Dtype::F32, at).findings.size(), 1u);
}

TEST(HoldsAngles, CosAndGarbageAreNone) {
  const auto cosine = [](i64 row, i64 pair) { return std::cos(double(row) * frequency(pair)); };
  EXPECT_EQ(judge_angles("rotary_pos_emb", Dtype::F32, cosine).passed, 1u);
  EXPECT_EQ(judge_angles("rotary_pos_emb", Dtype::F32, [](i64, i64) { return 1e9; }).findings.size(), 1u);
  const auto noise = [](i64 row, i64 pair) { return double((row * 7919 + pair * 104729) % 1000); };
  EXPECT_EQ(judge_angles("rotary_pos_emb", Dtype::F32, noise).findings.size(), 1u);
}

}  // namespace
}  // namespace ropewalk::rope::testing
