#include "lib/driver/call_stack.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "lib/base/demangle.h"
#include "lib/base/types.h"
#include "lib/driver/source_lines.h"
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
  std::string source;        // empty: not known
  u64 line = 0;
};

Frame physical_frame_at(void* address) {
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

// The toolkit's headers, which have the templates of cudaMalloc, cudaLaunchKernelEx and the like.
bool is_of_toolkit(const std::string& source) {
  const std::string name = source.substr(source.rfind('/') + 1);
  return name.starts_with("cuda_runtime") || name.starts_with("cooperative_groups") ||
         source.find("/cooperative_groups/") != std::string::npos;
}

// Leaves out what was inlined from the toolkit's headers. A function that has such a line and nothing inlined is
// mostly the program's, whose compiler has noted the line alone: then only its name is known.
void leave_out_toolkit(std::vector<Frame>& frames) {
  if (frames.empty()) return;
  if (is_of_toolkit(frames.back().source)) {
    frames.back().source.clear();
    frames.back().line = 0;
  }
  std::erase_if(frames, [](const Frame& frame) { return is_of_toolkit(frame.source); });
}

// The innermost first: several where functions were inlined.
std::vector<Frame> frames_at(void* address) {
  const Frame whole = physical_frame_at(address);
  std::vector<Frame> out;
  for (const CodeLine& at : source_lines_at(whole.at)) {
    Frame& frame = out.emplace_back(whole);
    frame.source = at.file;
    frame.line = at.line;
    if (!at.function.empty()) frame.symbol = at.function;
  }
  if (out.empty()) return {whole};
  if (!whole.symbol.empty()) out.back().symbol = whole.symbol;
  leave_out_toolkit(out);
  return out;
}

// What nvcc makes of a launch, and what the runtime's header makes of its own functions: no part of the program's text.
bool is_stub(const std::string& symbol) { return symbol.find("__device_stub_") != std::string::npos; }
bool is_made_by_nvcc(const std::string& symbol) {
  if (is_stub(symbol) || symbol.find("__cudaLaunchKernel") != std::string::npos) return true;
  const std::string name = demangled(symbol);
  return name.starts_with("cuda") || name.find(" cuda") != std::string::npos ||
         name.find("cooperative_groups::") != std::string::npos;
}

// It calls back, and is none of the program's either: of a call that was its callback's last act it seems the caller.
bool is_of_c_library(const std::string& file) { return file.substr(file.rfind('/') + 1).starts_with("libc.so"); }

bool is_of_system(const std::string& file) {
  return file.starts_with("/lib/") || file.starts_with("/lib64/") || file.starts_with("/usr/lib");
}

// The interpreter, whose own frames say nothing of the program in Python.
bool is_python(const Frame& frame) { return frame.symbol.starts_with("_Py") || frame.symbol.starts_with("Py"); }

std::string line_of(const Frame& frame) {
  if (frame.file.empty()) return fmt::format("{:#x}", frame.at);
  const std::string location =
      frame.line ? fmt::format("{}:{}", frame.source, frame.line) : fmt::format("{}+{:#x}", frame.file, frame.offset);
  return frame.symbol.empty() ? location : fmt::format("{} ({})", demangled(frame.symbol), location);
}

std::vector<Frame> frames_of_program(const std::vector<void*>& addresses) {
  std::vector<Frame> out;
  bool is_kernel = false;  // the function that a program calls by <<<>>>, behind its stub
  for (void* address : addresses) {
    for (Frame& frame : frames_at(address)) {
      if (frame.symbol.starts_with("__libc_start") || is_python(frame)) return out;
      const bool is_left_out =
          out.empty() && (is_kernel || is_made_by_nvcc(frame.symbol) || is_of_c_library(frame.file));
      is_kernel = out.empty() && is_stub(frame.symbol);
      if (!is_left_out) out.push_back(std::move(frame));
      if (!out.empty() && out.back().symbol == "main") return out;
    }
  }
  return out;
}

thread_local const CallStack* instead = nullptr;

}  // namespace

CallStack::Instead::Instead(const CallStack& stack) { instead = &stack; }
CallStack::Instead::~Instead() { instead = nullptr; }

CallStack CallStack::here() {
  if (instead) return *instead;
  CallStack out;
  out.interpreted_ = InterpreterCall::frames();
  if (out.interpreted_) return out;
  void* frames[most_frames];
  const int count = backtrace(frames, most_frames);
  int first = 1;
  Dl_info info;
  while (first < count && dladdr(frames[first], &info) && is_ours(info)) ++first;
  out.frames_.assign(frames + first, frames + count);
  return out;
}

std::vector<std::string> CallStack::lines() const {
  if (interpreted_) return *interpreted_;
  std::vector<std::string> out;
  for (const Frame& frame : frames_of_program(frames_)) out.push_back(line_of(frame));
  return out;
}

std::string CallStack::function() const {
  if (interpreted_) return interpreted_->front().substr(0, interpreted_->front().find(" ("));
  for (const Frame& frame : frames_of_program(frames_)) {
    if (!frame.symbol.empty()) return demangled(frame.symbol);
  }
  return "";
}

namespace {

// Of "function (file:line)".
std::optional<FindingLocation> location_in(const std::string& line) {
  const std::size_t open = line.find(" ("), colon = line.rfind(':');
  if (open == std::string::npos || colon == std::string::npos || colon < open) return std::nullopt;
  return FindingLocation{.file = line.substr(open + 2, colon - open - 2),
                         .line = u64(std::strtoull(line.c_str() + colon + 1, nullptr, 10))};
}

}  // namespace

std::optional<FindingLocation> CallStack::location() const {
  if (interpreted_) return location_in(interpreted_->front());
  for (const Frame& frame : frames_of_program(frames_)) {
    // Headers and libraries of the system are not the program's own.
    if (frame.line == 0 || frame.source.starts_with("/usr/") || is_of_system(frame.file)) continue;
    return FindingLocation{.file = frame.source, .line = frame.line};
  }
  return std::nullopt;
}

void add_stack(std::vector<std::string>& evidence, const std::string& what, const std::vector<std::string>& lines) {
  for (std::size_t n = 0; n < lines.size(); ++n) {
    evidence.push_back((n ? "  called by " : what + " at ") + lines[n]);
  }
}

}  // namespace ropewalk::driver
