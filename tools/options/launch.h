// Options of `rope-check launch`: any PTX, by launch files.
#pragma once
#include <string>
#include <vector>

namespace ropewalk::tools {

struct LaunchOptions {
  std::vector<std::string> files;
  std::string save_outputs;  // folder for the output tensors as .npy; empty: not saved
};

}  // namespace ropewalk::tools
