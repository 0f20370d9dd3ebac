// Launch files as text, read against the entries of tests/data/launch/kernels.ptx, for tests.
#pragma once
#include <map>
#include <string>

#include "lib/base/error.h"
#include "lib/launch/launch_file.h"
#include "lib/ptx/read.h"
#include "tests/lib/message.h"

namespace ropewalk {

// What the text of a launch file may vary.
struct LaunchText {
  std::string tensors = R"({"x": {"dtype": "f32", "shape": [2, 3]}, "out": {"dtype": "f32", "shape": [2, 3]}})";
  std::string args = R"([{"tensor": "x"}, {"tensor": "out"}, {"i32": 1}, {"f32": 1}])";
  std::string entry = "scale";
  std::string more;  // further keys: ", \"blocks\": ..."

  std::string text() const {
    return R"({"schema": "ropewalk.launch/1", "ptx": "kernels.ptx", "grid": [1], "block": [1], "entry": ")" + entry +
           "\", \"tensors\": " + tensors + ", \"args\": " + args + more + "}";
  }
};

// The arrays that the text may name, by path.
using Arrays = std::map<std::string, Array>;

inline Launch launch_of(const std::string& text, const Arrays& arrays = {}) {
  LaunchFiles files;
  files.module = [](const std::string&) {
    return std::make_shared<const ptx::Module>(ptx::read_file("tests/data/launch/kernels.ptx"));
  };
  files.array = [&](const ArrayRequest& request) {
    const auto found = arrays.find(request.path + (request.name.empty() ? "" : ":" + request.name));
    if (found == arrays.end()) throw InputError(InputLocation{request.path}, "no such array");
    return std::make_shared<const Array>(found->second);
  };
  return read_launch(text, "a.json", files);
}

inline std::string launch_message(const std::string& text, const Arrays& arrays = {}) {
  return message_of([&] { launch_of(text, arrays); });
}

// What is reported of a launch with these tensors, with these arguments, with these further keys.
inline std::string tensors_message(const std::string& tensors, const Arrays& arrays = {}) {
  return launch_message(LaunchText{.tensors = tensors, .args = "[]"}.text(), arrays);
}
inline std::string args_message(const std::string& args, const std::string& entry = "scale") {
  return launch_message(LaunchText{.args = args, .entry = entry}.text());
}
inline std::string more_message(const std::string& more) {
  return launch_message(LaunchText{.more = ", " + more}.text());
}

}  // namespace ropewalk
