#include "lib/launch/read_tensor.h"

#include <gtest/gtest.h>

#include "tests/lib/launch/launch_text.h"

namespace ropewalk {
namespace {

// What is reported of one tensor "x" of these keys.
std::string message_of_keys(const std::string& keys) { return tensors_message("{\"x\": {" + keys + "}}"); }

TEST(ReadTensor, dtypes) {
  for (const Dtype dtype : all_dtypes()) {
    const Launch launch =
        launch_of(LaunchText{.tensors = "{\"x\": {\"dtype\": \"" + std::string(name_of(dtype)) + "\", \"shape\": [3]}}",
                             .args = R"([{"tensor": "x"}, {"null": "ptr"}, {"i32": 1}, {"f32": 1}])"}
                      .text());
    EXPECT_EQ(launch.tensors[0].dtype, dtype);
    EXPECT_EQ(launch.tensors[0].bytes(), 3 * size_of(dtype));
  }
  EXPECT_EQ(message_of_keys("\"dtype\": \"bf61\", \"shape\": [3]"),
            "a.json: tensors.x.dtype: unknown dtype \"bf61\", did you mean \"bf16\"?");
  EXPECT_EQ(message_of_keys("\"shape\": [3]"), "a.json: tensors.x: the key \"dtype\" is missing");
}

TEST(ReadTensor, pointers_and_unwritten_bytes) {
  const std::string three = "\"dtype\": \"f32\", \"shape\": [3], ";
  EXPECT_EQ(message_of_keys(three + "\"pointers\": [{\"at\": 8, \"tensor\": \"x\"}]"),
            "a.json: tensors.x.pointers[0].at: expected a whole number from 0 to 4, found 8");
  EXPECT_EQ(message_of_keys(three + "\"pointers\": [{\"at\": 0}]"),
            "a.json: tensors.x.pointers[0]: expected either tensor or variable");
  EXPECT_EQ(message_of_keys(three + "\"pointers\": [{\"at\": 0, \"tensor\": \"xx\"}]"),
            "a.json: tensors.x.pointers[0].tensor: there is no tensor \"xx\", known are \"x\"");
  EXPECT_EQ(message_of_keys("\"dtype\": \"f32\", \"shape\": [1], \"pointers\": [{\"at\": 0, \"tensor\": \"x\"}]"),
            "a.json: tensors.x.pointers[0]: a pointer has 8 bytes, and there are 4");
  EXPECT_EQ(message_of_keys(three + "\"unwritten\": [[4, 13]]"),
            "a.json: tensors.x.unwritten[0][1]: expected a whole number from 4 to 12, found 13");
}

TEST(ReadTensor, keys) {
  EXPECT_EQ(message_of_keys("\"dtype\": \"f32\", \"shape\": [3], \"stride\": [1]"),
            "a.json: tensors.x: unknown key \"stride\", did you mean \"strides\"?");
  EXPECT_EQ(tensors_message("{\"\": {\"dtype\": \"f32\", \"shape\": [3]}}"),
            "a.json: tensors: a tensor needs a name that is not empty");
  EXPECT_EQ(message_of_keys("\"dtype\": \"f32\", \"shape\": [3], \"output\": 1"),
            "a.json: tensors.x.output: expected true or false, found 1");
  EXPECT_EQ(message_of_keys("\"dtype\": \"f32\", \"shape\": [3], \"finite\": \"yes\""),
            "a.json: tensors.x.finite: expected true or false, found \"yes\"");
  EXPECT_EQ(message_of_keys("\"dtype\": \"f32\", \"shape\": [3], \"alignment\": 24"),
            "a.json: tensors.x.alignment: expected a power of two, found 24");
  EXPECT_EQ(message_of_keys("\"dtype\": \"f32\", \"shape\": [3], \"alignment\": 0"),
            "a.json: tensors.x.alignment: expected a whole number from 1 to 1048576, found 0");
}

TEST(ReadTensor, shapes) {
  EXPECT_EQ(message_of_keys("\"dtype\": \"f32\", \"shape\": 3"), "a.json: tensors.x.shape: expected a list, found 3");
  EXPECT_EQ(message_of_keys("\"dtype\": \"f32\", \"shape\": [3, -1]"),
            "a.json: tensors.x.shape[1]: expected a whole number from 0 to 4611686018427387904, found -1");
  EXPECT_EQ(message_of_keys("\"dtype\": \"f32\", \"shape\": [4611686018427387904, 4]"),
            "a.json: tensors.x.shape: has more than 2^63 elements");
  EXPECT_EQ(message_of_keys("\"dtype\": \"f32\", \"shape\": [4611686018427387904]"),
            "a.json: tensors.x: shape [4611686018427387904] with strides [1] of f32 is more than 2^62 bytes");
  std::string many = "1";
  for (int i = 0; i < 64; ++i) many += ", 1";
  EXPECT_EQ(message_of_keys("\"dtype\": \"f32\", \"shape\": [" + many + "]"),
            "a.json: tensors.x.shape: has 65 dimensions, at most 64 are possible");
}

TEST(ReadTensor, empty_and_scalar_shapes) {
  const Launch launch =
      launch_of(LaunchText{.tensors = R"({"e": {"dtype": "f32", "shape": [0, 4]}, "s": {"dtype": "f32", "shape": []}})",
                           .args = R"([{"tensor": "e"}, {"tensor": "s"}, {"i32": 1}, {"f32": 1}])"}
                    .text());
  EXPECT_EQ(launch.tensors[0].bytes(), 0u);
  EXPECT_EQ(launch.tensors[1].bytes(), 4u);
}

TEST(ReadTensor, strides) {
  const std::string start = "\"dtype\": \"f32\", \"shape\": [2, 3], ";
  EXPECT_EQ(message_of_keys(start + "\"strides\": [3]"),
            "a.json: tensors.x.strides: has 1 strides for the 2 dimensions of shape [2, 3]");
  EXPECT_EQ(message_of_keys(start + "\"strides\": [-3, 1]"),
            "a.json: tensors.x.strides[0]: expected a whole number from 0 to 4611686018427387904, found -3");
  EXPECT_EQ(
      message_of_keys(start + "\"output\": true, \"strides\": [0, 1]"),
      "a.json: tensors.x.strides[0]: an output cannot have stride 0 where its extent is 2: its elements would lie on "
      "each other");
  EXPECT_EQ(message_of_keys(start + "\"strides\": [4611686018427387904, 1]"),
            "a.json: tensors.x: shape [2, 3] with strides [4611686018427387904, 1] of f32 is more than 2^62 bytes");
  EXPECT_EQ(message_of_keys(start + "\"strides\": [0, 1]").substr(0, 16),
            "a.json: args[2]:");  // an input may be broadcast
}

TEST(ReadTensor, fields) {
  const std::string start = "\"dtype\": \"f32\", \"shape\": [2, 3, 4], \"fields\": ";
  EXPECT_EQ(message_of_keys(start + "{}"), "a.json: tensors.x.fields: expected a list, found an object");
  EXPECT_EQ(message_of_keys(start + "[{}]"), "a.json: tensors.x.fields[0]: the key \"name\" is missing");
  EXPECT_EQ(message_of_keys(start + "[{\"name\": \"\"}]"),
            "a.json: tensors.x.fields[0].name: a field needs a name that is not empty");
  EXPECT_EQ(message_of_keys(start + "[{\"name\": \"a\"}, {\"name\": \"a\"}]"),
            "a.json: tensors.x.fields[1].name: the field \"a\" occurs twice");
  EXPECT_EQ(message_of_keys(start + "[{\"name\": \"a\", \"row\": [0, 1]}]"),
            "a.json: tensors.x.fields[0]: unknown key \"row\", did you mean \"rows\"?");
  EXPECT_EQ(message_of_keys(start + "[{\"name\": \"a\", \"rows\": [0, 7]}]"),
            "a.json: tensors.x.fields[0].rows[1]: expected a whole number from 0 to 6, found 7");
  EXPECT_EQ(message_of_keys(start + "[{\"name\": \"a\", \"columns\": [3, 2]}]"),
            "a.json: tensors.x.fields[0].columns[1]: expected a whole number from 3 to 4, found 2");
  EXPECT_EQ(message_of_keys(start + "[{\"name\": \"a\", \"columns\": [3]}]"),
            "a.json: tensors.x.fields[0].columns: expected [first, last), found 1 numbers");
}

}  // namespace
}  // namespace ropewalk
