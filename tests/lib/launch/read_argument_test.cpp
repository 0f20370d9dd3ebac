#include "lib/launch/read_argument.h"

#include <gtest/gtest.h>

#include "tests/lib/launch/launch_text.h"

namespace ropewalk {
namespace {

TEST(ReadArgument, scalars_of_every_dtype) {
  const Launch launch = launch_of(LaunchText{.args = R"([{"bool": true}, {"i16": -2}, {"f16": 1.5}, {"bf16": -1},
                                                        {"u32": 4294967295}, {"i64": -9223372036854775808}, {"f64": 0.1}])",
                                             .entry = "scalars"}
                                      .text());
  const u64 expected[] = {1, 0xfffe, 0x3e00, 0xbf80, 0xffffffff, u64(1) << 63, 0x3fb999999999999a};
  ASSERT_EQ(launch.arguments.size(), 7u);
  for (size_t n = 0; n < 7; ++n) EXPECT_EQ(std::get<ScalarArgument>(launch.arguments[n]).bits, expected[n]) << n;
}

TEST(ReadArgument, struct_by_value) {
  const Launch launch = launch_of(LaunchText{.args = R"([{"struct": {"bytes": 32, "fields": [
      {"at": 0, "tensor": "x"}, {"at": 8, "tensor": "out", "offset_elements": 1}, {"at": 16, "null": "ptr"},
      {"at": 24, "i32": 40}, {"at": 28, "f32": 0.5}]}}])",
                                             .entry = "request"}
                                      .text());
  const StructArgument& argument = std::get<StructArgument>(launch.arguments[0]);
  EXPECT_EQ(argument.bytes, 32u);
  ASSERT_EQ(argument.parts.size(), 5u);
  EXPECT_EQ(argument.parts[1].at, 8u);
  EXPECT_EQ(std::get<TensorArgument>(argument.parts[1].value).offset_elements, 1);
  EXPECT_TRUE(std::holds_alternative<NullArgument>(argument.parts[2].value));
  EXPECT_EQ(std::get<ScalarArgument>(argument.parts[4].value).bits, 0x3f000000u);
}

TEST(ReadArgument, errors) {
  EXPECT_EQ(args_message("{}"), "a.json: args: expected a list, found an object");
  EXPECT_EQ(args_message("[3]"), "a.json: args[0]: expected an object, found 3");
  EXPECT_EQ(args_message("[{}]"),
            "a.json: args[0]: says no value: expected one of tensor, null, struct, i8 to i64, u8 to "
            "u64, f16, bf16, f32, f64, bool");
  EXPECT_EQ(args_message("[{\"int\": 3}]").substr(0, 35), "a.json: args[0]: unknown key \"int\",");
  EXPECT_EQ(args_message("[{\"tenzor\": \"x\"}]"), "a.json: args[0]: unknown key \"tenzor\", did you mean \"tensor\"?");
  EXPECT_EQ(args_message("[{\"i32\": 3, \"f32\": 3}]"), "a.json: args[0]: says two values, \"f32\" and \"i32\"");
  EXPECT_EQ(args_message("[{\"i32\": 3, \"field\": \"a\"}]"), "a.json: args[0].field: only a tensor has this");
  EXPECT_EQ(args_message("[{\"i32\": 3, \"offset_elements\": 1}]"),
            "a.json: args[0].offset_elements: only a tensor has this");
  EXPECT_EQ(args_message("[{\"tensor\": \"ouch\"}]"),
            "a.json: args[0].tensor: there is no tensor \"ouch\", did you mean \"out\"?");
  EXPECT_EQ(args_message("[{\"tensor\": \"x\", \"field\": \"cos\"}]"),
            "a.json: args[0].field: the tensor \"x\" has no field \"cos\", none is known here");
  EXPECT_EQ(args_message("[{\"tensor\": \"x\", \"offset_elements\": 1e18}]"),
            "a.json: args[0].offset_elements: expected a whole number from -274877906944 to 274877906950, found 1e+18");
  EXPECT_EQ(args_message("[{\"null\": 0}]"), "a.json: args[0].null: expected a text, found 0");
  EXPECT_EQ(args_message("[{\"null\": \"pointer\"}]"), "a.json: args[0].null: expected \"ptr\", found \"pointer\"");
  EXPECT_EQ(args_message("[{\"i8\": 128}]"), "a.json: args[0].i8: expected a whole number from -128 to 127, found 128");
  EXPECT_EQ(args_message("[{\"u64\": -1}]"),
            "a.json: args[0].u64: expected a whole number from 0 to 18446744073709551615, found -1");
  EXPECT_EQ(args_message("[{\"bool\": 2}]"), "a.json: args[0].bool: expected a whole number from 0 to 1, found 2");
  EXPECT_EQ(args_message("[{\"f32\": 1e300}]"),
            "a.json: args[0].f32: 1e+300 is beyond the range of f32 (write \"inf\" where infinity is meant)");
}

std::string struct_message(const std::string& bytes, const std::string& fields) {
  return args_message("[{\"struct\": {\"bytes\": " + bytes + ", \"fields\": " + fields + "}}]", "request");
}

TEST(ReadArgument, errors_of_structs) {
  EXPECT_EQ(struct_message("0", "[]"),
            "a.json: args[0].struct.bytes: expected a whole number from 1 to 32764, found 0");
  EXPECT_EQ(struct_message("32", "[{\"i32\": 1}]"), "a.json: args[0].struct.fields[0]: the key \"at\" is missing");
  EXPECT_EQ(struct_message("32", "[{\"at\": 32, \"i32\": 1}]"),
            "a.json: args[0].struct.fields[0].at: expected a whole number from 0 to 31, found 32");
  EXPECT_EQ(struct_message("32", "[{\"at\": 28, \"i64\": 1}]"),
            "a.json: args[0].struct.fields[0]: takes the bytes 28 to 36, the struct ends at 32");
  EXPECT_EQ(struct_message("32", "[{\"at\": 0, \"tensor\": \"x\"}, {\"at\": 4, \"i32\": 1}]"),
            "a.json: args[0].struct.fields[1]: takes byte 4, which another field has");
  EXPECT_EQ(struct_message("32", "[{\"at\": 0, \"struct\": {}}]").substr(0, 57),
            "a.json: args[0].struct.fields[0]: unknown key \"struct\", k");
  EXPECT_EQ(args_message("[{\"struct\": {\"byte\": 3}}]", "request"),
            "a.json: args[0].struct: unknown key \"byte\", did you mean \"bytes\"?");
}

}  // namespace
}  // namespace ropewalk
