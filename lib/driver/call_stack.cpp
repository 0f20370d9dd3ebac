#include "lib/driver/call_stack.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>

#include <cstring>

#include "lib/base/demangle.h"
#include "lib/base/types.h"
#include "lib/driver/symbols.h"

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

struct Frame {
  std::string file, symbol;  // empty: not known
  u64 at = 0, offset = 0;    // offset: in the file's image
};

Frame frame_at(void* address) {
  Frame out;
  out.at = u64(address) - 1;  // inside of the call, and not behind it
  Dl_info info{};
  if (!dladdr(reinterpret_cast<void*>(out.at), &info) || !info.dli_fname) return out;
  out.file = info.dli_fname;
  out.offset = out.at - u64(info.dli_fbase);
  out.symbol = symbol_in_file(out.file, out.offset);
  if (out.symbol.empty() && info.dli_sname) out.symbol = info.dli_sname;
  return out;
}

std::string line_of(const Frame& frame) {
  if (frame.file.empty()) return fmt::format("{:#x}", frame.at);
  const std::string place = fmt::format("{}+{:#x}", frame.file, frame.offset);
  return frame.symbol.empty() ? place : fmt::format("{} ({})", demangled(frame.symbol), place);
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
  for (void* address : frames_) {
    const Frame frame = frame_at(address);
    out.push_back(line_of(frame));
    if (frame.symbol == "main") break;
  }
  return out;
}

std::string CallStack::function() const {
  // Wrappers of templates that the runtime's header has are no function of the program.
  for (void* address : frames_) {
    const Frame frame = frame_at(address);
    const std::string name = frame.symbol.starts_with("__libc_start") ? "" : demangled(frame.symbol);
    if (!name.empty() && name.find(" cuda") == std::string::npos && !name.starts_with("cuda")) return name;
  }
  return "";
}

}  // namespace ropewalk::driver
