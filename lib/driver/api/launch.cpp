// Launches.
#include "lib/driver/launch.h"

#include <cstring>

#include "lib/driver/api/api.h"

namespace ropewalk::driver {

namespace {

// Of cuLaunchKernel's `extra`.
constexpr u64 extra_end = 0, extra_buffer = 1, extra_bytes = 2;

// The parameter block out of `extra`; what is missing of it is zero.
std::vector<std::byte> parameters_of(const Kernel& kernel, void** extra) {
  std::vector<std::byte> out(kernel.parameter_bytes);
  const void* buffer = nullptr;
  std::size_t bytes = 0;
  for (; extra && u64(*extra) != extra_end; extra += 2) {
    if (u64(*extra) == extra_buffer) buffer = extra[1];
    if (u64(*extra) == extra_bytes) bytes = *static_cast<std::size_t*>(extra[1]);
  }
  if (buffer) std::memcpy(out.data(), buffer, std::min(bytes, out.size()));
  return out;
}

}  // namespace

RW_CUDA cuLaunchKernel(Kernel* kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                       unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream*, void** values,
                       void** extra) {
  RW_CALL(call);
  if (!kernel) return answer(Result::InvalidHandle);
  LaunchRequest request{.kernel = kernel,
                        .grid = {grid_x, grid_y, grid_z},
                        .block = {block_x, block_y, block_z},
                        .shared_bytes = shared_bytes,
                        .device = call.device()};
  request.parameters = values ? pack_parameters(*kernel, values) : parameters_of(*kernel, extra);
  return answer(launch_in(*call, *call.context(), request));
}

}  // namespace ropewalk::driver
