// Kernels with the signature (int* out, int number), run on the machine.
#pragma once
#include <cstring>
#include <string>
#include <vector>

#include "lib/launch/launch_files.h"
#include "lib/machine/machine.h"

namespace ropewalk {

inline std::string data_path(const std::string& name) {
  return std::string(ROPEWALK_SOURCE_DIR) + "/tests/data/machine/kernels/" + name;
}

// `blocks` blocks of `threads` threads; out has an element for each.
inline Launch integer_launch(const std::string& ptx, const std::string& entry, i32 number, u32 blocks = 2,
                             u32 threads = 96) {
  Launch launch;
  launch.module = LaunchFiles::on_disk().module(data_path(ptx));
  launch.entry = entry;
  launch.grid = {blocks, 1, 1};
  launch.block = {threads, 1, 1};
  LaunchTensor out{.name = "out", .dtype = Dtype::I32, .shape = {i64(blocks) * threads}, .strides = {1}};
  out.init = Uninitialized{};
  out.output = true;
  launch.tensors.push_back(out);
  launch.arguments = {TensorArgument{0}, ScalarArgument{Dtype::I32, u32(number)}};
  return launch;
}

// What tensor `n` holds after the launch.
inline std::vector<i32> integers_of(const Launch& launch, const Outcome& outcome, u32 n = 0) {
  std::vector<i32> out(launch.tensors[n].bytes() / sizeof(i32));
  std::memcpy(out.data(), outcome.tensors.at(n).bytes, out.size() * sizeof(i32));
  return out;
}

}  // namespace ropewalk
