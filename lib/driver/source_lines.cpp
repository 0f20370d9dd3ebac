#include "lib/driver/source_lines.h"

#ifdef ROPEWALK_HAS_BACKTRACE
#include <backtrace.h>
#include <link.h>

#include <mutex>

namespace ropewalk::driver {

namespace {

void ignore(void*, const char*, int) {}

// How many files were loaded until now.
u64 loaded_files() {
  u64 count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        *static_cast<u64*>(out) = info->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

// A state knows the files that were there when it was first asked, and is never given back.
backtrace_state* state_of_now() {
  static backtrace_state* state = nullptr;
  static u64 known = 0;
  const u64 now = loaded_files();
  if (!state || now != known) state = backtrace_create_state(nullptr, 1, ignore, nullptr);
  known = now;
  return state;
}

}  // namespace

std::vector<CodeLine> source_lines_at(u64 address) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::vector<CodeLine> out;
  backtrace_state* const state = state_of_now();
  const auto add = [](void* lines, uintptr_t, const char* file, int line, const char* function) {
    if (file && line > 0)
      static_cast<std::vector<CodeLine>*>(lines)->push_back({function ? function : "", file, u64(line)});
    return 0;
  };
  if (state) backtrace_pcinfo(state, address, add, ignore, &out);
  return out;
}

}  // namespace ropewalk::driver
#else
namespace ropewalk::driver {

std::vector<CodeLine> source_lines_at(u64) { return {}; }

}  // namespace ropewalk::driver
#endif
