// Launches.
#include <fmt/format.h>

#include <cstring>

#include "lib/driver/api/launch_request.h"
#include "lib/driver/call_stack.h"
#include "lib/driver/function_facts.h"
#include "lib/driver/launch_findings.h"

namespace ropewalk::driver {

namespace {

// Of cuLaunchKernel's `extra`.
constexpr u64 extra_end = 0, extra_buffer = 1, extra_bytes = 2;

// What a launch does wrong is a finding, for programs that do not ask for errors go on.
void report(Session& session, const Kernel& kernel, Rule rule, const std::string& what) {
  const CallStack here = CallStack::here();
  const std::string caller = here.function();
  Finding finding = finding_about(kernel, rule, what + (caller.empty() ? "" : "; launched in " + caller));
  finding.location = here.location();
  session.report(std::move(finding));
}

// The same of a launch that is refused. Nothing of it runs, and it counts as one.
Result refused(Session& session, const LaunchShape& shape, Rule rule, const std::string& why, Result result) {
  report(session, *shape.kernel, rule, why);
  const Statistics nothing;
  if (!shape.is_noted) session.record().launch(shape.kernel->shown_name, &nothing, true);
  return result;
}

// The parameter block out of `extra`. False: there is none. A short one is taken, as by NVIDIA's driver.
bool parameters_of(Session& session, const Kernel& kernel, void** extra, std::vector<std::byte>& out) {
  out.resize(kernel.parameter_bytes);
  const void* buffer = nullptr;
  std::size_t bytes = 0;
  for (; extra && u64(*extra) != extra_end; extra += 2) {
    if (u64(*extra) == extra_buffer) buffer = extra[1];
    if (u64(*extra) == extra_bytes) bytes = *static_cast<std::size_t*>(extra[1]);
  }
  if (buffer) std::memcpy(out.data(), buffer, std::min(bytes, out.size()));
  const auto& all = kernel.parameters;
  if (all.empty() || !buffer) return all.empty();
  const u64 needed = all.back().offset + all.back().bytes;
  if (bytes < needed) {
    report(
        session, kernel, Rule::UninitializedRead,
        fmt::format("the buffer of arguments has {} bytes and those of the kernel take {}: what is behind has no value",
                    bytes, needed));
  }
  return true;
}

// What a launch cannot have, beside what check_limits knows where it is run.
Result check_shape(Session& session, const LaunchShape& shape) {
  const Kernel& kernel = *shape.kernel;
  if (shape.shared_bytes > kernel.max_dynamic_shared_bytes) {
    const std::string& target = session.options().target;
    const u64 most = session.device().block_shared_bytes;
    const std::string way_out =
        shape.shared_bytes + kernel.static_shared_bytes > most
            ? fmt::format("a block of {} has {} at most", target, most)
            : "more is allowed by cudaFuncSetAttribute with cudaFuncAttributeMaxDynamicSharedMemorySize";
    return refused(
        session, shape, Rule::LaunchLimit,
        fmt::format("{} bytes of dynamic shared memory beside {} static where the kernel may have {}: {}",
                    shape.shared_bytes, kernel.static_shared_bytes, kernel.max_dynamic_shared_bytes, way_out),
        Result::InvalidValue);
  }
  if (shape.is_noted) {
    const std::string broken = limit_broken_by(kernel, shape.grid, shape.block);
    if (!broken.empty()) return refused(session, shape, Rule::LaunchLimit, broken, Result::InvalidValue);
  }
  if (!shape.is_cooperative()) return Result::Success;
  const std::string broken = residency_broken_by(session, kernel, shape.grid, shape.block, shape.shared_bytes);
  if (broken.empty()) return Result::Success;
  return refused(session, shape, Rule::LaunchLimit, broken, Result::CooperativeLaunchTooLarge);
}

}  // namespace

bool is_set(const LaunchAttributes& attributes, LaunchAttributeId id) {
  const auto at = attributes.find(id);
  return at != attributes.end() && at->second.number != 0;
}

std::string why_not_there(const LaunchAttributes& attributes) {
  const auto cluster = attributes.find(LaunchAttributeId::Cluster);
  if (cluster != attributes.end()) {
    const unsigned* const blocks = cluster->second.dimensions;
    if (blocks[0] * blocks[1] * blocks[2] > 1) return "clusters";
  }
  const auto has_event = [&](LaunchAttributeId id) {
    const auto event = attributes.find(id);
    return event != attributes.end() && event->second.event;
  };
  if (has_event(LaunchAttributeId::ProgrammaticEvent)) return "a programmatic event (programmaticEvent)";
  if (has_event(LaunchAttributeId::LaunchCompletionEvent)) return "a launch completion event (launchCompletionEvent)";
  return is_set(attributes, LaunchAttributeId::DeviceUpdatableNode) ? "a node that kernels may change" : "";
}

Result make_request(Session& session, Context& context, const LaunchShape& shape, void** values, void** extra,
                    LaunchRequest* request) {
  Kernel* const kernel = shape.kernel;
  if (!session.kernels.contains(kernel)) return Result::InvalidHandle;
  if (values && extra) return Result::InvalidValue;
  if (!values && !extra && kernel->parameter_bytes) return Result::InvalidValue;
  if (const Result result = check_shape(session, shape); result != Result::Success) return result;
  request->kernel = kernel;
  request->grid = shape.grid;
  request->block = shape.block;
  request->shared_bytes = shape.shared_bytes;
  request->is_cooperative = shape.is_cooperative();
  request->may_overlap = is_set(shape.attributes, LaunchAttributeId::ProgrammaticStreamSerialization);
  if (kernel->may_trigger_dependents) session.add_branches();
  request->device = context.device;
  request->peers = &context.peers;
  if (values)
    request->parameters = pack_parameters(*kernel, values);
  else if (!parameters_of(session, *kernel, extra, request->parameters))
    return Result::InvalidValue;
  return Result::Success;
}

std::shared_ptr<const LaunchParameters> launch_parameters(const LaunchRequest& request, LaunchAttributes attributes) {
  const auto out = std::make_shared<LaunchParameters>();
  out->arguments = request.parameters;
  for (const Kernel::Parameter& one : request.kernel->parameters) {
    out->values.push_back(out->arguments.data() + one.offset);
  }
  const Dim3 &grid = request.grid, &block = request.block;
  out->node = {.function = request.kernel,
               .grid = {unsigned(grid.x), unsigned(grid.y), unsigned(grid.z)},
               .block = {unsigned(block.x), unsigned(block.y), unsigned(block.z)},
               .shared_bytes = unsigned(request.shared_bytes),
               .values = out->values.data()};
  out->attributes = std::move(attributes);
  return out;
}

Work launch_work(Session& session, Context& context, LaunchRequest request) {
  return [&session, &context, request = std::move(request)] {
    // Its context may be destroyed, and its module unloaded, before a graph runs.
    if (!session.contexts().has(&context)) return Result::ContextIsDestroyed;
    if (!session.kernels.contains(request.kernel)) return Result::InvalidHandle;
    return launch_in(session, context, request);
  };
}

namespace {

int launch_shape(LaunchShape shape, Stream* stream, void** values, void** extra) {
  RW_CALL(call);
  const bool is_kernel = call->kernels.contains(shape.kernel);
  if (!is_stream(*call, stream)) {
    if (!is_kernel) return answer(Result::InvalidHandle);
    return answer(refused(*call, shape, Rule::LaunchFailed,
                          "the stream has been destroyed, or never was one: the launch fails", Result::InvalidHandle));
  }
  if (!is_default(stream) && stream->context->device != call.device() && is_kernel) {
    return answer(refused(*call, shape, Rule::LaunchFailed,
                          fmt::format("the stream is one of device {}, and device {} is current: the launch fails",
                                      stream->context->device, call.device()),
                          Result::InvalidHandle));
  }
  LaunchRequest request;
  const Stream* const captured = capturing(*call, stream);
  shape.is_noted = captured != nullptr;
  if (captured && captured->capture->is_invalidated) return answer(Result::StreamCaptureInvalidated);
  const Result result = make_request(*call, *call.context(), shape, values, extra, &request);
  if (result != Result::Success) return answer(captured ? invalidate(*captured->capture, result) : result);
  std::any parameters;
  if (shape.is_noted) parameters = launch_parameters(request, shape.attributes);
  return answer(submit(*call, stream, NodeKind::Kernel, launch_work(*call, *call.context(), std::move(request)),
                       std::move(parameters)));
}

// CUlaunchAttribute and CUlaunchConfig
struct LaunchAttribute {
  LaunchAttributeId id;
  char pad[4];
  LaunchAttributeValue value;
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
  const LaunchAttributes attributes{{LaunchAttributeId::Cooperative, {.number = 1}}};
  return launch_shape({kernel, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, attributes}, stream,
                      values, nullptr);
}

RW_CUDA cuLaunchKernelEx(const LaunchConfig* config, Kernel* kernel, void** values, void** extra) {
  if (!config || !has_list(config->attributes, config->attribute_count)) return invalid_value;
  LaunchAttributes attributes;
  for (unsigned n = 0; n < config->attribute_count; ++n)
    attributes.insert_or_assign(config->attributes[n].id, config->attributes[n].value);
  if (const std::string why = why_not_there(attributes); !why.empty()) {
    Held()->unsupported("cuLaunchKernelEx with " + why);
    return answer(Result::NotSupported);
  }
  const auto& [grid, block] = std::tie(config->grid, config->block);
  return launch_shape({kernel,
                       {grid[0], grid[1], grid[2]},
                       {block[0], block[1], block[2]},
                       config->shared_bytes,
                       std::move(attributes)},
                      config->stream, values, extra);
}

}  // namespace ropewalk::driver
