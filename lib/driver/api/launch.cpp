// Launches.
#include <fmt/format.h>

#include <cstring>

#include "lib/driver/api/launch_request.h"
#include "lib/driver/call_stack.h"

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

// More dynamic shared memory than the kernel was allowed to have: the launch is refused, and programs that do not ask
// for errors go on without it.
Finding too_much_shared_memory(const LaunchShape& shape) {
  const Kernel& kernel = *shape.kernel;
  Finding finding;
  finding.rule = Rule::LaunchLimit;
  finding.message = fmt::format(
      "{} bytes of dynamic shared memory where the kernel may have {}: more is allowed by cudaFuncSetAttribute with "
      "cudaFuncAttributeMaxDynamicSharedMemorySize; launched in {}",
      shape.shared_bytes, kernel.max_dynamic_shared_bytes, CallStack::here().function());
  finding.kernel_name = kernel.shown_name;
  finding.kernel_entry = kernel.entry.name;
  finding.occurrences = {1, 0, 0, 1};
  return finding;
}

}  // namespace

Result make_request(Session& session, Context& context, const LaunchShape& shape, void** values, void** extra,
                    LaunchRequest* request) {
  Kernel* const kernel = shape.kernel;
  if (!session.kernels.contains(kernel)) return Result::InvalidHandle;
  if (!values && !extra && kernel->parameter_bytes) return Result::InvalidValue;
  if (shape.shared_bytes > kernel->max_dynamic_shared_bytes) {
    session.report(too_much_shared_memory(shape));
    return Result::InvalidValue;
  }
  request->kernel = kernel;
  request->grid = shape.grid;
  request->block = shape.block;
  request->shared_bytes = shape.shared_bytes;
  request->device = context.device;
  request->peers = &context.peers;
  request->parameters = values ? pack_parameters(*kernel, values) : parameters_of(*kernel, extra);
  return Result::Success;
}

Work launch_work(Session& session, Context& context, LaunchRequest request) {
  return [&session, &context, request = std::move(request)] {
    // Its module may be unloaded before a graph runs.
    if (!session.kernels.contains(request.kernel)) return Result::InvalidHandle;
    return launch_in(session, context, request);
  };
}

namespace {

int launch_shape(const LaunchShape& shape, Stream* stream, void** values, void** extra) {
  RW_CALL(call);
  LaunchRequest request;
  const Result result = make_request(*call, *call.context(), shape, values, extra, &request);
  if (result != Result::Success) return answer(result);
  return answer(submit(*call, stream, NodeKind::Kernel, launch_work(*call, *call.context(), std::move(request))));
}

// CUlaunchAttribute and CUlaunchConfig
struct LaunchAttribute {
  static constexpr int cooperative = 2, cluster = 4;
  int id;
  char pad[4];
  union {
    char bytes[64];
    int number;
    unsigned dimensions[3];
  };
};
struct LaunchConfig {
  unsigned grid[3], block[3], shared_bytes;
  Stream* stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56);

}  // namespace

RW_CUDA cuLaunchKernel(Kernel* kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                       unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream* stream, void** values,
                       void** extra) {
  return launch_shape({kernel, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}, stream, values,
                      extra);
}

RW_CUDA cuLaunchCooperativeKernel(Kernel* kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                  unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream* stream,
                                  void** values) {
  return cuLaunchKernel(kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, values,
                        nullptr);
}

RW_CUDA cuLaunchKernelEx(const LaunchConfig* config, Kernel* kernel, void** values, void** extra) {
  if (!config) return invalid_value;
  for (unsigned n = 0; n < config->attribute_count; ++n) {
    const LaunchAttribute& attribute = config->attributes[n];
    const unsigned* const cluster = attribute.dimensions;
    if (attribute.id != LaunchAttribute::cluster || cluster[0] * cluster[1] * cluster[2] <= 1) continue;
    Held()->unsupported("cuLaunchKernelEx with clusters");
    return answer(Result::NotSupported);
  }
  const auto& [grid, block] = std::tie(config->grid, config->block);
  return launch_shape({kernel, {grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, config->shared_bytes},
                      config->stream, values, extra);
}

}  // namespace ropewalk::driver
