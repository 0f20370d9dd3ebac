// What a launch may not exceed on any GPU, or on its target.
#pragma once
#include <string>
#include <vector>

#include "lib/finding/finding.h"
#include "lib/launch/launch.h"
#include "lib/machine/code.h"

namespace ropewalk::machine {

struct DeviceLimits {
  u64 block_shared_bytes = 0;   // that a block can opt in to
  u64 shared_bytes = 0;         // of a multiprocessor
  u32 threads = 0, blocks = 0;  // that a multiprocessor holds
  u32 multiprocessors = 0;      // of the largest usual device
};
// Of a target such as sm_80; of that one where there is no such name in it.
DeviceLimits device_limits(const std::string& target);

// A limit that a launch breaks, in words, and its cause or null.
struct BrokenLimit {
  std::string text;
  const char* cause = nullptr;
};
// Those of grid and block, on every device and of the entry itself.
std::vector<BrokenLimit> broken_by_shape(const Dim3& grid, const Dim3& block, const ptx::Function& entry);

// One finding of rule launch-limit for each limit that the launch breaks: block threads 1024 and block.z 64, grid x
// 2^31-1, y and z 65,535, the shared memory of the architecture, .reqntid and .maxntid of the entry; a grid or block of
// zero (CUDA C++ Programming Guide, technical specifications per compute capability).
std::vector<Finding> check_limits(const Launch& launch, const Code& code);

}  // namespace ropewalk::machine
