// What of the CUDA driver's interface is used, declared here so that nothing of the toolkit is needed to build: names,
// signatures and numbers as in the CUDA Driver API reference, version 12.
#pragma once
#include <cstddef>

#include "lib/base/types.h"

namespace ropewalk::gpu {

using Result = int;
using DeviceHandle = int;
using DevicePointer = u64;
using ContextHandle = struct ContextOpaque*;
using ModuleHandle = struct ModuleOpaque*;
using FunctionHandle = struct FunctionOpaque*;
using StreamHandle = struct StreamOpaque*;

// CUresult
constexpr Result success = 0, no_device = 100, invalid_ptx = 218, unsupported_ptx = 222, no_binary = 209,
                 illegal_address = 700, launch_timeout = 702, device_assert = 710, misaligned_address = 716,
                 illegal_instruction = 715, launch_failed = 719;
// CUjit_option
constexpr int jit_error_log_buffer = 5, jit_error_log_bytes = 6;
// CUdevice_attribute
constexpr int attribute_major = 75, attribute_minor = 76;
// CUfunction_attribute
constexpr int function_max_dynamic_shared = 8;

// The functions that are used, each by the name that the driver exports it under. X(member, symbol, parameters)
#define ROPEWALK_DRIVER_FUNCTIONS(X)                                                                                  \
  X(initialize, "cuInit", (unsigned flags))                                                                           \
  X(driver_version, "cuDriverGetVersion", (int* version))                                                             \
  X(device_count, "cuDeviceGetCount", (int* count))                                                                   \
  X(device_get, "cuDeviceGet", (DeviceHandle * device, int ordinal))                                                  \
  X(device_name, "cuDeviceGetName", (char* name, int length, DeviceHandle device))                                    \
  X(device_attribute, "cuDeviceGetAttribute", (int* value, int attribute, DeviceHandle device))                       \
  X(context_retain, "cuDevicePrimaryCtxRetain", (ContextHandle * context, DeviceHandle device))                       \
  X(context_release, "cuDevicePrimaryCtxRelease_v2", (DeviceHandle device))                                           \
  X(context_set, "cuCtxSetCurrent", (ContextHandle context))                                                          \
  X(module_load, "cuModuleLoadDataEx",                                                                                \
    (ModuleHandle * module, const void* image, unsigned options, int* names, void** values))                          \
  X(module_unload, "cuModuleUnload", (ModuleHandle module))                                                           \
  X(module_function, "cuModuleGetFunction", (FunctionHandle * function, ModuleHandle module, const char* name))       \
  X(module_global, "cuModuleGetGlobal_v2",                                                                            \
    (DevicePointer * address, std::size_t* bytes, ModuleHandle module, const char* name))                             \
  X(function_set_attribute, "cuFuncSetAttribute", (FunctionHandle function, int attribute, int value))                \
  X(allocate, "cuMemAlloc_v2", (DevicePointer * address, std::size_t bytes))                                          \
  X(release, "cuMemFree_v2", (DevicePointer address))                                                                 \
  X(copy_to_device, "cuMemcpyHtoD_v2", (DevicePointer to, const void* from, std::size_t bytes))                       \
  X(copy_to_host, "cuMemcpyDtoH_v2", (void* to, DevicePointer from, std::size_t bytes))                               \
  X(stream_create, "cuStreamCreate", (StreamHandle * stream, unsigned flags))                                         \
  X(stream_destroy, "cuStreamDestroy_v2", (StreamHandle stream))                                                      \
  X(stream_synchronize, "cuStreamSynchronize", (StreamHandle stream))                                                 \
  X(launch, "cuLaunchKernel",                                                                                         \
    (FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,  \
     unsigned block_z, unsigned shared_bytes, StreamHandle stream, void** parameters, void** extra))                  \
  X(error_name, "cuGetErrorName", (Result error, const char** name))                                                  \
  X(error_text, "cuGetErrorString", (Result error, const char** text))

}  // namespace ropewalk::gpu
