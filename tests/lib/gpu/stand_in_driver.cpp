// The CUDA driver's symbols for machines without a GPU, found where ROPEWALK_CUDA_DRIVER is "self": it insists on the
// driver's order of calls, runs launches on our machine, and fails where it is told to.
//
// ROPEWALK_STAND_IN_FAIL=cuLaunchKernel:719 makes that call return that error; :hang makes it wait for ever, :die and
// :kill end the process. ROPEWALK_STAND_IN_DEVICES is the number of devices (1), ROPEWALK_STAND_IN_MEMORY the bytes of
// each (no limit), ROPEWALK_STAND_IN_MAPS_NOTHING=1 a device without memory that is mapped by hand.
// ROPEWALK_STAND_IN_SPOIL=bit flips a bit of each launch's results, =write loses one of its writes.
//
// A kernel that leaves its allocations, or touches those of another device, is misaligned, asserts or traps leaves the
// error that the driver would, at the next synchronisation of its device's context and from then on. Unlike on a
// device, an address beyond an allocation is never one of another allocation. What kernels store into module-scope
// variables does not come back.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/error.h"
#include "lib/gpu/driver_api.h"
#include "lib/ptx/read.h"
#include "tests/lib/gpu/stand_in_launch.h"
#include "tests/lib/gpu/stand_in_state.h"

using namespace ropewalk;
using namespace ropewalk::gpu;
using namespace ropewalk::stand_in;

namespace {

void place_variables(Module& module) {
  for (const ptx::Variable& variable : module.ptx->variables) {
    const bool is_in_memory = variable.space == ptx::Space::Global || variable.space == ptx::Space::Const;
    if (!is_in_memory || variable.bytes() == 0) continue;
    Allocation allocation{std::vector<std::byte>(variable.bytes()), variable.name, &module, {module.device}, false};
    const u64 given = std::min<u64>(variable.initial.size(), variable.bytes());
    if (given) std::memcpy(allocation.bytes.data(), variable.initial.data(), given);
    module.variables[variable.name] = allocate(std::move(allocation));
  }
}

}  // namespace

