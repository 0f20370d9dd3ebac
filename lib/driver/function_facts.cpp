#include "lib/driver/function_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/driver/module.h"
#include "lib/machine/limits.h"
#include "lib/ptx/header.h"

namespace ropewalk::driver {

u32 most_threads(const Kernel& kernel) {
  bool required = false;
  const u32 threads = kernel.entry.block_threads(&required);
  return threads ? threads : 1024;
}

Result function_attribute_of(Session& session, const Kernel& kernel, int attribute, int* value) {
  namespace names = function_attribute;
  const int binary = session.device().major * 10 + session.device().minor;
  switch (attribute) {
    case names::most_threads:
      *value = int(most_threads(kernel));
      break;
    case names::shared_bytes:
      *value = int(kernel.static_shared_bytes);
      break;
    case names::constant_bytes:
      *value = int(kernel.constant_bytes);
      break;
    case names::local_bytes:
      *value = int(kernel.local_bytes);
      break;
    case names::registers:
      *value = 32;  // PTX has as many as it likes; none is ever spilled
      break;
    case names::ptx_version:
      *value = int(ptx::capability_of(kernel.module.ptx()->target));
      break;
    case names::binary_version:
      *value = binary;
      break;
    case names::most_dynamic_shared:
      *value = int(kernel.max_dynamic_shared_bytes);
      break;
    case names::shared_carveout:
      *value = -1;
      break;
    default:
      if (attribute < 0 || attribute > names::last) return Result::InvalidValue;
      *value = 0;
  }
  return Result::Success;
}

Result set_function_attribute(Session& session, Kernel& kernel, int attribute, int value) {
  // What comes before is read alone.
  if (attribute < function_attribute::most_dynamic_shared || attribute > function_attribute::last)
    return Result::InvalidValue;
  if (attribute == function_attribute::shared_carveout && (value < -1 || value > 100)) return Result::InvalidValue;
  if (attribute != function_attribute::most_dynamic_shared) return Result::Success;
  if (value < 0 || u64(value) + kernel.static_shared_bytes > session.device().block_shared_bytes) {
    return Result::InvalidValue;
  }
  kernel.max_dynamic_shared_bytes = u32(value);
  return Result::Success;
}

u32 resident_blocks(Session& session, const Kernel& kernel, u32 threads, u64 dynamic_shared_bytes) {
  const DeviceInfo& device = session.device();
  if (!threads || threads > 1024) return 0;
  const u32 warps = (threads + 31) / 32;
  u64 blocks = std::min<u64>(device.multiprocessor_blocks, device.multiprocessor_threads / (warps * 32));
  // Each block takes a kilobyte for the system, since compute capability 8.0.
  const u64 shared = kernel.static_shared_bytes + dynamic_shared_bytes + (device.major >= 8 ? 1024 : 0);
  if (kernel.static_shared_bytes + dynamic_shared_bytes > device.block_shared_bytes) return 0;
  if (shared) blocks = std::min(blocks, device.multiprocessor_shared_bytes / shared);
  return u32(blocks);
}

std::string limit_broken_by(const Kernel& kernel, const Dim3& grid, const Dim3& block) {
  const auto broken = machine::broken_by_shape(grid, block, kernel.entry);
  return broken.empty() ? "" : broken.front().text;
}

std::string residency_broken_by(Session& session, const Kernel& kernel, const Dim3& grid, const Dim3& block,
                                u64 dynamic_shared_bytes) {
  const u64 each = resident_blocks(session, kernel, u32(block.count()), dynamic_shared_bytes);
  const u64 multiprocessors = session.device().multiprocessors;
  if (!each || grid.count() <= each * multiprocessors) return "";
  return fmt::format(
      "a cooperative launch of {} blocks, the device holds {} at once ({} on each of {} multiprocessors): blocks that "
      "wait for each other must all be there",
      grid.count(), each * multiprocessors, each, multiprocessors);
}

}  // namespace ropewalk::driver
