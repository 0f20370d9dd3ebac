// What a program's file says of how it comes to the virtual GPU.
#pragma once
#include <string>

namespace ropewalk::tools {

// Why it did not: that it has the static CUDA runtime, which does not take another driver than
// NVIDIA's. Empty: nothing that is known. `program` is the word of a command, sought in PATH where it has no slash.
std::string why_no_virtual_gpu(const std::string& program);

// Whether it is built with -fsanitize=thread, and loads that library.
bool needs_thread_sanitizer(const std::string& program);

}  // namespace ropewalk::tools
