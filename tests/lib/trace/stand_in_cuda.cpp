// The stand-in driver as a program that is traced sees a driver: cuInit loads the injected library, launches wait in
// their streams until somebody waits for them, and every call tells the stand-in for CUPTI when it begins and ends, as
// the real driver tells CUPTI. What the calls do is done by tests/lib/gpu/stand_in_driver.cpp, under other names.
#define cuInit inner_cuInit
#define cuModuleLoadDataEx inner_cuModuleLoadDataEx
#define cuModuleUnload inner_cuModuleUnload
#define cuMemAlloc_v2 inner_cuMemAlloc_v2
#define cuMemFree_v2 inner_cuMemFree_v2
#define cuMemcpyHtoD_v2 inner_cuMemcpyHtoD_v2
#define cuMemcpyDtoH_v2 inner_cuMemcpyDtoH_v2
#define cuStreamCreate inner_cuStreamCreate
#define cuStreamSynchronize inner_cuStreamSynchronize
#define cuLaunchKernel inner_cuLaunchKernel
#include "tests/lib/gpu/stand_in_driver.cpp"
#undef cuInit
#undef cuModuleLoadDataEx
#undef cuModuleUnload
#undef cuMemAlloc_v2
#undef cuMemFree_v2
#undef cuMemcpyHtoD_v2
#undef cuMemcpyDtoH_v2
#undef cuStreamCreate
#undef cuStreamSynchronize
#undef cuLaunchKernel

#include <dlfcn.h>

#include <functional>

#include "lib/gpu/cupti_api.h"
#include "lib/trace/recorder/call_parameters.h"
#include "tests/lib/trace/stand_in_cuda.h"

namespace {

namespace cupti = gpu::cupti;
using trace::Handle;

cupti::Callback subscriber = nullptr;
void* subscriber_data = nullptr;
std::set<u32> subscribed_calls;
u32 correlation = 0;

void notify(u32 id, const cupti::CallbackData& data) {
  if (subscriber && subscribed_calls.contains(id)) subscriber(subscriber_data, cupti::driver_domain, id, &data);
}

// A call between its two callbacks.
template <class Parameters, class Body>
Result traced(u32 id, const char* name, const Parameters& parameters, const char* symbol, const Body& body) {
  u64 kept = 0;
  cupti::CallbackData data{cupti::enter_site, name, &parameters, nullptr, symbol, nullptr, 1, &kept, ++correlation};
  notify(id, data);
  Result result = body();
  data.site = cupti::leave_site;
  data.result = &result;
  notify(id, data);
  return result;
}

// A launch that waits in its stream.
struct Waiting {
  Handle stream;
  std::function<Result()> run;
};
std::vector<Waiting> waiting;
std::map<Handle, std::pair<Handle, std::size_t>> events;  // stream, and how many launches stood before it in all

StreamHandle inner_stream(Handle stream) {
  static StreamHandle legacy = nullptr;
  if (stream) return reinterpret_cast<StreamHandle>(stream);
  if (!legacy) inner_cuStreamCreate(&legacy, 0);
  return legacy;
}

// Runs what waits in the stream; null: in all.
void drain(const Handle* stream) {
  std::vector<Waiting> rest, now;
  for (Waiting& one : waiting) (!stream || one.stream == *stream ? now : rest).push_back(std::move(one));
  waiting = std::move(rest);
  for (const Waiting& one : now) {
    if (contexts[current].lasting_error == success) one.run();
  }
}

const Function* function_of(Handle handle) {
  auto* function = static_cast<Function*>(handle);
  return functions.contains(function) ? function : nullptr;
}

// Where a parameter lies among the bytes of all.
struct ByteRange {
  u64 offset, bytes;
};

std::vector<ByteRange> ranges_of(const ptx::Function& entry) {
  std::vector<ByteRange> out;
  u64 end = 0;
  for (u32 n = 0; n < entry.parameter_count; ++n) {
    const ptx::Variable& parameter = entry.parameter(n);
    const u64 alignment = parameter.alignment ? parameter.alignment : ptx::size_of(parameter.type);
    end = (end + alignment - 1) / alignment * alignment;
    out.push_back({end, parameter.bytes()});
    end += parameter.bytes();
  }
  return out;
}

Result put_in_stream(const trace::LaunchConfig& config, Handle handle, void** parameters, void** extra) {
  if (contexts[current].lasting_error != success) return contexts[current].lasting_error;
  const Function* function = function_of(handle);
  if (!function) return invalid_handle;
  const u64 threads = u64(config.block[0]) * config.block[1] * config.block[2];
  if (threads == 0 || threads > 1024 || !config.grid[0] || !config.grid[1] || !config.grid[2]) return invalid_value;
  auto values = std::make_shared<std::vector<std::vector<std::byte>>>();
  const auto ranges = ranges_of(*function->module->ptx->entry(function->name));
  for (u64 n = 0; n < ranges.size(); ++n) {
    const void* from = parameters ? parameters[n] : static_cast<const std::byte*>(extra[1]) + ranges[n].offset;
    values->emplace_back(ranges[n].bytes);
    std::memcpy(values->back().data(), from, ranges[n].bytes);
  }
  waiting.push_back({config.stream, [=] {
                       std::vector<void*> pointers;
                       for (auto& value : *values) pointers.push_back(value.data());
                       return inner_cuLaunchKernel(static_cast<FunctionHandle>(handle), config.grid[0], config.grid[1],
                                                   config.grid[2], config.block[0], config.block[1], config.block[2],
                                                   config.shared_bytes, inner_stream(config.stream), pointers.data(),
                                                   nullptr);
                     }});
  if (!std::getenv("CUDA_LAUNCH_BLOCKING")) return success;
  drain(&config.stream);
  return contexts[current].lasting_error;
}

const char* symbol_of(Handle handle) {
  const Function* function = function_of(handle);
  return function ? function->name.c_str() : nullptr;
}

}  // namespace