extern "C" {

Result cuInit(unsigned flags) {
  const char* devices = std::getenv("ROPEWALK_STAND_IN_DEVICES");
  if (devices) device_total = std::atoi(devices);
  if (const Result error = enter("cuInit", Needs::Nothing)) return error;
  if (device_total == 0) return no_device;
  is_initialized = flags == 0;
  return flags == 0 ? success : invalid_value;
}

Result cuDriverGetVersion(int* version) {
  *version = 12040;
  return enter("cuDriverGetVersion", Needs::Nothing);
}

Result cuDeviceGetCount(int* count) {
  *count = device_total;
  return enter("cuDeviceGetCount", Needs::Driver);
}

Result cuDeviceGet(DeviceHandle* device, int ordinal) {
  *device = ordinal;
  if (const Result error = enter("cuDeviceGet", Needs::Driver)) return error;
  return ordinal >= 0 && ordinal < device_total ? success : invalid_device;
}

Result cuDeviceGetName(char* name, int length, DeviceHandle) {
  std::strncpy(name, "stand-in (the machine)", std::size_t(length));
  return enter("cuDeviceGetName", Needs::Driver);
}

Result cuDeviceGetAttribute(int* value, int attribute, DeviceHandle) {
  *value = attribute == attribute_major         ? 9
           : attribute == attribute_maps_memory ? !std::getenv("ROPEWALK_STAND_IN_MAPS_NOTHING")
                                                : 0;
  return enter("cuDeviceGetAttribute", Needs::Driver);
}

Result cuDevicePrimaryCtxRetain(ContextHandle* context, DeviceHandle device) {
  if (const Result error = enter("cuDevicePrimaryCtxRetain", Needs::Driver)) return error;
  if (device < 0 || device >= device_total) return invalid_device;
  ++contexts[device].retained;
  *context = reinterpret_cast<ContextHandle>(&contexts[device]);
  return success;
}

Result cuDevicePrimaryCtxRelease_v2(DeviceHandle device) {
  if (const Result error = enter("cuDevicePrimaryCtxRelease_v2", Needs::Driver)) return error;
  if (!contexts.contains(device) || contexts[device].retained == 0) return invalid_context;
  if (--contexts[device].retained == 0 && current == device) current = no_device_current;
  return success;
}

Result cuCtxSetCurrent(ContextHandle handle) {
  if (const Result error = enter("cuCtxSetCurrent", Needs::Driver)) return error;
  for (const auto& [device, context] : contexts) {
    if (handle != reinterpret_cast<ContextHandle>(const_cast<Context*>(&context)) || !context.retained) continue;
    current = device;
    return success;
  }
  return invalid_context;
}

Result cuModuleLoadDataEx(ModuleHandle* out, const void* image, unsigned options, int* names, void** values) {
  char* log = nullptr;
  std::size_t log_bytes = 0;
  for (unsigned i = 0; i < options; ++i) {
    if (names[i] == jit_error_log_buffer) log = static_cast<char*>(values[i]);
    if (names[i] == jit_error_log_bytes) log_bytes = reinterpret_cast<std::size_t>(values[i]);
  }
  if (const Result error = enter("cuModuleLoadDataEx", Needs::Context)) return error;
  try {
    auto module = std::make_unique<Module>();
    module->device = current;
    module->ptx = std::make_shared<ptx::Module>(ptx::read(static_cast<const char*>(image), "ptx"));
    place_variables(*module);
    *out = reinterpret_cast<ModuleHandle>(module.get());
    modules.insert(module.release());
    return success;
  } catch (const InputError& error) {
    if (log && log_bytes) std::strncpy(log, error.what(), log_bytes);
    return invalid_ptx;
  }
}

Result cuModuleUnload(ModuleHandle handle) {
  if (const Result error = enter("cuModuleUnload", Needs::Context)) return error;
  auto* module = reinterpret_cast<Module*>(handle);
  if (modules.erase(module) == 0) return invalid_handle;
  for (const auto& [name, address] : module->variables) allocations.erase(address);
  delete module;
  return success;
}

Result cuModuleGetFunction(FunctionHandle* out, ModuleHandle handle, const char* name) {
  if (const Result error = enter("cuModuleGetFunction", Needs::Context)) return error;
  auto* module = reinterpret_cast<Module*>(handle);
  if (!modules.contains(module)) return invalid_handle;
  const ptx::Function* entry = module->ptx->entry(name);
  if (!entry || entry->name != name) return not_found;
  auto* function = new Function{module, name};
  functions.insert(function);
  *out = reinterpret_cast<FunctionHandle>(function);
  return success;
}

Result cuModuleGetGlobal_v2(DevicePointer* address, std::size_t* bytes, ModuleHandle handle, const char* name) {
  if (const Result error = enter("cuModuleGetGlobal_v2", Needs::Context)) return error;
  auto* module = reinterpret_cast<Module*>(handle);
  if (!modules.contains(module)) return invalid_handle;
  const auto at = module->variables.find(name);
  if (at == module->variables.end()) return not_found;
  *address = at->second;
  *bytes = allocations.at(at->second).bytes.size();
  return success;
}

Result cuFuncSetAttribute(FunctionHandle, int, int) { return enter("cuFuncSetAttribute", Needs::Context); }

Result cuMemAlloc_v2(DevicePointer* address, std::size_t bytes) {
  if (const Result error = enter("cuMemAlloc_v2", Needs::Context)) return error;
  if (bytes == 0) return invalid_value;
  if (!has_room(current, bytes)) return out_of_memory;
  *address = allocate({std::vector<std::byte>(bytes), "", nullptr, {current}, false});
  return success;
}

Result cuMemFree_v2(DevicePointer address) {
  if (const Result error = enter("cuMemFree_v2", Needs::Context)) return error;
  const auto at = allocations.find(address);
  if (at == allocations.end() || at->second.is_mapped) return invalid_value;
  allocations.erase(at);
  return success;
}

Result cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
  if (const Result error = enter("cuMemcpyHtoD_v2", Needs::Context)) return error;
  std::byte* const there = memory_at(to, bytes);
  if (!there) return invalid_value;
  std::memcpy(there, from, bytes);
  return success;
}

