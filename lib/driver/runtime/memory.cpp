// Memory of devices and of the host.
#include <cstring>

#include "lib/driver/runtime/call.h"
#include "lib/driver/runtime/state.h"

namespace ropewalk::driver::runtime {

namespace {

void* pointer(u64 address) { return reinterpret_cast<void*>(address); }

// A null pointer for no bytes, as the runtime gives it and the driver does not.
template <class Allocate>
int allocate(const char* name, void** to, std::size_t bytes, const Allocate& body) {
  return run(name, [&] {
    if (!to) return int(invalid_value);
    u64 address = 0;
    const int error = bytes ? body(&address) : int(success);
    if (!error) *to = pointer(address);
    return error;
  });
}

int attribute_of(void* to, int attribute, const void* at) {
  return ROPEWALK_DRIVER(cuPointerGetAttribute, to, attribute, address_of(at));
}

}  // namespace

}  // namespace ropewalk::driver::runtime

using namespace ropewalk::driver::runtime;
using ropewalk::u64;

ROPEWALK_RUNTIME(cudaMalloc, void** to, std::size_t bytes) {
  return allocate(__func__, to, bytes, [&](u64* address) { return ROPEWALK_DRIVER(cuMemAlloc_v2, address, bytes); });
}

ROPEWALK_RUNTIME(cudaMallocManaged, void** to, std::size_t bytes, unsigned flags) {
  return allocate(__func__, to, bytes,
                  [&](u64* address) { return ROPEWALK_DRIVER(cuMemAllocManaged, address, bytes, flags); });
}

ROPEWALK_RUNTIME(cudaMallocPitch, void** to, std::size_t* pitch, std::size_t width, std::size_t height) {
  return allocate(__func__, to, width * height,
                  [&](u64* address) { return ROPEWALK_DRIVER(cuMemAllocPitch_v2, address, pitch, width, height, 4); });
}

ROPEWALK_RUNTIME(cudaMalloc3D, Pitched* to, Extent extent) {
  if (!to) return run(__func__, false, [] { return int(success); });
  to->width = extent.width;
  to->height = extent.height;
  return allocate(__func__, &to->address, extent.width * extent.height * extent.depth, [&](u64* address) {
    return ROPEWALK_DRIVER(cuMemAllocPitch_v2, address, &to->pitch, extent.width, extent.height * extent.depth, 4);
  });
}

ROPEWALK_RUNTIME(cudaFree, void* at) {
  return run(__func__, [&] { return at ? ROPEWALK_DRIVER(cuMemFree_v2, address_of(at)) : int(success); });
}

ROPEWALK_RUNTIME(cudaHostAlloc, void** to, std::size_t bytes, unsigned flags) {
  return run(__func__, has_all(to), [&] {
    *to = nullptr;
    return bytes ? ROPEWALK_DRIVER(cuMemHostAlloc, to, bytes, flags) : int(success);
  });
}

ROPEWALK_RUNTIME(cudaMallocHost, void** to, std::size_t bytes) {
  return run(__func__, has_all(to), [&] {
    *to = nullptr;
    return bytes ? ROPEWALK_DRIVER(cuMemHostAlloc, to, bytes, 0) : int(success);
  });
}

ROPEWALK_RUNTIME(cudaFreeHost, void* at) {
  return run(__func__, [&] { return at ? ROPEWALK_DRIVER(cuMemFreeHost, at) : int(success); });
}

ROPEWALK_RUNTIME(cudaHostRegister, void* at, std::size_t bytes, unsigned flags) {
  return run(__func__, [&] { return ROPEWALK_DRIVER(cuMemHostRegister_v2, at, bytes, flags); });
}

ROPEWALK_RUNTIME(cudaHostUnregister, void* at) {
  return run(__func__, [&] { return ROPEWALK_DRIVER(cuMemHostUnregister, at); });
}

ROPEWALK_RUNTIME(cudaHostGetDevicePointer, void** to, void* at, unsigned flags) {
  return run(__func__, has_all(to), [&] {
    u64 address = 0;
    const int error = ROPEWALK_DRIVER(cuMemHostGetDevicePointer_v2, &address, at, flags);
    *to = pointer(address);
    return error;
  });
}

