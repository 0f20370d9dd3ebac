// The functions of the driver that the runtime is made of, by the names that the driver exports them under (CUDA Driver
// API reference). Handles are pointers, addresses numbers.
#pragma once
#include <cstddef>

#include "lib/base/types.h"

namespace ropewalk::driver::runtime {

struct DriverCopy3D {  // CUDA_MEMCPY3D
  struct End {
    std::size_t x, y, z, level;
    unsigned type;  // CUmemorytype
    void* host;
    u64 device;
    void* array;
    void* reserved;
    std::size_t pitch, height;
  };
  End from, to;
  std::size_t width, height, depth;
};
struct DriverLaunchConfig {  // CUlaunchConfig
  unsigned grid[3], block[3], shared_bytes;
  void* stream;
  void* attributes;
  unsigned attribute_count;
};
static_assert(sizeof(DriverCopy3D) == 200 && sizeof(DriverLaunchConfig) == 56);

}  // namespace ropewalk::driver::runtime

// A driver that lacks one of them says so where it is called.
#define ROPEWALK_DRIVER(name, ...) int name(__VA_ARGS__) __attribute__((weak))
extern "C" {
ROPEWALK_DRIVER(cuInit, unsigned);
ROPEWALK_DRIVER(cuDriverGetVersion, int*);
ROPEWALK_DRIVER(cuGetErrorString, int, const char**);
ROPEWALK_DRIVER(cuGetProcAddress_v2, const char*, void**, int, ropewalk::u64, int*);
// devices and contexts
ROPEWALK_DRIVER(cuDeviceGetCount, int*);
ROPEWALK_DRIVER(cuDeviceGet, int*, int);
ROPEWALK_DRIVER(cuDeviceGetName, char*, int, int);
ROPEWALK_DRIVER(cuDeviceGetUuid_v2, char*, int);
ROPEWALK_DRIVER(cuDeviceTotalMem_v2, std::size_t*, int);
ROPEWALK_DRIVER(cuDeviceGetAttribute, int*, int, int);
ROPEWALK_DRIVER(cuDeviceGetPCIBusId, char*, int, int);
ROPEWALK_DRIVER(cuDeviceGetByPCIBusId, int*, const char*);
ROPEWALK_DRIVER(cuDevicePrimaryCtxRetain, void**, int);
ROPEWALK_DRIVER(cuDevicePrimaryCtxReset_v2, int);
ROPEWALK_DRIVER(cuDeviceCanAccessPeer, int*, int, int);
ROPEWALK_DRIVER(cuDeviceGetP2PAttribute, int*, int, int, int);
ROPEWALK_DRIVER(cuCtxSetCurrent, void*);
ROPEWALK_DRIVER(cuCtxGetCurrent, void**);
ROPEWALK_DRIVER(cuCtxGetDevice, int*);
ROPEWALK_DRIVER(cuCtxSynchronize);
ROPEWALK_DRIVER(cuCtxSetLimit, int, std::size_t);
ROPEWALK_DRIVER(cuCtxGetLimit, std::size_t*, int);
ROPEWALK_DRIVER(cuCtxGetStreamPriorityRange, int*, int*);
ROPEWALK_DRIVER(cuCtxEnablePeerAccess, void*, unsigned);
ROPEWALK_DRIVER(cuCtxDisablePeerAccess, void*);
// modules and launches
ROPEWALK_DRIVER(cuModuleLoadData, void**, const void*);
ROPEWALK_DRIVER(cuModuleUnload, void*);
ROPEWALK_DRIVER(cuModuleGetFunction, void**, void*, const char*);
ROPEWALK_DRIVER(cuModuleGetGlobal_v2, ropewalk::u64*, std::size_t*, void*, const char*);
ROPEWALK_DRIVER(cuFuncGetAttribute, int*, int, void*);
ROPEWALK_DRIVER(cuFuncSetAttribute, void*, int, int);
ROPEWALK_DRIVER(cuFuncGetParamInfo, void*, std::size_t, std::size_t*, std::size_t*);
ROPEWALK_DRIVER(cuLaunchKernel, void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                void**, void**);
ROPEWALK_DRIVER(cuLaunchKernelEx, const ropewalk::driver::runtime::DriverLaunchConfig*, void*, void**, void**);
ROPEWALK_DRIVER(cuLaunchCooperativeKernel, void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                void*, void**);
ROPEWALK_DRIVER(cuKernelGetFunction, void**, const void*);
ROPEWALK_DRIVER(cuLaunchHostFunc, void*, void (*)(void*), void*);
ROPEWALK_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int*, void*, int, std::size_t, unsigned);
ROPEWALK_DRIVER(cuOccupancyAvailableDynamicSMemPerBlock, std::size_t*, void*, int, int);
ROPEWALK_DRIVER(cuOccupancyMaxPotentialClusterSize, int*, void*, const ropewalk::driver::runtime::DriverLaunchConfig*);
ROPEWALK_DRIVER(cuOccupancyMaxActiveClusters, int*, void*, const ropewalk::driver::runtime::DriverLaunchConfig*);
// memory
ROPEWALK_DRIVER(cuMemGetInfo_v2, std::size_t*, std::size_t*);
ROPEWALK_DRIVER(cuMemAlloc_v2, ropewalk::u64*, std::size_t);
ROPEWALK_DRIVER(cuMemAllocPitch_v2, ropewalk::u64*, std::size_t*, std::size_t, std::size_t, unsigned);
ROPEWALK_DRIVER(cuMemAllocManaged, ropewalk::u64*, std::size_t, unsigned);
ROPEWALK_DRIVER(cuMemFree_v2, ropewalk::u64);
ROPEWALK_DRIVER(cuMemHostAlloc, void**, std::size_t, unsigned);
ROPEWALK_DRIVER(cuMemFreeHost, void*);
ROPEWALK_DRIVER(cuMemHostRegister_v2, void*, std::size_t, unsigned);
ROPEWALK_DRIVER(cuMemHostUnregister, void*);
ROPEWALK_DRIVER(cuMemHostGetDevicePointer_v2, ropewalk::u64*, void*, unsigned);
ROPEWALK_DRIVER(cuMemHostGetFlags, unsigned*, void*);
ROPEWALK_DRIVER(cuPointerGetAttribute, void*, int, ropewalk::u64);
ROPEWALK_DRIVER(cuMemcpy, ropewalk::u64, ropewalk::u64, std::size_t);
ROPEWALK_DRIVER(cuMemcpyHtoD_v2, ropewalk::u64, const void*, std::size_t);
ROPEWALK_DRIVER(cuMemcpyDtoH_v2, void*, ropewalk::u64, std::size_t);
ROPEWALK_DRIVER(cuMemcpyDtoD_v2, ropewalk::u64, ropewalk::u64, std::size_t);
ROPEWALK_DRIVER(cuMemcpyAsync, ropewalk::u64, ropewalk::u64, std::size_t, void*);
ROPEWALK_DRIVER(cuMemcpyHtoDAsync_v2, ropewalk::u64, const void*, std::size_t, void*);
ROPEWALK_DRIVER(cuMemcpyDtoHAsync_v2, void*, ropewalk::u64, std::size_t, void*);
ROPEWALK_DRIVER(cuMemcpyDtoDAsync_v2, ropewalk::u64, ropewalk::u64, std::size_t, void*);
ROPEWALK_DRIVER(cuStreamAttachMemAsync, void*, ropewalk::u64, std::size_t, unsigned);
ROPEWALK_DRIVER(cuMemGetDefaultMemPool, void**, void*, int);
ROPEWALK_DRIVER(cuMemGetMemPool, void**, void*, int);
ROPEWALK_DRIVER(cuMemSetMemPool, void*, int, void*);
ROPEWALK_DRIVER(cuMemcpyBatchAsync, const ropewalk::u64*, const ropewalk::u64*, const std::size_t*, std::size_t,
                const void*, const std::size_t*, std::size_t, std::size_t*, void*);
