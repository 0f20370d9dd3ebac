// The driver and its devices.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "lib/driver/api/api.h"
#include "lib/driver/visible_devices.h"

namespace ropewalk::driver {

namespace {

// What the call answers where it is too early, or there is no such device.
int refusal(Held& held, int device) {
  if (!held->is_initialized() || held->is_of_parent()) return answer(Result::NotInitialized);
  return device < 0 || u32(device) >= held->options().devices ? answer(Result::InvalidDevice) : success;
}
#define RW_DEVICE(device) \
  Held held;              \
  if (const int no = refusal(held, device)) return no

}  // namespace

RW_CUDA cuInit(unsigned flags) {
  if (flags) return invalid_value;
  Held held;
  if (held->is_of_parent()) return answer(Result::NotInitialized);
  if (held->is_initialized()) return success;
  if (const Result found = held->look_for_devices(); found != Result::Success) return answer(found);
  held->initialize();
  return success;
}

RW_CUDA cuDriverGetVersion(int* version) {
  if (!version) return invalid_value;
  *version = driver_version;
  return success;
}

RW_CUDA cuDeviceGetCount(int* count) {
  RW_DEVICE(0);
  if (!count) return invalid_value;
  *count = int(held->options().devices);
  return success;
}

RW_CUDA cuDeviceGet(int* device, int ordinal) {
  RW_DEVICE(ordinal);
  if (!device) return invalid_value;
  *device = ordinal;
  return success;
}

RW_CUDA cuDeviceGetName(char* name, int length, int device) {
  RW_DEVICE(device);
  if (!name || length <= 0) return invalid_value;
  std::snprintf(name, std::size_t(length), "%s", held->device().name.c_str());
  return success;
}

RW_CUDA cuDeviceGetUuid_v2(char* uuid, int device) {
  RW_DEVICE(device);
  if (!uuid) return invalid_value;
  const std::array<char, 16> bytes = uuid_of(held->options().number_of(u32(device)));
  std::memcpy(uuid, bytes.data(), bytes.size());
  return success;
}
RW_CUDA cuDeviceGetUuid(char* uuid, int device) { return cuDeviceGetUuid_v2(uuid, device); }

RW_CUDA cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  RW_DEVICE(device);
  if (!bytes) return invalid_value;
  *bytes = held->device().memory_bytes;
  return success;
}

RW_CUDA cuDeviceGetAttribute(int* value, int attribute, int device) {
  RW_DEVICE(device);
  constexpr int last = 147;  // the last of CUDA 13.0
  if (!value || attribute < 1 || attribute > last) return invalid_value;
  *value = attribute_of(held->device(), held->options().number_of(u32(device)), attribute);
  return success;
}

RW_CUDA cuDeviceComputeCapability(int* major, int* minor, int device) {
  RW_DEVICE(device);
  RW_NEEDS(major, minor);
  *major = held->device().major;
  *minor = held->device().minor;
  return success;
}

RW_CUDA cuDeviceGetPCIBusId(char* text, int length, int device) {
  RW_DEVICE(device);
  if (!text || length <= 0) return invalid_value;
  std::snprintf(text, std::size_t(length), "0000:%02X:00.0", held->options().number_of(u32(device)) + 1);
  return success;
}

RW_CUDA cuDeviceGetByPCIBusId(int* device, const char* text) {
  RW_DEVICE(0);
  unsigned domain = 0, bus = 0;
  if (!device || !text || std::sscanf(text, "%x:%x", &domain, &bus) != 2) return invalid_value;
  const Options& options = held->options();
  for (u32 one = 0; one < options.devices && !domain; ++one) {
    if (options.number_of(one) + 1 == bus) return *device = int(one), success;
  }
  return answer(Result::InvalidDevice);
}

RW_CUDA cuDeviceCanAccessPeer(int* can, int device, int peer) {
  RW_DEVICE(std::max(device, peer));
  RW_NEEDS(can);
  *can = device != peer;
  return success;
}

RW_CUDA cuDeviceGetP2PAttribute(int* value, int attribute, int, int peer) {
  RW_DEVICE(peer);
  RW_NEEDS(value);
  *value = attribute == 1 ? 0 : 1;  // performance rank; access, native atomics, array access
  return success;
}

RW_CUDA cuDevicePrimaryCtxRetain(Context** context, int device) {
  RW_DEVICE(device);
  if (!context) return invalid_value;
  *context = &held->contexts().primary(u32(device));
  ++(*context)->retained;
  return success;
}

RW_CUDA cuDevicePrimaryCtxReset_v2(int device) {
  RW_DEVICE(device);
  Context& context = held->contexts().primary(u32(device));
  wait_for(*held, context);
  held->synchronize();
  held->report_leaks("the device is reset", u32(device));
  held->memory().reset(u32(device));
  held->contexts().reset(context);
  return success;
}
RW_CUDA cuDevicePrimaryCtxReset(int device) { return cuDevicePrimaryCtxReset_v2(device); }

RW_CUDA cuDevicePrimaryCtxRelease_v2(int device) {
  RW_DEVICE(device);
  if (!held->contexts().has_primary(u32(device))) return answer(Result::InvalidContext);
  Context& context = held->contexts().primary(u32(device));
  if (!context.retained) return answer(Result::InvalidContext);
  if (--context.retained) return success;
  return cuDevicePrimaryCtxReset_v2(device);
}
RW_CUDA cuDevicePrimaryCtxRelease(int device) { return cuDevicePrimaryCtxRelease_v2(device); }

RW_CUDA cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
  RW_DEVICE(device);
  held->contexts().primary(u32(device)).flags = flags;
  return success;
}
RW_CUDA cuDevicePrimaryCtxSetFlags(int device, unsigned flags) { return cuDevicePrimaryCtxSetFlags_v2(device, flags); }

RW_CUDA cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  RW_DEVICE(device);
  const bool is_there = held->contexts().has_primary(u32(device));
  const Context* context = is_there ? &held->contexts().primary(u32(device)) : nullptr;
  if (flags) *flags = context ? context->flags : 0;
  if (active) *active = context && context->retained;
  return success;
}

}  // namespace ropewalk::driver