ROPEWALK_RUNTIME(cudaHostGetFlags, unsigned* flags, void* at) {
  return run(__func__, [&] { return ROPEWALK_DRIVER(cuMemHostGetFlags, flags, at); });
}

ROPEWALK_RUNTIME(cudaMemGetInfo, std::size_t* free, std::size_t* total) {
  return run(__func__, [&] { return ROPEWALK_DRIVER(cuMemGetInfo_v2, free, total); });
}

ROPEWALK_RUNTIME(cudaMemset, void* at, int value, std::size_t bytes) {
  return run(__func__,
             [&] { return bytes ? ROPEWALK_DRIVER(cuMemsetD8_v2, address_of(at), value, bytes) : int(success); });
}
ROPEWALK_PER_THREAD(cudaMemset, _ptds);

ROPEWALK_RUNTIME(cudaMemsetAsync, void* at, int value, std::size_t bytes, void* stream) {
  return run(__func__, [&] {
    return bytes ? ROPEWALK_DRIVER(cuMemsetD8Async, address_of(at), value, bytes, stream) : int(success);
  });
}
ROPEWALK_PER_THREAD(cudaMemsetAsync, _ptsz);

ROPEWALK_RUNTIME(cudaMemset2D, void* at, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return run(__func__, [&] {
    return width && height ? ROPEWALK_DRIVER(cuMemsetD2D8_v2, address_of(at), pitch, value, width, height)
                           : int(success);
  });
}
ROPEWALK_PER_THREAD(cudaMemset2D, _ptds);

ROPEWALK_RUNTIME(cudaMemset2DAsync, void* at, std::size_t pitch, int value, std::size_t width, std::size_t height,
                 void* stream) {
  return run(__func__, [&] {
    return width && height ? ROPEWALK_DRIVER(cuMemsetD2D8Async, address_of(at), pitch, value, width, height, stream)
                           : int(success);
  });
}
ROPEWALK_PER_THREAD(cudaMemset2DAsync, _ptsz);

ROPEWALK_RUNTIME(cudaMemset3DAsync, Pitched at, int value, Extent extent, void* stream) {
  return run("cudaMemset3D", [&] {
    for (std::size_t z = 0; z < extent.depth; ++z) {
      const u64 slice = address_of(at.address) + z * at.pitch * at.height;
      if (const int error =
              ROPEWALK_DRIVER(cuMemsetD2D8Async, slice, at.pitch, value, extent.width, extent.height, stream))
        return error;
    }
    return int(success);
  });
}
ROPEWALK_PER_THREAD(cudaMemset3DAsync, _ptsz);

ROPEWALK_RUNTIME(cudaMemset3D, Pitched at, int value, Extent extent) {
  return cudaMemset3DAsync(at, value, extent, nullptr);
}
ROPEWALK_PER_THREAD(cudaMemset3D, _ptds);

ROPEWALK_RUNTIME(cudaGetSymbolAddress, void** to, const void* symbol) {
  return run(__func__, has_all(to), [&] {
    u64 address = 0;
    std::size_t bytes = 0;
    const int error = find_variable(symbol, &address, &bytes);
    if (!error) *to = pointer(address);
    return error;
  });
}

ROPEWALK_RUNTIME(cudaGetSymbolSize, std::size_t* bytes, const void* symbol) {
  return run(__func__, has_all(bytes), [&] {
    u64 address = 0;
    return find_variable(symbol, &address, bytes);
  });
}

ROPEWALK_RUNTIME(cudaPointerGetAttributes, PointerAttributes* to, const void* at) {
  return run(__func__, has_all(to), [&] {
    enum Attribute { memory_type = 2, device_pointer = 3, host_pointer = 4, is_managed = 8, ordinal = 9 };
    unsigned type = 0;  // CUmemorytype: 1 host, 2 device; cudaMemoryType has the same numbers, and 3 for managed
    *to = {0, -2, nullptr, const_cast<void*>(at)};
    if (attribute_of(&type, memory_type, at)) return int(success);  // memory that the driver does not know
    int managed = 0;
    attribute_of(&managed, is_managed, at);
    *to = {managed ? 3 : int(type), 0, nullptr, nullptr};
    attribute_of(&to->device, ordinal, at);
    attribute_of(&to->device_pointer, device_pointer, at);
    attribute_of(&to->host_pointer, host_pointer, at);
    return int(success);
  });
}
