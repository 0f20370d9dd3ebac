// Why a program did not come to the virtual GPU.
#pragma once
#include <string>

namespace ropewalk::tools {

// What the program's file says of it: that it has the static CUDA runtime, which does not take another driver than
// NVIDIA's. Empty: nothing that is known. `program` is the word of a command, sought in PATH where it has no slash.
std::string why_no_virtual_gpu(const std::string& program);

}  // namespace ropewalk::tools
