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
  pool = 17,
  mapping_bytes = 18,
  mapping_start = 19,
  block_id = 20
};

// The memory that a pointer leads to: an allocation, or what is mapped there; with no bytes: none.
struct Target {
  const Allocation* allocation = nullptr;
  u64 address = 0, bytes = 0;
  int access = 3;  // CUmemAccess_flags of the current device
};
Target target_of(const ResolvedAddress& resolved, u32 device) {
  const Allocation* const at = resolved.allocation;
  if (!at || at->freed) return {};
  if (!at->range) return {at, at->address, at->bytes};
  const auto* const mapping = at->range->at(resolved.offset);
  if (!mapping) return {};
  const auto access = mapping->second.access.find(device);
  const int flags = access == mapping->second.access.end() ? 0 : access->second;
  return {mapping->second.memory, at->address + mapping->first, mapping->second.bytes, flags};
}

template <class T>
int give(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
  return success;
}

// For a pointer to what no device knows every attribute is zero.
int attribute_of(const Call& call, const ResolvedAddress& resolved, int attribute, u64 address, void* value) {
  const Target target = target_of(resolved, call.device());
  const Allocation* const at = target.allocation;
  const bool is_host = at && at->is_on_host();
  switch (attribute) {
    case context:
      return give(value, at && at->context ? at->context : at ? &call->contexts().primary(at->device) : nullptr);
    case memory_type:
      return give(value, at && (at->kind == MemoryKind::Host || at->kind == MemoryKind::Lent) ? 1u : at ? 2u : 0u);
    case device_pointer:
      return give(value, at ? address : 0);
    case host_pointer:
      return give(value, is_host ? address : 0);
    case sync_memops:
      return give(value, 0u);
    case buffer_id:
    case block_id:
      return give(value, at ? at->number : 0);
    case is_managed:
      return give(value, u32(at && at->kind == MemoryKind::Managed));
    case device_ordinal:
      return give(value, at ? int(at->device) : -2);
    case is_ipc_capable:
      return give(value, u32(at && at->kind == MemoryKind::Device && !at->pool));
    case is_rdma_capable:
      return give(value, u32(0));
    case range_start:
    case mapping_start:
      return give(value, target.address);
    case range_bytes:
    case mapping_bytes:
      return give(value, target.bytes);
    case mapped:
      return give(value, u32(at != nullptr));
    case handle_types:
      return give(value, u64(at && at->physical && at->physical->is_shareable()));
    case access_flags:
      return give(value, at ? unsigned(target.access) : 0u);
    case pool:
      return give(value, u64(0));
    default:
      return answer(Result::NotSupported);
  }
}

}  // namespace

RW_CUDA cuMemGetAddressRange_v2(DevicePointer* base, std::size_t* bytes, DevicePointer address) {
  RW_CALL(call);
  const Target target = target_of(call->memory().find(address), call.device());
  if (!target.allocation) return answer(Result::NotFound);
  if (base) *base = target.address;
  if (bytes) *bytes = target.bytes;
  return success;
}

RW_CUDA cuPointerGetAttribute(void* value, int attribute, DevicePointer address) {
  RW_CALL(call);
  const ResolvedAddress resolved = call->memory().find(address);
  if (!value || !target_of(resolved, call.device()).allocation) return invalid_value;
  return attribute_of(call, resolved, attribute, address, value);
}

RW_CUDA cuPointerGetAttributes(unsigned count, const int* attributes, void** values, DevicePointer address) {
  RW_CALL(call);
  if (!has_list(attributes, count) || !has_list(values, count)) return invalid_value;
  const ResolvedAddress resolved = call->memory().find(address);
  for (unsigned n = 0; n < count; ++n) {
    if (const int result = attribute_of(call, resolved, attributes[n], address, values[n])) return result;
  }
  return success;
}

RW_CUDA cuPointerSetAttribute(const void*, int attribute, DevicePointer) {
  RW_CALL(call);
  return attribute == sync_memops ? success : invalid_value;
}

}  // namespace ropewalk::driver
