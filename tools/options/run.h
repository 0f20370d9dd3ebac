// Options of `rope-check run`: a program that uses CUDA, with the checked machine in the place of its GPU.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/driver/options.h"

namespace ropewalk::tools {

struct RunRequest {
  std::vector<std::string> command;
  driver::Options session;  // but for what the shared options say: see session_of
  std::optional<int> error_exitcode;
};

}  // namespace ropewalk::tools
