#include "lib/driver/call_stack.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>

#include <cstring>

#include "lib/base/demangle.h"
#include "lib/base/types.h"

namespace ropewalk::driver {

namespace {

constexpr int most_frames = 32;

// "libcuda.so.1", "libcudart.so.13" and "libropewalk.so" are what programs call, and no part of them.
bool is_ours(const Dl_info& info) {
  if (!info.dli_fname) return false;
  const char* slash = std::strrchr(info.dli_fname, '/');
  const char* name = slash ? slash + 1 : info.dli_fname;
  return !std::strncmp(name, "libcuda.so", 10) || !std::strncmp(name, "libcudart.so", 12) ||
         !std::strncmp(name, "libropewalk.so", 14);
}

std::string line_of(void* frame) {
  const u64 at = u64(frame) - 1;  // inside of the call, and not behind it
  Dl_info info{};
  if (!dladdr(reinterpret_cast<void*>(at), &info) || !info.dli_fname) return fmt::format("{:#x}", at);
  const std::string place = fmt::format("{}+{:#x}", info.dli_fname, at - u64(info.dli_fbase));
  if (!info.dli_sname) return place;
  return fmt::format("{}+{:#x} ({})", demangled(info.dli_sname), at - u64(info.dli_saddr), place);
}

}  // namespace

CallStack CallStack::here() {
  CallStack out;
  void* frames[most_frames];
  const int count = backtrace(frames, most_frames);
  int first = 1;
  Dl_info info;
  while (first < count && dladdr(frames[first], &info) && is_ours(info)) ++first;
  out.frames_.assign(frames + first, frames + count);
  return out;
}

std::vector<std::string> CallStack::lines() const {
  std::vector<std::string> out;
  for (void* frame : frames_) out.push_back(line_of(frame));
  return out;
}

}  // namespace ropewalk::driver
