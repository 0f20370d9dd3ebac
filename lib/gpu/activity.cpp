#include "lib/gpu/activity.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "lib/gpu/activity_layout.h"
#include "lib/gpu/cupti_library.h"

namespace ropewalk::gpu {

namespace {

using cupti::KernelRecord;

constexpr std::size_t buffer_bytes = 1 << 20;
constexpr u32 oldest_version = 9;  // CUDA 8: the first whose records are known to begin as KernelRecord does

cupti::ActivityFunctions functions;
std::vector<DeviceRun> runs;

void give_buffer(u8** buffer, std::size_t* bytes, std::size_t* most_records) {
  *buffer = static_cast<u8*>(std::aligned_alloc(8, buffer_bytes));
  *bytes = *buffer ? buffer_bytes : 0;
  *most_records = 0;
}

DeviceRun run_of(const KernelRecord& record) {
  DeviceRun run;
  run.kernel = record.name ? record.name : "";
  run.grid = {record.grid[0], record.grid[1], record.grid[2]};
  run.block = {record.block[0], record.block[1], record.block[2]};
  run.registers = record.registers;
  run.static_shared_bytes = record.static_shared_bytes;
  run.dynamic_shared_bytes = record.dynamic_shared_bytes;
  run.local_bytes = record.local_bytes;
  run.device = record.device;
  run.stream = record.stream;
  run.start_ns = record.start;
  run.end_ns = record.end;
  return run;
}

void take_buffer(ContextHandle, u32, u8* buffer, std::size_t, std::size_t valid) {
  void* at = nullptr;
  while (functions.next_record(buffer, valid, &at) == cupti::success) {
    KernelRecord record;
    std::memcpy(&record.kind, at, sizeof record.kind);
    if (record.kind != u32(cupti::concurrent_kernel_activity)) continue;
    std::memcpy(&record, at, sizeof record);
    runs.push_back(run_of(record));
  }
  std::free(buffer);
}

std::string start() {
  if (const std::string problem = cupti::open(functions); !problem.empty()) return problem;
  u32 version = 0;
  if (const cupti::Result result = functions.version(&version))
    return cupti::refusal(functions, "cuptiGetVersion", result);
  if (version < oldest_version) return fmt::format("this CUPTI (version {}) is older than CUDA 8", version);
  if (const cupti::Result result = functions.register_buffers(give_buffer, take_buffer)) {
    return cupti::refusal(functions, "cuptiActivityRegisterCallbacks", result);
  }
  const cupti::Result result = functions.enable(cupti::concurrent_kernel_activity);
  return result ? cupti::refusal(functions, "cuptiActivityEnable", result) : "";
}

bool fits(const DeviceRun& run, const DeviceRequest& request) {
  return run.kernel == request.entry && run.grid == request.grid && run.block == request.block &&
         run.dynamic_shared_bytes == request.dynamic_shared_bytes && run.start_ns <= run.end_ns;
}

}  // namespace

bool wants_activity() {
  const char* given = std::getenv("ROPEWALK_CUDA_ACTIVITY");
  return given && std::string_view(given) == "1";
}

ActivityLog::ActivityLog() : problem_(start()) { runs.clear(); }

std::optional<DeviceRun> ActivityLog::take(const DeviceRequest& request, std::string& why_not) {
  why_not = problem_;
  if (!problem_.empty()) return std::nullopt;
  if (const cupti::Result result = functions.flush(cupti::flush_forced)) {
    why_not = cupti::refusal(functions, "cuptiActivityFlushAll", result);
    return std::nullopt;
  }
  for (const DeviceRun& run : runs) {
    if (fits(run, request)) return run;
  }
  why_not = runs.empty() ? "CUPTI gave no record of the kernel"
                         : fmt::format("CUPTI's record (kernel {}, grid {} {} {}) does not fit the launch",
                                       runs[0].kernel, runs[0].grid.x, runs[0].grid.y, runs[0].grid.z);
  return std::nullopt;
}

}  // namespace ropewalk::gpu
