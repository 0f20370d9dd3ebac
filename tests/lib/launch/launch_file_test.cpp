#include "lib/launch/launch_file.h"

#include <gtest/gtest.h>

#include "tests/lib/launch/launch_text.h"

namespace ropewalk {
namespace {

TEST(LaunchFile, every_key_is_read) {
  const Launch launch = read_launch_file("tests/data/launch/scale.json");
  EXPECT_EQ(launch.entry, "scale");
  EXPECT_EQ(launch.kernel_name, "scale");
  EXPECT_EQ(launch.target, "sm_90a");
  EXPECT_EQ(launch.source_path, "tests/data/launch/scale.json");
  EXPECT_EQ(launch.grid, (Dim3{2, 1, 1}));
  EXPECT_EQ(launch.block, (Dim3{32, 1, 1}));
  EXPECT_EQ(launch.dynamic_shared_bytes, 16u);
  EXPECT_EQ(launch.blocks.count, 64u);
  EXPECT_EQ(launch.blocks.seed, 1u);

  ASSERT_EQ(launch.tensors.size(), 3u);
  const LaunchTensor& x = launch.tensors[size_t(launch.tensor_named("x"))];
  EXPECT_EQ(x.dtype, Dtype::BF16);
  EXPECT_EQ(x.shape, (Shape{2, 3}));
  EXPECT_EQ(x.strides, (Strides{8, 1}));
  EXPECT_EQ(x.bytes(), 22u);
  EXPECT_EQ(x.alignment, 16u);
  EXPECT_FALSE(x.output);
  const Given& given = std::get<Given>(x.init);
  EXPECT_EQ(given.path, "x.npy");
  EXPECT_EQ(given.array->dtype, Dtype::BF16);  // the f32 values, rounded to nearest even
  EXPECT_EQ(given.array->at(5), 1.0078125);

  const LaunchTensor& out = launch.tensors[size_t(launch.tensor_named("out"))];
  EXPECT_TRUE(out.output && out.finite);
  EXPECT_EQ(out.alignment, 256u);
  EXPECT_EQ(out.strides, (Strides{3, 1}));
  EXPECT_TRUE(std::holds_alternative<Uninitialized>(out.init));

  const LaunchTensor& table = launch.tensors[size_t(launch.tensor_named("table"))];
  ASSERT_EQ(table.regions.size(), 2u);
  EXPECT_EQ(table.regions[1].name, "sin");
  EXPECT_EQ(table.regions[1].last_row, 2);
  EXPECT_EQ(table.regions[1].first_column, 2);
  EXPECT_EQ(table.regions[1].last_column, 4);

  ASSERT_EQ(launch.arguments.size(), 4u);
  EXPECT_EQ(std::get<TensorArgument>(launch.arguments[0]).offset_elements, 8);
  EXPECT_EQ(std::get<TensorArgument>(launch.arguments[0]).region, -1);
  EXPECT_EQ(std::get<TensorArgument>(launch.arguments[1]).region, 1);
  EXPECT_EQ(std::get<ScalarArgument>(launch.arguments[2]).bits, 128u);
  EXPECT_EQ(std::get<ScalarArgument>(launch.arguments[3]).bits, 0x3e000000u);

  ASSERT_EQ(launch.expectations.size(), 1u);
  EXPECT_EQ(launch.expectations[0].atol, 1e-2);
  EXPECT_EQ(launch.expectations[0].rtol, 1e-3);
  EXPECT_EQ(launch.expectations[0].values->at(5), 5);  // u16: the bits
  EXPECT_EQ(launch.tensor_named("none"), -1);
}

TEST(LaunchFile, a_tensor_of_a_billion_elements_costs_nothing) {
  const Launch launch = launch_of(LaunchText{.tensors = R"({"x": {"dtype": "f32", "shape": [1099511627776]}})",
                                             .args = R"([{"tensor": "x"}, {"null": "ptr"}, {"u32": 0}, {"f32": 0}])"}
                                      .text());
  EXPECT_EQ(launch.tensors[0].bytes(), u64(1) << 42);
}

TEST(LaunchFile, grids_of_zero_are_left_to_the_checks) {
  std::string text = LaunchText{}.text();
  text.replace(text.find("\"grid\": [1]"), 11, "\"grid\": [0, 4294967295]");
  EXPECT_EQ(launch_of(text).grid, (Dim3{0, 4294967295u, 1}));
}

TEST(LaunchFile, files_that_are_not_there) {
  EXPECT_EQ(message_of([] { read_launch_file("none.json"); }),
            "none.json: cannot be opened: No such file or directory");
  const std::string text = LaunchText{}.text();
  EXPECT_EQ(message_of([&] { read_launch(text, "somewhere/a.json", LaunchFiles::on_disk()); }),
            "somewhere/a.json: ptx: somewhere/kernels.ptx: cannot be opened: No such file or directory");
  std::string without = text;
  without.replace(text.find("kernels.ptx"), 11, "");
  EXPECT_EQ(launch_message(without), "a.json: ptx: expected the path of a PTX file, found an empty text");
}

TEST(LaunchFile, syntax_errors_have_line_and_column) {
  EXPECT_EQ(launch_message("{\n \"schema\": }"),
            "a.json:2:12: not valid JSON: syntax error while parsing value - unexpected '}'; expected '[', '{', or a "
            "literal");
  EXPECT_EQ(launch_message("{\"schema\": \"a\", \"schema\": \"b\"}"),
            "a.json:1:17: the key \"schema\" occurs twice in one object");
  EXPECT_EQ(launch_message("[]"), "a.json: expected an object, found a list");
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = LaunchText{}.text();
  text.replace(text.find(from), from.size(), to);
  return launch_message(text);
}

TEST(LaunchFile, wrong_values_name_their_location) {
  EXPECT_EQ(changed("launch/1", "launch/2"),
            "a.json: schema: expected \"ropewalk.launch/1\", found \"ropewalk.launch/2\"");
  EXPECT_EQ(changed("\"ptx\"", "\"ptz\""), "a.json: unknown key \"ptz\", did you mean \"ptx\"?");
  EXPECT_EQ(changed("\"ptx\": \"kernels.ptx\", ", ""), "a.json: the key \"ptx\" is missing");
  EXPECT_EQ(changed("\"scale\"", "\"scael\""),
            "a.json: entry: the PTX has no entry \"scael\", did you mean \"scale\"?");
  EXPECT_EQ(changed("\"grid\": [1]", "\"grid\": [-1]"),
            "a.json: grid[0]: expected a whole number from 0 to 4294967295, found -1");
  EXPECT_EQ(changed("\"grid\": [1]", "\"grid\": [1e10]"),
            "a.json: grid[0]: expected a whole number from 0 to 4294967295, found 10000000000.0");
  EXPECT_EQ(changed("\"block\": [1]", "\"block\": [1, 1, 1, 1]"),
            "a.json: block: expected one to three numbers, found 4");
  EXPECT_EQ(changed("\"block\": [1]", "\"block\": 32"), "a.json: block: expected a list, found 32");
  EXPECT_EQ(more_message("\"dynamic_shared_bytes\": 1.5"),
            "a.json: dynamic_shared_bytes: expected a whole number from 0 to 4294967295, found 1.5");
  EXPECT_EQ(more_message("\"blocks\": {\"sample\": 0}"),
            "a.json: blocks.sample: expected a whole number from 1 to 16777216, found 0");
  EXPECT_EQ(more_message("\"blocks\": {\"samples\": 1}"),
            "a.json: blocks: unknown key \"samples\", did you mean \"sample\"?");
  EXPECT_EQ(more_message("\"blocks\": {\"seed\": 1}"), "a.json: blocks: the key \"sample\" is missing");
  for (const char* target : {"sm_", "sm_8x", "80", "sm_80aa"}) {
    EXPECT_EQ(more_message(std::string("\"target\": \"") + target + "\""),
              std::string("a.json: target: expected an architecture such as \"sm_80\", found \"") + target + "\"");
  }
  EXPECT_EQ(more_message("\"target\": \"sm_100f\""), "(no InputError was thrown)");
  EXPECT_EQ(more_message("\"target\": \"sm_70\""),
            "a.json: target: sm_70 does not run the PTX of this launch, which is for sm_80 and newer");
}

TEST(LaunchFile, where_it_runs) {
  const auto location = [](const std::string& more) {
    return launch_of(LaunchText{.more = ", " + more}.text()).location;
  };
  EXPECT_FALSE(location("\"dynamic_shared_bytes\": 0").is_given());
  EXPECT_EQ(location("\"device\": 1"), (LaunchLocation{.device = 1}));
  EXPECT_EQ(location("\"device\": 1, \"current_device\": 0"), (LaunchLocation{.device = 1, .current_device = 0}));
  EXPECT_EQ(location("\"stream\": \"own\""), LaunchLocation());
  EXPECT_EQ(location("\"stream\": \"default\""), (LaunchLocation{.stream = LaunchLocation::Stream::Default}));
  EXPECT_EQ(location("\"stream\": \"per-thread\""), (LaunchLocation{.stream = LaunchLocation::Stream::PerThread}));
  EXPECT_EQ(location("\"device\": 0, \"stream\": {\"device\": 1}"), (LaunchLocation{.device = 0, .stream_device = 1}));
}

TEST(LaunchFile, where_it_cannot_run) {
  EXPECT_EQ(more_message("\"device\": -1"), "a.json: device: expected a whole number from 0 to 1023, found -1");
  EXPECT_EQ(more_message("\"current_device\": 0"),
            "a.json: current_device: says whose context is current, but the key \"device\" is missing");
  EXPECT_EQ(more_message("\"stream\": \"defualt\""),
            "a.json: stream: unknown stream \"defualt\", did you mean \"default\"?");
  EXPECT_EQ(more_message("\"stream\": {}"), "a.json: stream: the key \"device\" is missing");
  EXPECT_EQ(more_message("\"stream\": {\"devise\": 0}"),
            "a.json: stream: unknown key \"devise\", did you mean \"device\"?");
}

}  // namespace
}  // namespace ropewalk
