// Devices: which there are, which a thread uses, and what they say of themselves.
#include <cstring>

#include "lib/driver/runtime/call.h"
#include "lib/driver/runtime/state.h"
#include "lib/driver/runtime/versions.h"

using namespace ropewalk::driver::runtime;
using std::size_t;

namespace {

int device_count() {
  int count = 0;
  return ROPEWALK_DRIVER(cuDeviceGetCount, &count) ? 0 : count;
}

}  // namespace

ROPEWALK_RUNTIME(cudaGetDeviceCount, int* count) {
  return run(__func__, [&] { return ROPEWALK_DRIVER(cuDeviceGetCount, count); });
}

ROPEWALK_RUNTIME(cudaSetDevice, int device) {
  return run(__func__, [&] {
    if (device < 0 || device >= device_count()) return int(invalid_device);
    current_device() = device;
    return ROPEWALK_DRIVER(cuCtxSetCurrent, context_of(device));
  });
}

ROPEWALK_RUNTIME(cudaInitDevice, int device, unsigned, unsigned) {
  return run(__func__, [&] {
    return device < 0 || device >= device_count() || !context_of(device) ? int(invalid_device) : int(success);
  });
}

ROPEWALK_RUNTIME(cudaGetDevice, int* device) {
  return run(__func__, has_all(device), [&] {
    *device = current_device();
    return int(success);
  });
}

// The first of them is used; with none, the first of all.
ROPEWALK_RUNTIME(cudaSetValidDevices, int* list, int count) {
  return run(__func__, count >= 0 && has_list(list, count), [&] {
    for (int n = 0; n < count; ++n) {
      if (list[n] < 0 || list[n] >= device_count()) return int(invalid_device);
    }
    current_device() = count ? list[0] : 0;
    return ROPEWALK_DRIVER(cuCtxSetCurrent, context_of(current_device()));
  });
}

ROPEWALK_RUNTIME(cudaChooseDevice, int* device, const void* wish) {
  return run(__func__, has_all(device, wish), [&] {
    *device = 0;
    return int(success);
  });
}

namespace {
thread_local unsigned device_flags = 0;
}

ROPEWALK_RUNTIME(cudaSetDeviceFlags, unsigned flags) {
  constexpr unsigned known = 0xff;  // cudaDeviceMask
  if (flags & ~known) return remember(invalid_value);
  device_flags = flags;
  return remember(success);
}

ROPEWALK_RUNTIME(cudaGetDeviceFlags, unsigned* flags) {
  if (!flags) return remember(invalid_value);
  constexpr unsigned maps_host = 8;  // cudaDeviceMapHost, as every device does it
  *flags = device_flags | maps_host;
  return remember(success);
}

ROPEWALK_RUNTIME(cudaDeviceSynchronize) {
  return run_and_wait(__func__, [] { return ROPEWALK_DRIVER(cuCtxSynchronize); });
}

ROPEWALK_RUNTIME(cudaDeviceReset) {
  return run(__func__, [] {
    const int error = ROPEWALK_DRIVER(cuDevicePrimaryCtxReset_v2, current_device());
    forget(current_device());
    ROPEWALK_DRIVER(cuCtxSetCurrent, nullptr);
    return error;
  });
}

ROPEWALK_RUNTIME(cudaDeviceGetAttribute, int* value, int attribute, int device) {
  return run(__func__, [&] { return ROPEWALK_DRIVER(cuDeviceGetAttribute, value, attribute, device); });
}

ROPEWALK_RUNTIME(cudaDeviceGetPCIBusId, char* to, int bytes, int device) {
  return run(__func__, [&] { return ROPEWALK_DRIVER(cuDeviceGetPCIBusId, to, bytes, device); });
}

ROPEWALK_RUNTIME(cudaDeviceGetByPCIBusId, int* device, const char* name) {
  return run(__func__, [&] { return ROPEWALK_DRIVER(cuDeviceGetByPCIBusId, device, name); });
}

ROPEWALK_RUNTIME(cudaDeviceSetLimit, int limit, size_t value) {
  return run(__func__, [&] { return ROPEWALK_DRIVER(cuCtxSetLimit, limit, value); });
}

