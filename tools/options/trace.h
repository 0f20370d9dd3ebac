// Options of `rope-check trace`: a program that uses CUDA.
#pragma once
#include <string>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::tools {

struct TraceRequest {
  std::vector<std::string> command;
  std::vector<std::string> reports;  // JSON files
  u64 keep = 32;                     // launches
  bool serialize = false;            // wait after every launch
  std::string capture;               // folder for the failing launch; empty: it is not captured
  u64 at = 0;                        // the launch to capture whether it fails or not; 0: the one that fails
  u64 most_captured_bytes = u64(1) << 30;
  std::vector<std::string> ptx;  // folders with the PTX of modules that have none
};

}  // namespace ropewalk::tools
