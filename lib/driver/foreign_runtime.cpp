#include "lib/driver/foreign_runtime.h"

#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "lib/base/types.h"
#include "lib/driver/public_call.h"
#include "lib/driver/symbols.h"

namespace ropewalk::driver {

namespace {

struct HostFrame {
  std::string file, name;  // the file's path, and its name alone
  u64 at = 0, base = 0;
};

HostFrame frame_at(void* address) {
  HostFrame out;
  out.at = u64(address) - 1;  // inside of the call, and not behind it
  Dl_info info{};
  if (!dladdr(reinterpret_cast<void*>(out.at), &info) || !info.dli_fname) return out;
  out.file = info.dli_fname;
  out.name = out.file.substr(out.file.rfind('/') + 1);
  out.base = u64(info.dli_fbase);
  return out;
}

std::string symbol_of(const HostFrame& frame) {
  std::string out = symbol_in_file(frame.file, frame.at - frame.base);
  Dl_info info{};
  if (out.empty() && dladdr(reinterpret_cast<void*>(frame.at), &info) && info.dli_sname) out = info.dli_sname;
  return out;
}

// It calls back (pthread_once), and is between two frames of one library.
bool is_of_c_library(const HostFrame& frame) {
  return frame.name.starts_with("libc.so") || frame.name.starts_with("libpthread");
}
bool is_loader(const HostFrame& frame) { return frame.name.starts_with("ld-linux") || frame.name.starts_with("ld.so"); }
bool is_of_torch(const HostFrame& frame) { return frame.file.find("/torch/lib/") != std::string::npos; }

// From the function that the runtime called outwards.
std::vector<HostFrame> frames_here() {
  constexpr int most_frames = 64;
  void* addresses[most_frames];
  const int count = backtrace(addresses, most_frames);
  std::vector<HostFrame> out;
  for (int n = 0; n < count; ++n) {
    HostFrame frame = frame_at(addresses[n]);
    const bool is_ours = frame.name.starts_with("libcuda.so") || frame.name.starts_with("libropewalk.so");
    if (out.empty() && (is_ours || is_of_c_library(frame))) continue;
    out.push_back(std::move(frame));
  }
  return out;
}

// A library of NVIDIA's may call others of them: the outermost one counts, which is what the program called.
std::optional<ForeignCall> call_of_nvidia_library(const std::vector<HostFrame>& frames) {
  const HostFrame* last = nullptr;
  for (const HostFrame& frame : frames) {
    if (is_nvidia_library(frame.name)) {
      last = &frame;
    } else if (!is_of_c_library(frame)) {
      if (is_loader(frame)) return std::nullopt;  // a constructor of the library
      break;
    }
  }
  if (!last) return std::nullopt;
  return ForeignCall{last->name, symbol_of(*last), true};
}

// What a launch calls first in a program with the runtime inside.
bool is_of_launch(const std::string& symbol) {
  return symbol.starts_with("__cudaGetKernel") || symbol.starts_with("__cudaPushCallConfiguration") ||
         symbol.starts_with("__cudaLaunchKernel");
}

// The runtime's function, where the file with the runtime inside has its symbols.
std::optional<ForeignCall> call_of_runtime(const std::vector<HostFrame>& frames) {
  for (const HostFrame& frame : frames) {
    if (frame.file != frames[0].file && !is_of_c_library(frame)) break;
    std::string symbol = symbol_of(frame);
    if (is_of_launch(symbol)) return ForeignCall{frame.name, "the launch of a kernel"};
    if (symbol.starts_with("cuda") && symbol.size() > 4 && symbol[4] >= 'A' && symbol[4] <= 'Z')
      return only_asks(symbol) ? std::nullopt : std::optional(ForeignCall{frame.name, std::move(symbol)});
  }
  // cuda.bindings.runtime has no symbols, and is nothing but calls that the program makes.
  if (frames[0].file.find("/cuda/bindings/") != std::string::npos)
    return ForeignCall{"cuda.bindings.runtime", "", false, true};
  // Who has kernels is there to launch them.
  if (has_kernels(frames[0].file)) return ForeignCall{frames[0].name, ""};
  return std::nullopt;
}

}  // namespace

bool is_nvidia_library(const std::string& name) {
  constexpr std::array<std::string_view, 14> stems = {
      "libcublas", "libcufft",  "libcurand",   "libcusparse", "libcusolver", "libcudnn", "libnccl",
      "libnpp",    "libnvjpeg", "libcutensor", "libnvblas",   "libnvshmem",  "libcudss", "libcuvs"};
  return name.find(".so") != std::string::npos &&
         std::ranges::any_of(stems, [&](std::string_view stem) { return name.starts_with(stem); });
}

std::optional<ForeignCall> foreign_call() {
  const std::vector<HostFrame> frames = frames_here();
  if (frames.empty()) return std::nullopt;
  if (std::optional<ForeignCall> call = call_of_nvidia_library(frames)) {
    const auto has = [&](const char* word) { return call->function.find(word) != std::string::npos; };
    return has("Version") || has("GetProperty") || has("String") || has("StatusName") ? std::nullopt : call;
  }
  if (std::ranges::any_of(frames, is_of_torch)) return std::nullopt;
  return call_of_runtime(frames);
}

}  // namespace ropewalk::driver
