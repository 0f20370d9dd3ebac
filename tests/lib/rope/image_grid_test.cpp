// Tables of towers whose own program settles where the rows stand.
#include "lib/rope/image_grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lib/base/json.h"
#include "reference/rope_table.h"
#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

constexpr double pi = std::numbers::pi;

RopeConfig config_of(const std::string& text) {
  return read_rope_config(JsonCursor(parse_json(text, "config.json"), "config.json"));
}

const RopeConfig pixtral =
    config_of(R"({"model_type": "pixtral", "hidden_size": 128, "num_attention_heads": 4, "image_size": 96,
                  "patch_size": 16, "rope_theta": 10000.0})");
const RopeConfig llama4 =
    config_of(R"({"model_type": "llama4_vision_model", "hidden_size": 128, "num_attention_heads": 4, "image_size": 84,
                  "patch_size": 14, "rope_theta": 10000.0})");
const RopeConfig dinov3 =
    config_of(R"({"model_type": "dinov3_vit", "hidden_size": 128, "num_attention_heads": 4, "image_size": 96,
                  "patch_size": 16, "rope_theta": 100.0})");

constexpr i64 image_pairs = 16;

// angle(row, pair) of each row.
Dump dump_of(i64 rows, const std::function<double(i64, i64)>& angle) {
  DumpWriter writer("t.safetensors");
  for (const bool is_sin : {false, true}) {
    std::vector<float> values;
    for (i64 row = 0; row < rows; ++row) {
      for (i64 column = 0; column < 2 * image_pairs; ++column) {
        const double at = angle(row, column % image_pairs);
        values.push_back(float(is_sin ? std::sin(at) : std::cos(at)));
      }
    }
    writer.add_tensor(is_sin ? "sin" : "cos", Dtype::F32, {rows, 2 * image_pairs}, values);
  }
  return writer.finish();
}

// Frequencies of both axes: theta^(-2 i / width) of the width of an axis.
double same(double theta, i64 pair) { return std::pow(theta, -2.0 * double(pair % 8) / 16); }
// Those of even number for the first axis, of odd number for the second.
double shared_out(double theta, i64 pair) { return std::pow(theta, -2.0 * double(2 * (pair % 8) + (pair >= 8)) / 32); }

std::string cause_in(const RopeConfig& config, i64 rows, const std::function<double(i64, i64)>& angle) {
  const CacheAnswer answer = check_dumps({dump_of(rows, angle)}, config, 1);
  return answer.findings.empty() && !answer.not_judged.empty() ? "open" : only_cause(answer);
}

TEST(ImageGrid, PixtralsCellsStandLineByLine) {
  const auto table = [](i64 wide, bool exchanged, auto frequency, i64 first = 0) {
    return [=](i64 row, i64 pair) {
      const bool in_line = (pair >= 8) != exchanged;
      return double((in_line ? row % wide : row / wide) + first) * frequency(1e4, pair);
    };
  };
  EXPECT_EQ(cause_in(pixtral, 36, table(6, false, shared_out)), "");
  EXPECT_EQ(cause_in(pixtral, 36, table(6, true, shared_out)), "axes-exchanged");
  EXPECT_EQ(cause_in(pixtral, 36, table(6, false, shared_out, 1)), "cell-coordinates");
  EXPECT_EQ(cause_in(pixtral, 36, table(6, false, same)), "axis-frequencies");
  // Images of other sizes stand where the caller placed them, but have the model's frequencies.
  EXPECT_EQ(cause_in(pixtral, 36, table(4, false, shared_out)), "");
  EXPECT_EQ(cause_in(pixtral, 20, table(4, true, shared_out)), "");
  EXPECT_EQ(cause_in(pixtral, 20, table(4, false, same)), "axis-frequencies");
}

TEST(ImageGrid, TheTowerOfLlama4CountsFromOneAndHasAClassRow) {
  const auto table = [](bool exchanged, i64 first, auto frequency) {
    return [=](i64 row, i64 pair) {
      const bool in_line = (pair < 8) != exchanged;
      return row == 36 ? 0.0 : double((in_line ? row % 6 : row / 6) + first) * frequency(1e4, pair);
    };
  };
  EXPECT_EQ(cause_in(llama4, 37, table(false, 1, same)), "");
  EXPECT_EQ(cause_in(llama4, 37, table(true, 1, same)), "axes-exchanged");
  EXPECT_EQ(cause_in(llama4, 37, table(false, 0, same)), "cell-coordinates");
  EXPECT_EQ(cause_in(llama4, 37, table(false, 1, shared_out)), "axis-frequencies");
}

TEST(ImageGrid, Dinov3HasCentresOfAnyImage) {
  const auto table = [](i64 high, i64 wide, bool exchanged, auto coordinate, double theta = 100) {
    return [=](i64 row, i64 pair) {
      const bool in_line = (pair >= 8) != exchanged;
      return coordinate(double(in_line ? row % wide : row / wide), double(in_line ? wide : high)) * same(theta, pair);
    };
  };
  const auto centre = [](double cell, double cells) { return 2 * pi * ((2 * cell + 1) / cells - 1); };
  EXPECT_EQ(cause_in(dinov3, 36, table(6, 6, false, centre)), "");
  EXPECT_EQ(cause_in(dinov3, 36, table(4, 9, false, centre)), "");
  EXPECT_EQ(cause_in(dinov3, 36, table(6, 6, true, centre)), "axes-exchanged");
  EXPECT_EQ(cause_in(dinov3, 36, table(6, 6, false, centre, 1e4)), "wrong-theta");
  const auto none_of = [](auto coordinate) { return [=](double k, double n) { return double(coordinate(k, n)); }; };
  EXPECT_EQ(
      cause_in(dinov3, 36, table(6, 6, false, none_of([](double k, double n) { return 2 * pi * (2 * k / n - 1); }))),
      "cell-coordinates");
  EXPECT_EQ(cause_in(dinov3, 36, table(4, 9, false, none_of([](double k, double n) { return (2 * k + 1) / n - 1; }))),
            "cell-coordinates");
  EXPECT_EQ(cause_in(dinov3, 36, table(6, 6, false, none_of([](double k, double) { return k; }))), "cell-coordinates");
  // Coordinates that training stretched at random.
  EXPECT_EQ(cause_in(dinov3, 36, table(6, 6, false, [=](double k, double n) { return 1.37 * centre(k, n); })), "");
}

// What is wrong in a few places beside is seen against the right cells.
TEST(ImageGrid, AFlippedBitIsNamed) {
  const auto right = [](i64 row, i64 pair) { return double(pair >= 8 ? row % 6 : row / 6) * shared_out(1e4, pair); };
  EXPECT_EQ(cause_in(pixtral, 36, [&](i64 row, i64 pair) { return right(row, pair) + (row == 20 && pair == 3); }),
            "isolated-elements");
}

}  // namespace
}  // namespace ropewalk::rope::testing
