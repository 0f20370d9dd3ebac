#include "lib/launch/read_init.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/lib/launch/launch_text.h"

namespace ropewalk {
namespace {

std::string tensor(const std::string& dtype, const std::string& init) {
  return "{\"x\": {\"dtype\": \"" + dtype + "\", \"shape\": [2, 2], \"init\": " + init + "}}";
}

Init init_of(const std::string& dtype, const std::string& init, const Arrays& arrays = {}) {
  const LaunchText text{.tensors = tensor(dtype, init),
                        .args = R"([{"tensor": "x"}, {"null": "ptr"}, {"i32": 1}, {"f32": 1}])"};
  return launch_of(text.text(), arrays).tensors[0].init;
}

std::string message_of_init(const std::string& dtype, const std::string& init, const Arrays& arrays = {}) {
  return tensors_message(tensor(dtype, init), arrays);
}

TEST(ReadInit, every_form) {
  EXPECT_TRUE(std::holds_alternative<Uninitialized>(init_of("f32", "\"uninitialized\"")));
  EXPECT_EQ(std::get<Fill>(init_of("f32", "\"zeros\"")).value, 0);
  EXPECT_EQ(std::get<Fill>(init_of("f32", "{\"fill\": 2.5}")).value, 2.5);
  EXPECT_EQ(std::get<Fill>(init_of("bool", "{\"fill\": true}")).value, 1);
  EXPECT_EQ(std::get<Fill>(init_of("f32", "{\"fill\": \"-inf\"}")).value, -INFINITY);
  const Normal normal = std::get<Normal>(init_of("f32", "{\"normal\": {\"seed\": 7, \"mean\": 1, \"std\": 2}}"));
  EXPECT_EQ(normal.seed, 7u);
  EXPECT_EQ(normal.mean, 1);
  EXPECT_EQ(normal.std, 2);
  EXPECT_EQ(std::get<Normal>(init_of("f32", "{\"normal\": {}}")).std, 1);
  const Uniform uniform =
      std::get<Uniform>(init_of("f32", "{\"uniform\": {\"seed\": 18446744073709551615, \"low\": -1}}"));
  EXPECT_EQ(uniform.seed, UINT64_MAX);
  EXPECT_EQ(uniform.low, -1);
  EXPECT_EQ(uniform.high, 1);
  const Arange arange = std::get<Arange>(init_of("i32", "{\"arange\": {\"start\": 5, \"step\": -1}}"));
  EXPECT_EQ(arange.start, 5);
  EXPECT_EQ(arange.step, -1);
}

TEST(ReadInit, values) {
  const Given given = std::get<Given>(init_of("bf16", "{\"values\": [1, 2.00390625, \"nan\", -0.0]}"));
  EXPECT_EQ(given.array->dtype, Dtype::BF16);
  EXPECT_EQ(given.array->at(1), 2);
  EXPECT_TRUE(std::isnan(given.array->at(2)));
  EXPECT_TRUE(std::signbit(given.array->at(3)));
  const Given exact =
      std::get<Given>(init_of("i64", "{\"values\": [9223372036854775807, -9223372036854775808, 0, 1]}"));
  i64 values[4];
  std::memcpy(values, exact.array->bytes.data(), sizeof values);
  EXPECT_EQ(values[0], INT64_MAX);
  EXPECT_EQ(values[1], INT64_MIN);
  const Given complex = std::get<Given>(init_of("c64", "{\"values\": [[1, 2], 3, [0, 0], 0]}"));
  EXPECT_EQ(load_as_double(complex.array->bytes.data() + 4, Dtype::F32), 2);
  EXPECT_EQ(message_of_init("f32", "{\"values\": [1]}"),
            "a.json: tensors.x.init.values: holds 1 values, shape [2, 2] needs 4");
  EXPECT_EQ(message_of_init("f32", "{\"values\": 1}"),
            "a.json: tensors.x.init.values: expected a flat list of numbers, found 1");
  EXPECT_EQ(message_of_init("f32", "{\"values\": [[1, 2], [3, 4], 0, 0]}"),
            "a.json: tensors.x.init.values[0]: expected a number (or \"nan\", \"inf\", \"-inf\"), found a list");
  EXPECT_EQ(message_of_init("u8", "{\"values\": [1, 2, 3, 256]}"),
            "a.json: tensors.x.init.values[3]: expected a whole number from 0 to 255, found 256");
  EXPECT_EQ(
      message_of_init("f16", "{\"values\": [1, 2, 3, 70000]}"),
      "a.json: tensors.x.init.values[3]: 70000 is beyond the range of f16 (write \"inf\" where infinity is meant)");
  EXPECT_EQ(message_of_init("c64", "{\"values\": [[1], 3, 0, 0]}"),
            "a.json: tensors.x.init.values[0]: expected [real, imaginary], found 1 numbers");
}

TEST(ReadInit, files) {
  const Arrays arrays{{"w.npy", Array::of(Dtype::F32, {2, 2}, {1, 2, 3, 4})},
                      {"flat.npy", Array::of(Dtype::F32, {4}, {1, 2, 3, 4})},
                      {"big.npy", Array::of(Dtype::I64, {2, 2}, {1, 2, 3, 4e9})},
                      {"m.npz:w", Array::of(Dtype::F32, {2, 2}, {5, 6, 7, 8})}};
  EXPECT_EQ(std::get<Given>(init_of("f64", "{\"file\": \"w.npy\"}", arrays)).array->dtype, Dtype::F64);
  EXPECT_EQ(std::get<Given>(init_of("f32", "{\"file\": \"m.npz\", \"name\": \"w\"}", arrays)).array->at(0), 5);
  EXPECT_EQ(message_of_init("f32", "{\"file\": \"flat.npy\"}", arrays),
            "a.json: tensors.x.init.file: flat.npy: holds an array of shape [4], the tensor has shape [2, 2]");
  EXPECT_EQ(message_of_init("i32", "{\"file\": \"big.npy\"}", arrays),
            "a.json: tensors.x.init.file: big.npy: holds 4000000000 at [1, 1], which i32 cannot hold");
  EXPECT_EQ(message_of_init("f32", "{\"file\": \"none.npy\"}", arrays),
            "a.json: tensors.x.init.file: none.npy: no such array");
}

TEST(ReadInit, errors) {
  EXPECT_EQ(
      message_of_init("f32", "\"zeroes\""),
      "a.json: tensors.x.init: unknown init \"zeroes\", did you mean \"zeros\"? (the other forms are objects: fill, "
      "normal, uniform, arange, values, file)");
  EXPECT_EQ(message_of_init("f32", "{\"fil\": 1}"),
            "a.json: tensors.x.init: unknown key \"fil\", did you mean \"fill\"?");
  EXPECT_EQ(message_of_init("f32", "3"), "a.json: tensors.x.init: expected an object, found 3");
  const std::string one =
      "a.json: tensors.x.init: expected exactly one of fill, normal, uniform, arange, values, file "
      "(which may have a name)";
  EXPECT_EQ(message_of_init("f32", "{}"), one);
  EXPECT_EQ(message_of_init("f32", "{\"fill\": 1, \"file\": \"w\"}"), one);
  EXPECT_EQ(message_of_init("f32", "{\"fill\": 1, \"name\": \"w\"}"), one);
  EXPECT_EQ(message_of_init("i32", "{\"fill\": 0.5}"),
            "a.json: tensors.x.init.fill: expected a whole number from -2147483648 to 2147483647, found 0.5");
  EXPECT_EQ(message_of_init("c64", "{\"fill\": [1, 2]}"),
            "a.json: tensors.x.init.fill: a fill is one number, found a list");
  EXPECT_EQ(
      message_of_init("u64", "{\"fill\": 18446744073709551615}"),
      "a.json: tensors.x.init.fill: whole numbers beyond 2^53 are given as \"values\", found 18446744073709551615");
  EXPECT_EQ(message_of_init("f32", "{\"normal\": {\"sead\": 1}}"),
            "a.json: tensors.x.init.normal: unknown key \"sead\", did you mean \"seed\"?");
  EXPECT_EQ(message_of_init("f32", "{\"normal\": {\"std\": -1}}"),
            "a.json: tensors.x.init.normal.std: a standard deviation is not negative, found -1");
  EXPECT_EQ(message_of_init("f32", "{\"uniform\": {\"low\": 2}}"),
            "a.json: tensors.x.init.uniform: \"high\" is below \"low\"");
  EXPECT_EQ(message_of_init("f32", "{\"uniform\": {\"low\": \"nan\"}}"),
            "a.json: tensors.x.init.uniform.low: expected a number, found \"nan\"");
  EXPECT_EQ(message_of_init("u8", "{\"arange\": {\"start\": 254}}"),
            "a.json: tensors.x.init.arange: reaches 257.000000, which u8 cannot hold");
}

}  // namespace
}  // namespace ropewalk
