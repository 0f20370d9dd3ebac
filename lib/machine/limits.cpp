#include "lib/machine/limits.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "lib/machine/checks/unit.h"
#include "lib/machine/instruction_location.h"
#include "lib/ptx/header.h"

namespace ropewalk::machine {

// Of one entry, on every target (ptxas; CUDA C++ Programming Guide, "Shared Memory" of each compute capability).
constexpr u64 most_static_shared = 48 << 10;

DeviceLimits device_limits(const std::string& target) {
  const u32 capability = ptx::capability_of(target);
  constexpr u64 kib = 1 << 10;
  switch (capability) {
    case 70:
    case 72:
      return {96 * kib, 96 * kib, 2048, 32, 80};
    case 75:
      return {64 * kib, 64 * kib, 1024, 16, 72};
    case 80:
      return {163 * kib, 164 * kib, 2048, 32, 108};
    case 87:
      return {163 * kib, 164 * kib, 1536, 16, 16};
    case 86:
      return {99 * kib, 100 * kib, 1536, 16, 84};
    case 89:
      return {99 * kib, 100 * kib, 1536, 24, 128};
    case 120:
    case 121:
      return {99 * kib, 100 * kib, 1536, 24, 170};
    default:
      break;
  }
  if (capability < 70) return {48 * kib, 96 * kib, 2048, 32, 56};
  if (capability < 90) return {163 * kib, 164 * kib, 2048, 32, 108};
  return {227 * kib, 228 * kib, 2048, 32, capability >= 100 ? 148u : 132u};
}

std::vector<BrokenLimit> broken_by_shape(const Dim3& grid, const Dim3& block, const ptx::Function& entry) {
  std::vector<BrokenLimit> out;
  const auto broken = [&](std::string text, const char* cause) { out.push_back({std::move(text), cause}); };
  const auto limit = [&](const char* what, u64 value, u64 most, const char* cause) {
    if (value == 0)
      broken(fmt::format("{} is 0: nothing would run", what), nullptr);
    else if (value > most)
      broken(fmt::format("{} is {}, the limit is {}", what, value, most), cause);
  };
  limit("grid.x", grid.x, 0x7fffffff, "grid-limit");
  limit("grid.y", grid.y, 65535, "grid-limit");
  limit("grid.z", grid.z, 65535, "grid-limit");
  limit("block.x", block.x, 1024, nullptr);
  limit("block.y", block.y, 1024, nullptr);
  limit("block.z", block.z, 64, nullptr);
  if (out.empty() && block.count() > 1024)
    broken(fmt::format("a block of {} threads, the limit is 1024", block.count()), nullptr);
  bool required = false;
  if (const u32 threads = entry.block_threads(&required)) {
    if (required && block.count() != threads) {
      broken(fmt::format("a block of {} threads, the kernel requires {} (.reqntid)", block.count(), threads), nullptr);
    } else if (block.count() > threads) {
      broken(fmt::format("a block of {} threads, the kernel allows {} (.maxntid)", block.count(), threads), nullptr);
    }
  }
  return out;
}

std::vector<Finding> check_limits(const Launch& launch, const Code& code) {
  std::vector<Finding> out;
  const auto broken = [&](const std::string& message, const char* cause) {
    Finding finding = finding_once(Rule::LaunchLimit, message, launch.kernel_name, launch.entry);
    finding.location = entry_location(code);
    if (cause) {
      finding.cause =
          Cause{cause, message, {message}, "split the launch, or map this dimension to grid.x, which reaches 2^31 - 1"};
    }
    out.push_back(std::move(finding));
  };
  for (const BrokenLimit& one : broken_by_shape(launch.grid, launch.block, code.function)) broken(one.text, one.cause);
  const std::string& target = launch.target.empty() ? code.module->target : launch.target;
  const u64 shared = code.dynamic_shared_offset - code.reserved_shared_bytes + launch.dynamic_shared_bytes;
  if (shared > device_limits(target).block_shared_bytes) {
    broken(fmt::format("{} bytes of shared memory ({} static, {} dynamic), the limit of {} is {}", shared,
                       code.static_shared_bytes, launch.dynamic_shared_bytes, target,
                       device_limits(target).block_shared_bytes),
           nullptr);
  }
  if (code.static_shared_bytes > most_static_shared) {
    broken(fmt::format("{} bytes of static shared memory, the limit is {}: ptxas refuses the kernel",
                       code.static_shared_bytes, most_static_shared),
           nullptr);
  }
  return out;
}

template <>
const CheckUnit& unit<Check::Limits>() {
  static const CheckUnit unit{
      .rules = {{Rule::LaunchLimit, "Launch that no device takes",
                 "Grid, block or shared memory of the launch exceed what the target allows, so the launch was not run.",
                 "The launch fails with an error that is easily overlooked when nobody asks for it, and the output "
                 "keeps its old contents.",
                 "Usually a dimension that grows with the batch or the length was put on grid y or z, which end at "
                 "65,535, or the tile is too large for the shared memory."}},
  };
  return unit;
}

}  // namespace ropewalk::machine