extern "C" {

void stand_in_cupti_listens(cupti::Callback callback, void* user) {
  subscriber = callback;
  subscriber_data = user;
}
void stand_in_cupti_enables(u32 id) { subscribed_calls.insert(id); }

Result cuInit(unsigned flags) {
  static bool is_loaded = false;
  if (const char* path = std::getenv("CUDA_INJECTION64_PATH"); path && !is_loaded) {
    is_loaded = true;
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    auto* entry = library ? reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection")) : nullptr;
    if (!entry || !entry()) return 999;
  }
  return inner_cuInit(flags);
}

Result cuModuleLoadDataEx(ModuleHandle* module, const void* image, unsigned options, int* names, void** values) {
  return traced(20, "cuModuleLoadDataEx", trace::LoadCall{reinterpret_cast<Handle*>(module), image}, nullptr,
                [&] { return inner_cuModuleLoadDataEx(module, image, options, names, values); });
}

Result cuModuleUnload(ModuleHandle module) {
  return traced(22, "cuModuleUnload", trace::UnloadCall{module}, nullptr, [&] { return inner_cuModuleUnload(module); });
}

Result cuMemAlloc_v2(DevicePointer* address, std::size_t bytes) {
  return traced(243, "cuMemAlloc_v2", trace::AllocateCall{address, bytes}, nullptr,
                [&] { return inner_cuMemAlloc_v2(address, bytes); });
}

Result cuMemFree_v2(DevicePointer address) {
  return traced(245, "cuMemFree_v2", trace::ReleaseCall{address}, nullptr, [&] {
    drain(nullptr);
    return inner_cuMemFree_v2(address);
  });
}

Result cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
  return traced(276, "cuMemcpyHtoD_v2", trace::CopyCall{to, reinterpret_cast<u64>(from), bytes}, nullptr, [&] {
    drain(nullptr);
    return inner_cuMemcpyHtoD_v2(to, from, bytes);
  });
}

Result cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
  return traced(278, "cuMemcpyDtoH_v2", trace::CopyBackCall{reinterpret_cast<u64>(to), from, bytes}, nullptr, [&] {
    drain(nullptr);
    return inner_cuMemcpyDtoH_v2(to, from, bytes);
  });
}

Result cuStreamCreate(StreamHandle* stream, unsigned flags) {
  return traced(124, "cuStreamCreate", trace::CreateStreamCall{reinterpret_cast<Handle*>(stream), flags}, nullptr,
                [&] { return inner_cuStreamCreate(stream, flags); });
}

Result cuStreamSynchronize(StreamHandle stream) {
  const Handle handle = stream;
  return traced(126, "cuStreamSynchronize", trace::StreamCall{handle}, nullptr, [&] {
    drain(&handle);
    return inner_cuStreamSynchronize(inner_stream(handle));
  });
}

Result cuCtxSynchronize() {
  return traced(17, "cuCtxSynchronize", trace::ContextCall{}, nullptr, [&] {
    drain(nullptr);
    return contexts[current].lasting_error;
  });
}

// As the runtime of CUDA 13 waits.
Result cuCtxSynchronize_v2(Handle context) {
  return traced(800, "cuCtxSynchronize_v2", trace::NamedContextCall{context}, nullptr, [&] {
    drain(nullptr);
    return contexts[current].lasting_error;
  });
}

// An event's stream runs when it is recorded: what waits for it finds it done.
Result cuEventRecord(Handle event, Handle stream) {
  return traced(119, "cuEventRecord", trace::RecordEventCall{event, stream}, nullptr, [&] {
    events[event] = {stream, waiting.size()};
    return contexts[current].lasting_error;
  });
}

Result cuStreamWaitEvent(Handle stream, Handle event, unsigned) {
  return traced(295, "cuStreamWaitEvent", trace::WaitEventCall{stream, event}, nullptr, [&] {
    drain(&events[event].first);
    return success;
  });
}

Result cuEventSynchronize(Handle event) {
  return traced(121, "cuEventSynchronize", trace::EventCall{event}, nullptr, [&] {
    drain(&events[event].first);
    return contexts[current].lasting_error;
  });
}

Result cuFuncGetParamInfo(Handle function, std::size_t number, std::size_t* offset, std::size_t* bytes) {
  if (std::getenv("ROPEWALK_STAND_IN_OLD")) return not_supported;
  const Function* known = function_of(function);
  if (!known) return invalid_handle;
  const auto ranges = ranges_of(*known->module->ptx->entry(known->name));
  if (number >= ranges.size()) return invalid_value;
  *offset = ranges[number].offset;
  *bytes = ranges[number].bytes;
  return success;
}

Result cuFuncGetModule(Handle* module, Handle function) {
  const Function* known = function_of(function);
  if (!known) return invalid_handle;
  *module = known->module;
  return success;
}

Result cuLaunchKernel(FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned shared, StreamHandle stream, void** parameters,
                      void** extra) {
  const trace::LaunchCall call{
      function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, parameters, extra};
  const trace::LaunchConfig config{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream};
  return traced(307, "cuLaunchKernel", call, symbol_of(function),
                [&] { return put_in_stream(config, function, parameters, extra); });
}

Result cuLaunchKernelEx(const void* configured, Handle function, void** parameters, void** extra) {
  const auto* config = static_cast<const trace::LaunchConfig*>(configured);
  return traced(652, "cuLaunchKernelEx", trace::ConfiguredLaunchCall{config, function, parameters, extra},
                symbol_of(function), [&] { return put_in_stream(*config, function, parameters, extra); });
}

}  // extern "C"
