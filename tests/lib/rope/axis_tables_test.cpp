// Tables of the positions of three axes, before their columns are merged.
#include "lib/rope/axis_tables.h"

#include <gtest/gtest.h>

#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

constexpr i64 text = 10, side = 8, rows = text + side * side, pairs = 32;

i64 position_of(i64 row, i64 axis) {
  if (row < text) return row;
  const i64 n = row - text;
  return text + (axis == 0 ? 0 : axis == 1 ? n / side : n % side);
}

// Each table at the positions of `axes`, beside those of all.
CacheAnswer answer_to(const std::vector<i64>& axes) {
  RopeConfig config = config_for(plain_formula(2 * pairs, 4096));
  config.entries[0].formula.axes = RopeAxes::Sections;
  config.entries[0].formula.sections = {8, 12, 12};
  std::vector<float> cosine, sine;
  const auto given = std::make_shared<std::vector<i64>>();
  for (const i64 axis : {0, 1, 2}) {
    Making making{plain_formula(2 * pairs, 4096), rows};
    making.position = [&](i64 row) { return double(position_of(row, axes[size_t(axis)])); };
    const FloatTable table = float_table(making, rows);
    cosine.insert(cosine.end(), table.cosine.begin(), table.cosine.end());
    sine.insert(sine.end(), table.sine.begin(), table.sine.end());
    for (i64 row = 0; row < rows; ++row) given->push_back(position_of(row, axis));
  }
  DumpWriter writer("t.safetensors");
  writer.add_tensor("cos", Dtype::F32, {3, rows, pairs}, cosine);
  writer.add_tensor("sin", Dtype::F32, {3, rows, pairs}, sine);
  Dump dump = writer.finish();
  const auto* bytes = reinterpret_cast<const std::byte*>(given->data());
  dump.integers.push_back({"position_ids", Dtype::I64, {3, 1, rows}, {bytes, given->size() * sizeof(i64)}});
  dump.owner =
      std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<std::vector<i64>>>>(dump.owner, given);
  return check_dumps({dump}, config, 1);
}

TEST(AxisTables, MayBeExchanged) {
  EXPECT_EQ(only_cause(answer_to({0, 1, 2})), "");
  const CacheAnswer exchanged = answer_to({0, 2, 1});
  ASSERT_EQ(only_cause(exchanged), "axes-exchanged");
  EXPECT_NE(exchanged.findings[0].cause->text.find("on the axis of width, in place of height"), std::string::npos);
  EXPECT_EQ(only_cause(answer_to({0, 1, 1})), "axes-exchanged");
}

}  // namespace
}  // namespace ropewalk::rope::testing
