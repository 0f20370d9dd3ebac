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
using MemoryHandle = u64;  // CUmemGenericAllocationHandle

// CUresult
constexpr Result success = 0, invalid_value = 1, out_of_memory = 2, not_initialized = 3, no_device = 100,
                 invalid_device = 101, invalid_context = 201, no_binary = 209, invalid_ptx = 218, unsupported_ptx = 222,
                 invalid_handle = 400, not_found = 500, illegal_address = 700, launch_out_of_resources = 701,
                 launch_timeout = 702, device_assert = 710, hardware_stack_error = 714, illegal_instruction = 715,
                 misaligned_address = 716, invalid_address_space = 717, invalid_pc = 718, launch_failed = 719,
                 not_supported = 801;
// CUjit_option
constexpr int jit_error_log_buffer = 5, jit_error_log_bytes = 6;
// CUdevice_attribute
constexpr int attribute_major = 75, attribute_minor = 76, attribute_maps_memory = 102;
// CUfunction_attribute
constexpr int function_max_dynamic_shared = 8;
// CU_STREAM_PER_THREAD; the default stream is null.
inline StreamHandle stream_per_thread() { return reinterpret_cast<StreamHandle>(u64(2)); }

// CUmemLocation, CUmemAllocationProp and CUmemAccessDesc: memory that is mapped by hand.
struct MemoryLocation {
  static constexpr int on_device = 1;
  int type = on_device;
  int number = 0;  // of the device
};
struct MemoryProperties {
  static constexpr int pinned = 1;
  int type = pinned;
  int handle_types = 0;
  MemoryLocation location;
  void* windows_data = nullptr;
  unsigned char compression = 0, remote_access = 0;
  unsigned short usage = 0;
  unsigned char reserved[4] = {};
};
struct MemoryAccess {
  static constexpr int read_and_write = 3;
  MemoryLocation location;
  int flags = read_and_write;
};
static_assert(sizeof(MemoryProperties) == 32 && sizeof(MemoryAccess) == 12);
// CUmemAllocationGranularity_flags
constexpr int granularity_minimum = 0;

// The functions that are used, each by the name that the driver exports it under. X(member, symbol, parameters)
#define ROPEWALK_DRIVER_FUNCTIONS(X)                                                                                 \
  X(initialize, "cuInit", (unsigned flags))                                                                          \
  X(driver_version, "cuDriverGetVersion", (int* version))                                                            \
  X(device_count, "cuDeviceGetCount", (int* count))                                                                  \
  X(device_get, "cuDeviceGet", (DeviceHandle * device, int ordinal))                                                 \
  X(device_name, "cuDeviceGetName", (char* name, int length, DeviceHandle device))                                   \
  X(device_attribute, "cuDeviceGetAttribute", (int* value, int attribute, DeviceHandle device))                      \
  X(context_retain, "cuDevicePrimaryCtxRetain", (ContextHandle * context, DeviceHandle device))                      \
  X(context_release, "cuDevicePrimaryCtxRelease_v2", (DeviceHandle device))                                          \
  X(context_set, "cuCtxSetCurrent", (ContextHandle context))                                                         \
  X(module_load, "cuModuleLoadDataEx",                                                                               \
    (ModuleHandle * module, const void* image, unsigned options, int* names, void** values))                         \
  X(module_unload, "cuModuleUnload", (ModuleHandle module))                                                          \
  X(module_function, "cuModuleGetFunction", (FunctionHandle * function, ModuleHandle module, const char* name))      \
  X(module_global, "cuModuleGetGlobal_v2",                                                                           \
    (DevicePointer * address, std::size_t * bytes, ModuleHandle module, const char* name))                           \
  X(function_set_attribute, "cuFuncSetAttribute", (FunctionHandle function, int attribute, int value))               \
  X(allocate, "cuMemAlloc_v2", (DevicePointer * address, std::size_t bytes))                                         \
  X(release, "cuMemFree_v2", (DevicePointer address))                                                                \
  X(copy_to_device, "cuMemcpyHtoD_v2", (DevicePointer to, const void* from, std::size_t bytes))                      \
  X(copy_to_host, "cuMemcpyDtoH_v2", (void* to, DevicePointer from, std::size_t bytes))                              \
  X(copy_on_device, "cuMemcpyDtoDAsync_v2",                                                                          \
    (DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle stream))                                  \
  X(stream_create, "cuStreamCreate", (StreamHandle * stream, unsigned flags))                                        \
  X(stream_destroy, "cuStreamDestroy_v2", (StreamHandle stream))                                                     \
  X(stream_synchronize, "cuStreamSynchronize", (StreamHandle stream))                                                \
  X(launch, "cuLaunchKernel",                                                                                        \
    (FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
     unsigned block_z, unsigned shared_bytes, StreamHandle stream, void** parameters, void** extra))                 \
  X(error_name, "cuGetErrorName", (Result error, const char** name))                                                 \
  X(error_text, "cuGetErrorString", (Result error, const char** text))

// Those for memory that is mapped by hand, which drivers before 10.2 lack.
#define ROPEWALK_MAPPING_FUNCTIONS(X)                                                                                  \
  X(granularity, "cuMemGetAllocationGranularity",                                                                      \
    (std::size_t * bytes, const MemoryProperties* properties, int option))                                             \
  X(reserve, "cuMemAddressReserve",                                                                                    \
    (DevicePointer * address, std::size_t bytes, std::size_t alignment, DevicePointer wish, unsigned long long flags)) \
  X(unreserve, "cuMemAddressFree", (DevicePointer address, std::size_t bytes))                                         \
  X(create_memory, "cuMemCreate",                                                                                      \
    (MemoryHandle * memory, std::size_t bytes, const MemoryProperties* properties, unsigned long long flags))          \
  X(release_memory, "cuMemRelease", (MemoryHandle memory))                                                             \
  X(map, "cuMemMap",                                                                                                   \
    (DevicePointer address, std::size_t bytes, std::size_t offset, MemoryHandle memory, unsigned long long flags))     \
  X(unmap, "cuMemUnmap", (DevicePointer address, std::size_t bytes))                                                   \
  X(set_access, "cuMemSetAccess",                                                                                      \
    (DevicePointer address, std::size_t bytes, const MemoryAccess* access, std::size_t count))

}  // namespace ropewalk::gpu
