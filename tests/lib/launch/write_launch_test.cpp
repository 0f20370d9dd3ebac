#include "lib/launch/write_launch.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "lib/base/mapped_file.h"
#include "tests/lib/launch/launch_text.h"

namespace ropewalk {
namespace {

// Everything of a launch that a launch file says, as text.
std::string described(const Launch& launch) {
  const WrittenLaunch written = write_launch(launch, "same");
  std::string text = written.text;
  for (const auto& [name, contents] : written.files) text += name + "\n" + contents;
  return text;
}

Launch through_files(const Launch& launch, const std::string& name) {
  const std::string folder = testing::TempDir() + "ropewalk_write_launch/";
  std::filesystem::create_directories(folder);
  write_launch_file(launch, folder + name);
  return read_launch_file(folder + name);
}

TEST(WriteLaunch, what_is_written_is_read) {
  const Launch launch = read_launch_file("tests/data/launch/scale.json");
  const Launch again = through_files(launch, "scale.json");
  EXPECT_EQ(described(again), described(launch));
  EXPECT_TRUE(ptx::same(*again.module, *launch.module));
  EXPECT_EQ(again.tensors[2].strides, (Strides{8, 1}));
  EXPECT_EQ(std::get<Given>(again.tensors[2].init).array->bytes, std::get<Given>(launch.tensors[2].init).array->bytes);
  EXPECT_EQ(again.expectations[0].values->bytes, launch.expectations[0].values->bytes);
}

TEST(WriteLaunch, pointers_unwritten_bytes_and_variables_are_read_again) {
  Launch launch = read_launch_file("tests/data/launch/scale.json");
  launch.tensors[1].pointers = {{.at = 0, .tensor = 2, .offset = -8}, {.at = 8, .variable = "rows"}};
  launch.tensors[0].unwritten = {{0, 4}, {5, 8}};
  launch.variables = {{"rows", std::vector<std::byte>(16, std::byte(7)), {{.at = 8, .tensor = 1}}}};
  const Launch again = through_files(launch, "pointers.json");
  EXPECT_EQ(described(again), described(launch));
  EXPECT_EQ(again.tensors[1].pointers[0].offset, -8);
  EXPECT_EQ(again.tensors[0].unwritten, launch.tensors[0].unwritten);
  EXPECT_EQ(again.variables[0].bytes, launch.variables[0].bytes);
}

// Large arrays, NaN payloads, and every dtype survive.
TEST(WriteLaunch, arrays_keep_their_bits) {
  Launch launch = read_launch_file("tests/data/launch/scale.json");
  for (const Dtype dtype : all_dtypes()) {
    for (const i64 count : {3, 1000}) {
      Array array = Array::zeros(dtype, {count});
      for (size_t i = 0; i < array.bytes.size(); ++i) array.bytes[i] = std::byte(i * 37 % 251);
      if (dtype == Dtype::Bool) {
        for (size_t i = 0; i < array.bytes.size(); ++i) array.bytes[i] = std::byte(i % 2);
      }
      if (dtype == Dtype::TF32) {
        for (i64 n = 0; n < count; ++n) array.set(n, double(n) / 4);
      }
      LaunchTensor tensor{"t" + std::to_string(launch.tensors.size()), dtype, {count}, {1}};
      tensor.init = Given{std::make_shared<const Array>(array), ""};
      launch.tensors.push_back(tensor);
    }
  }
  const Launch again = through_files(launch, "many.json");
  for (const LaunchTensor& tensor : launch.tensors) {
    const Given* given = std::get_if<Given>(&tensor.init);
    if (!given) continue;
    const LaunchTensor& read = again.tensors[size_t(again.tensor_named(tensor.name))];
    EXPECT_EQ(std::get<Given>(read.init).array->bytes, given->array->bytes) << name_of(tensor.dtype);
  }
}

TEST(WriteLaunch, arguments_and_inits_of_every_kind) {
  for (const LaunchText& text :
       {LaunchText{.args = R"([{"bool": true}, {"i16": -2}, {"f16": "-inf"}, {"bf16": -1}, {"u32": 4294967295},
                              {"i64": -9223372036854775808}, {"f64": 0.1}])",
       .entry = "scalars"},
        LaunchText{.args = R"([{"struct": {"bytes": 32, "fields": [{"at": 0, "tensor": "x", "offset_elements": -3},
                              {"at": 16, "null": "ptr"}, {"at": 24, "u8": 200}]}}])",
        .entry = "request"},
        LaunchText{
            .tensors = R"({"a": {"dtype": "f32", "shape": [2], "init": {"normal": {"seed": 18446744073709551615}}},
                                 "b": {"dtype": "i32", "shape": [2, 0], "init": {"arange": {"start": 3}}},
                                 "c": {"dtype": "f64", "shape": [], "init": {"uniform": {"low": -1, "high": 1e-3}}},
                                 "d": {"dtype": "f8e4m3", "shape": [1], "init": {"fill": "nan"}}})",
 .args = R"([{"tensor": "a"}, {"null": "ptr"}, {"i32": -1}, {"f32": 0.1}])"}}) {
    const Launch launch = launch_of(text.text());
    EXPECT_EQ(described(through_files(launch, "kinds.json")), described(launch));
  }
}

TEST(WriteLaunch, where_it_runs) {
  for (const char* more : {R"(, "device": 1, "current_device": 0)", R"(, "stream": "default")",
                           R"(, "device": 0, "stream": {"device": 1})", R"(, "stream": "per-thread")"}) {
    const Launch launch = launch_of(LaunchText{.more = more}.text());
    EXPECT_TRUE(launch.location.is_given());
    EXPECT_EQ(through_files(launch, "place.json").location, launch.location) << more;
  }
}

TEST(WriteLaunch, bounds_by_element) {
  Launch launch = read_launch_file("tests/data/launch/scale.json");
  Expectation& expectation = launch.expectations[0];
  expectation.values = std::make_shared<const Array>(Array::of(Dtype::F64, {2, 3}, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}));
  expectation.bound = std::make_shared<const Array>(Array::of(Dtype::F64, {2, 3}, {1, 2, 3, 4, 5, 6}));
  const Launch again = through_files(launch, "bound.json");
  EXPECT_EQ(again.expectations[0].values->bytes, expectation.values->bytes);
  EXPECT_EQ(again.expectations[0].bound->bytes, expectation.bound->bytes);
}

TEST(WriteLaunch, a_folder_that_is_not_there) {
  const Launch launch = read_launch_file("tests/data/launch/scale.json");
  EXPECT_EQ(message_of([&] { write_launch_file(launch, "/no/such/a.json"); }),
            "/no/such/a.ptx: cannot be written: No such file or directory");
}

}  // namespace
}  // namespace ropewalk