ROPEWALK_RUNTIME(cudaDeviceGetLimit, size_t* value, int limit) {
  return run(__func__, [&] { return ROPEWALK_DRIVER(cuCtxGetLimit, value, limit); });
}

// Caches are not modelled: a preference is accepted, and none is reported.
ROPEWALK_RUNTIME(cudaDeviceSetCacheConfig, int config) {
  constexpr int last = 3;  // cudaFuncCachePreferEqual
  return run(__func__, [&] { return int(config < 0 || config > last ? invalid_value : success); });
}
ROPEWALK_RUNTIME(cudaDeviceGetCacheConfig, int* config) {
  return run(__func__, has_all(config), [&] {
    *config = 0;
    return int(success);
  });
}
ROPEWALK_RUNTIME(cudaDeviceSetSharedMemConfig, int) {
  return run(__func__, [] { return int(success); });
}
ROPEWALK_RUNTIME(cudaDeviceGetSharedMemConfig, int* config) {
  return run(__func__, has_all(config), [&] {
    *config = 1;  // cudaSharedMemBankSizeFourByte
    return int(success);
  });
}
ROPEWALK_RUNTIME(cudaCtxResetPersistingL2Cache) {
  return run(__func__, [] { return int(success); });
}

ROPEWALK_RUNTIME(cudaDeviceGetStreamPriorityRange, int* least, int* greatest) {
  return run(__func__, [&] { return ROPEWALK_DRIVER(cuCtxGetStreamPriorityRange, least, greatest); });
}

ROPEWALK_RUNTIME(cudaDeviceCanAccessPeer, int* can, int device, int peer) {
  return run(__func__, [&] { return ROPEWALK_DRIVER(cuDeviceCanAccessPeer, can, device, peer); });
}

ROPEWALK_RUNTIME(cudaDeviceEnablePeerAccess, int peer, unsigned flags) {
  return run(__func__, [&] {
    if (peer < 0 || peer >= device_count()) return int(invalid_device);
    if (peer == current_device()) return int(peer_access_unsupported);
    return ROPEWALK_DRIVER(cuCtxEnablePeerAccess, context_of(peer), flags);
  });
}

ROPEWALK_RUNTIME(cudaDeviceDisablePeerAccess, int peer) {
  return run(__func__, [&] { return ROPEWALK_DRIVER(cuCtxDisablePeerAccess, context_of(peer)); });
}

ROPEWALK_RUNTIME(cudaDeviceGetP2PAttribute, int* value, int attribute, int from, int to) {
  return run(__func__, [&] { return ROPEWALK_DRIVER(cuDeviceGetP2PAttribute, value, attribute, from, to); });
}

ROPEWALK_RUNTIME(cudaDriverGetVersion, int* version) { return remember(ROPEWALK_DRIVER(cuDriverGetVersion, version)); }

ROPEWALK_RUNTIME(cudaRuntimeGetVersion, int* version) {
  if (!version) return remember(invalid_value);
  *version = runtime_version;
  return remember(success);
}

ROPEWALK_RUNTIME(cudaProfilerStart) {
  return run(__func__, [] { return int(success); });
}
ROPEWALK_RUNTIME(cudaProfilerStop) {
  return run(__func__, [] { return int(success); });
}

ROPEWALK_RUNTIME(cudaGetDriverEntryPointByVersion, const char* symbol, void** to, unsigned version, ropewalk::u64 flags,
                 int* status) {
  return run(__func__, has_all(symbol, to), [&] {
    int found = 0;
    *to = nullptr;
    const int error = ROPEWALK_DRIVER(cuGetProcAddress_v2, symbol, to, int(version), flags, &found);
    if (status) *status = found;
    return status ? int(success) : error;
  });
}
ROPEWALK_PER_THREAD(cudaGetDriverEntryPointByVersion, _ptsz);

ROPEWALK_RUNTIME(cudaGetDriverEntryPoint, const char* symbol, void** to, ropewalk::u64 flags, int* status) {
  return cudaGetDriverEntryPointByVersion(symbol, to, unsigned(runtime_version), flags, status);
}
ROPEWALK_PER_THREAD(cudaGetDriverEntryPoint, _ptsz);

extern "C" ROPEWALK_SHOWN Channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}