ROPEWALK_DRIVER(cuMemcpy3DBatchAsync, std::size_t, const void*, std::size_t*, ropewalk::u64, void*);
ROPEWALK_DRIVER(cuMemcpyPeer, ropewalk::u64, void*, ropewalk::u64, void*, std::size_t);
ROPEWALK_DRIVER(cuMemcpy3DPeer, const ropewalk::driver::runtime::DriverCopy3D*);
ROPEWALK_DRIVER(cuMemcpy3D_v2, const ropewalk::driver::runtime::DriverCopy3D*);
ROPEWALK_DRIVER(cuMemcpy3DAsync_v2, const ropewalk::driver::runtime::DriverCopy3D*, void*);
ROPEWALK_DRIVER(cuMemsetD8_v2, ropewalk::u64, unsigned char, std::size_t);
ROPEWALK_DRIVER(cuMemsetD8Async, ropewalk::u64, unsigned char, std::size_t, void*);
ROPEWALK_DRIVER(cuMemsetD2D8_v2, ropewalk::u64, std::size_t, unsigned char, std::size_t, std::size_t);
ROPEWALK_DRIVER(cuMemsetD2D8Async, ropewalk::u64, std::size_t, unsigned char, std::size_t, std::size_t, void*);
// streams and events
ROPEWALK_DRIVER(cuStreamCreateWithPriority, void**, unsigned, int);
ROPEWALK_DRIVER(cuStreamDestroy_v2, void*);
ROPEWALK_DRIVER(cuStreamSynchronize, void*);
ROPEWALK_DRIVER(cuStreamQuery, void*);
ROPEWALK_DRIVER(cuStreamGetPriority, void*, int*);
ROPEWALK_DRIVER(cuStreamGetFlags, void*, unsigned*);
ROPEWALK_DRIVER(cuStreamGetId, void*, ropewalk::u64*);
ROPEWALK_DRIVER(cuStreamGetDevice, void*, int*);
ROPEWALK_DRIVER(cuStreamSetAttribute, void*, int, const void*);
ROPEWALK_DRIVER(cuStreamGetAttribute, void*, int, void*);
ROPEWALK_DRIVER(cuStreamCopyAttributes, void*, void*);
ROPEWALK_DRIVER(cuStreamWaitEvent, void*, void*, unsigned);
ROPEWALK_DRIVER(cuStreamAddCallback, void*, void (*)(void*, int, void*), void*, unsigned);
ROPEWALK_DRIVER(cuStreamBeginCapture_v2, void*, int);
ROPEWALK_DRIVER(cuStreamEndCapture, void*, void**);
ROPEWALK_DRIVER(cuStreamIsCapturing, void*, int*);
ROPEWALK_DRIVER(cuThreadExchangeStreamCaptureMode, int*);
ROPEWALK_DRIVER(cuEventCreate, void**, unsigned);
ROPEWALK_DRIVER(cuEventDestroy_v2, void*);
ROPEWALK_DRIVER(cuEventRecord, void*, void*);
ROPEWALK_DRIVER(cuEventRecordWithFlags, void*, void*, unsigned);
ROPEWALK_DRIVER(cuEventQuery, void*);
ROPEWALK_DRIVER(cuEventSynchronize, void*);
ROPEWALK_DRIVER(cuEventElapsedTime_v2, float*, void*, void*);
// pools
ROPEWALK_DRIVER(cuMemAllocAsync, ropewalk::u64*, std::size_t, void*);
ROPEWALK_DRIVER(cuMemAllocFromPoolAsync, ropewalk::u64*, std::size_t, void*, void*);
ROPEWALK_DRIVER(cuMemFreeAsync, ropewalk::u64, void*);
ROPEWALK_DRIVER(cuDeviceGetDefaultMemPool, void**, int);
ROPEWALK_DRIVER(cuDeviceGetMemPool, void**, int);
ROPEWALK_DRIVER(cuDeviceSetMemPool, int, void*);
ROPEWALK_DRIVER(cuMemPoolCreate, void**, const void*);
ROPEWALK_DRIVER(cuMemPoolDestroy, void*);
ROPEWALK_DRIVER(cuMemPoolTrimTo, void*, std::size_t);
ROPEWALK_DRIVER(cuMemPoolSetAttribute, void*, int, void*);
ROPEWALK_DRIVER(cuMemPoolGetAttribute, void*, int, void*);
ROPEWALK_DRIVER(cuMemPoolSetAccess, void*, const void*, std::size_t);
ROPEWALK_DRIVER(cuMemPoolGetAccess, int*, void*, void*);
}
#undef ROPEWALK_DRIVER
