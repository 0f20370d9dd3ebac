#include "lib/launch/check_arguments.h"

#include <gtest/gtest.h>

#include "tests/lib/launch/launch_text.h"

namespace ropewalk {
namespace {

constexpr const char* none = "(no InputError was thrown)";

TEST(CheckArguments, missing_ones_are_null_where_they_are_pointers) {
  EXPECT_EQ(args_message(R"([{"tensor": "x"}, {"tensor": "out"}, {"i32": 1}, {"f32": 1}])"), none);
  EXPECT_EQ(args_message(R"([{"tensor": "x"}, {"tensor": "out"}, {"i32": 1}])"),
            "a.json: args[3]: is missing: parameter 3 (.f32 scale_factor) is no pointer that could be null");
  EXPECT_EQ(args_message("[]", "request"),
            "a.json: args[0]: is missing: parameter 0 (.b8 request_it[32]) is no pointer that could be null");
}

TEST(CheckArguments, too_many) {
  EXPECT_EQ(args_message(R"([{"i32": 1}, {"i32": 1}])", "request"),
            "a.json: args: has 2 arguments, the entry request has 1 parameters");
}

TEST(CheckArguments, sizes_and_kinds) {
  const auto first = [](const std::string& argument, const std::string& entry) {
    return args_message("[" + argument + "]", entry);
  };
  EXPECT_EQ(first(R"({"i32": 1})", "scale"),
            "a.json: args[0]: does not fit parameter 0 (.u64 scale_x, 8 bytes): the value is i32 of 4 bytes");
  EXPECT_EQ(first(R"({"f64": 1})", "scale"),
            "a.json: args[0]: does not fit parameter 0 (.u64 scale_x, 8 bytes): the value is f64 of 8 bytes");
  EXPECT_EQ(first(R"({"struct": {"bytes": 24}})", "request"),
            "a.json: args[0]: does not fit parameter 0 (.b8 request_it[32], 32 bytes): the struct has 24 bytes");
  EXPECT_EQ(
      first(R"({"tensor": "x"})", "request"),
      "a.json: args[0]: does not fit parameter 0 (.b8 request_it[32], 32 bytes): the tensor \"x\" is a pointer of 8 "
      "bytes");
  EXPECT_EQ(first(R"({"null": "ptr"})", "scalars"),
            "a.json: args[0]: does not fit parameter 0 (.u8 scalars_flag, 1 bytes): a null pointer has 8 bytes");
  EXPECT_EQ(args_message(R"([{"tensor": "x"}, {"tensor": "out"}, {"f32": 1}, {"f32": 1}])"),
            "a.json: args[2]: does not fit parameter 2 (.u32 scale_count, 4 bytes): the value is f32 of 4 bytes");
  EXPECT_EQ(args_message(R"([{"tensor": "x"}, {"tensor": "out"}, {"i32": 1}, {"i32": 1}])"),
            "a.json: args[3]: does not fit parameter 3 (.f32 scale_factor, 4 bytes): the value is i32 of 4 bytes");
  EXPECT_EQ(args_message(R"([{"u64": 1}, {"i64": 1}, {"u32": 1}, {"f32": 1}])"), none);
}

// A 16-bit float goes into .b16 and into the two bytes that nvcc makes of __half.
TEST(CheckArguments, untyped_parameters_take_floats_and_integers) {
  EXPECT_EQ(
      args_message(R"([{"u8": 1}, {"i16": 1}, {"u16": 1}, {"u16": 1}, {"u32": 1}, {"i64": 1}, {"f64": 1}])", "scalars"),
      none);
  EXPECT_EQ(args_message(R"([{"i8": 1}, {"u16": 1}, {"bf16": 1}, {"f16": 1}, {"i32": 1}, {"tensor": "x"}, {"f64": 1}])",
                         "scalars"),
            none);
}

}  // namespace
}  // namespace ropewalk