Result cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
  if (const Result error = enter("cuMemcpyDtoH_v2", Needs::Context)) return error;
  const std::byte* const there = memory_at(from, bytes);
  if (!there) return invalid_value;
  std::memcpy(to, there, bytes);
  return success;
}

Result cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle stream) {
  if (const Result error = enter("cuMemcpyDtoDAsync_v2", Needs::Context)) return error;
  if (device_of(stream) == no_device_current) return invalid_handle;
  std::byte* const there = memory_at(to, bytes);
  const std::byte* const here = memory_at(from, bytes);
  if (!there || !here) return invalid_value;
  std::memmove(there, here, bytes);
  return success;
}

Result cuStreamCreate(StreamHandle* stream, unsigned) {
  if (const Result error = enter("cuStreamCreate", Needs::Context)) return error;
  auto* made = new Stream{current};
  streams.insert(made);
  *stream = reinterpret_cast<StreamHandle>(made);
  return success;
}

Result cuStreamDestroy_v2(StreamHandle handle) {
  if (const Result error = enter("cuStreamDestroy_v2", Needs::Context)) return error;
  auto* stream = reinterpret_cast<Stream*>(handle);
  if (streams.erase(stream) == 0) return invalid_handle;
  delete stream;
  return success;
}

Result cuStreamSynchronize(StreamHandle stream) {
  if (const Result error = enter("cuStreamSynchronize", Needs::Context)) return error;
  const int device = device_of(stream);
  return device == no_device_current ? invalid_handle : contexts[device].lasting_error;
}

Result cuLaunchKernel(FunctionHandle handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned shared, StreamHandle stream, void** parameters,
                      void** extra) {
  if (const Result error = enter("cuLaunchKernel", Needs::Context)) return error;
  auto* function = reinterpret_cast<Function*>(handle);
  if (!functions.contains(function) || extra) return invalid_handle;
  // A kernel runs in the context that its module was loaded in, on a stream of the same.
  const int device = function->module->device;
  if (device_of(stream) != device) return invalid_handle;
  if (u64(block_x) * block_y * block_z > 1024 || grid_x == 0 || grid_y == 0 || grid_z == 0) return invalid_value;
  if (grid_y > 65535 || grid_z > 65535) return invalid_value;
  contexts[device].lasting_error =
      run_launch(*function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, parameters);
  return success;
}

Result cuGetErrorName(Result error, const char** name) {
  *name = error == success              ? "CUDA_SUCCESS"
          : error == invalid_value      ? "CUDA_ERROR_INVALID_VALUE"
          : error == out_of_memory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == invalid_handle     ? "CUDA_ERROR_INVALID_HANDLE"
          : error == not_supported      ? "CUDA_ERROR_NOT_SUPPORTED"
          : error == no_device          ? "CUDA_ERROR_NO_DEVICE"
          : error == invalid_ptx        ? "CUDA_ERROR_INVALID_PTX"
          : error == illegal_address    ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == misaligned_address ? "CUDA_ERROR_MISALIGNED_ADDRESS"
          : error == device_assert      ? "CUDA_ERROR_ASSERT"
          : error == launch_failed      ? "CUDA_ERROR_LAUNCH_FAILED"
                                        : nullptr;
  return *name ? success : invalid_value;
}

Result cuGetErrorString(Result error, const char** text) {
  *text = error == illegal_address  ? "an illegal memory access was encountered"
          : error == invalid_handle ? "invalid resource handle"
                                    : nullptr;
  return *text ? success : invalid_value;
}

}  // extern "C"
