// What a pointer is.
#include <cstring>

#include "lib/driver/api/api.h"

namespace ropewalk::driver {

namespace {

// CUpointer_attribute
enum Attribute : int {
  context = 1,
  memory_type = 2,
  device_pointer = 3,
  host_pointer = 4,
  sync_memops = 6,
  buffer_id = 7,
  is_managed = 8,
  device_ordinal = 9,
  is_ipc_capable = 10,
  range_start = 11,
  range_bytes = 12,
  mapped = 13,
  handle_types = 14,
  is_rdma_capable = 15,
  access_flags = 16,
  pool = 17
};

template <class T>
int give(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
  return success;
}

// For a pointer to what no device knows every attribute is zero.
int attribute_of(const Call& call, const MemoryPlace& place, int attribute, u64 address, void* value) {
  const Allocation* at = place.allocation && !place.allocation->freed ? place.allocation : nullptr;
  const bool is_host = at && at->is_on_host();
  switch (attribute) {
    case context:
      return give(value, at ? &call->contexts().primary(at->device) : nullptr);
    case memory_type:
      return give(value, at && (at->kind == MemoryKind::Host || at->kind == MemoryKind::Lent) ? 1u : at ? 2u : 0u);
    case device_pointer:
      return give(value, at ? address : 0);
    case host_pointer:
      return give(value, is_host ? address : 0);
    case sync_memops:
      return give(value, 0u);
    case buffer_id:
      return give(value, at ? at->number : 0);
    case is_managed:
      return give(value, u32(at && at->kind == MemoryKind::Managed));
    case device_ordinal:
      return give(value, at ? int(at->device) : -2);
    case is_ipc_capable:
    case is_rdma_capable:
      return give(value, u32(0));
    case range_start:
      return give(value, at ? at->address : 0);
    case range_bytes:
      return give(value, at ? at->bytes : 0);
    case mapped:
      return give(value, u32(at != nullptr));
    case handle_types:
      return give(value, u64(0));
    case access_flags:
      return give(value, at ? 3u : 0u);
    case pool:
      return give(value, u64(0));
    default:
      return answer(Result::NotSupported);
  }
}

}  // namespace

RW_CUDA cuPointerGetAttribute(void* value, int attribute, DevicePointer address) {
  RW_CALL(call);
  const MemoryPlace place = call->memory().find(address);
  if (!value || !place.allocation || place.allocation->freed) return invalid_value;
  return attribute_of(call, place, attribute, address, value);
}

RW_CUDA cuPointerGetAttributes(unsigned count, const int* attributes, void** values, DevicePointer address) {
  RW_CALL(call);
  const MemoryPlace place = call->memory().find(address);
  for (unsigned n = 0; n < count; ++n) {
    if (const int result = attribute_of(call, place, attributes[n], address, values[n])) return result;
  }
  return success;
}

RW_CUDA cuPointerSetAttribute(const void*, int attribute, DevicePointer) {
  RW_CALL(call);
  return attribute == sync_memops ? success : invalid_value;
}

}  // namespace ropewalk::driver
