// Memory that is mapped by hand, as the stand-in driver has it: addresses, pages and access come by calls of their own,
// in whole pages of 2 MiB, and go in the reverse order.
#include "tests/lib/gpu/stand_in_state.h"

using namespace ropewalk;
using namespace ropewalk::gpu;
using namespace ropewalk::stand_in;

namespace {

constexpr u64 page = u64(2) << 20;

struct Pages {
  u64 bytes = 0;
  int device = 0;
  bool is_released = false;
  u32 mappings = 0;
};

std::map<DevicePointer, u64> reserved;  // bytes by the first address
std::map<MemoryHandle, Pages> created;
std::map<DevicePointer, MemoryHandle> mapped;

bool is_whole(u64 bytes) { return bytes > 0 && bytes % page == 0; }

bool is_device(const MemoryLocation& location) {
  return location.type == MemoryLocation::on_device && location.number >= 0 && location.number < device_total;
}

bool is_proper(const MemoryProperties* properties) {
  return properties && properties->type == MemoryProperties::pinned && is_device(properties->location);
}

// Whether a range of addresses meets a mapping.
bool meets_mapping(DevicePointer address, u64 bytes) {
  for (const auto& [at, memory] : mapped) {
    if (at < address + bytes && address < at + allocations.at(at).bytes.size()) return true;
  }
  return false;
}

bool is_reserved(DevicePointer address, u64 bytes) {
  auto at = reserved.upper_bound(address);
  if (at == reserved.begin()) return false;
  --at;
  return address + bytes <= at->first + at->second;
}

// Exactly one mapping; null: there is none.
Allocation* mapping_at(DevicePointer address, u64 bytes) {
  if (!mapped.contains(address)) return nullptr;
  Allocation& allocation = allocations.at(address);
  return allocation.bytes.size() == bytes ? &allocation : nullptr;
}

void forget_if_unused(MemoryHandle memory) {
  const Pages& pages = created.at(memory);
  if (pages.is_released && pages.mappings == 0) created.erase(memory);
}

// With the pages that no mapping shows.
bool has_room_for_pages(int device, u64 bytes) {
  for (const auto& [memory, pages] : created) {
    if (pages.device == device && pages.mappings == 0) bytes += pages.bytes;
  }
  return has_room(device, bytes);
}

}  // namespace

extern "C" {

Result cuMemGetAllocationGranularity(std::size_t* bytes, const MemoryProperties* properties, int option) {
  if (const Result error = enter("cuMemGetAllocationGranularity", Needs::Driver)) return error;
  if (!is_proper(properties) || (option != granularity_minimum && option != 1)) return invalid_value;
  *bytes = page;
  return success;
}

Result cuMemAddressReserve(DevicePointer* address, std::size_t bytes, std::size_t alignment, DevicePointer,
                           unsigned long long flags) {
  if (const Result error = enter("cuMemAddressReserve", Needs::Driver)) return error;
  if (!is_whole(bytes) || flags != 0 || (alignment & (alignment - 1)) != 0) return invalid_value;
  *address = new_addresses(bytes, std::max<u64>(alignment, page));
  reserved[*address] = bytes;
  return success;
}

Result cuMemAddressFree(DevicePointer address, std::size_t bytes) {
  if (const Result error = enter("cuMemAddressFree", Needs::Driver)) return error;
  const auto at = reserved.find(address);
  if (at == reserved.end() || at->second != bytes || meets_mapping(address, bytes)) return invalid_value;
  reserved.erase(at);
  return success;
}

Result cuMemCreate(MemoryHandle* memory, std::size_t bytes, const MemoryProperties* properties,
                   unsigned long long flags) {
  if (const Result error = enter("cuMemCreate", Needs::Driver)) return error;
  if (!is_proper(properties) || !is_whole(bytes) || flags != 0) return invalid_value;
  if (!has_room_for_pages(properties->location.number, bytes)) return out_of_memory;
  static MemoryHandle next = 1;
  *memory = next++;
  created[*memory] = {bytes, properties->location.number, false, 0};
  return success;
}

Result cuMemRelease(MemoryHandle memory) {
  if (const Result error = enter("cuMemRelease", Needs::Driver)) return error;
  if (!created.contains(memory) || created[memory].is_released) return invalid_value;
  created[memory].is_released = true;
  forget_if_unused(memory);
  return success;
}

Result cuMemMap(DevicePointer address, std::size_t bytes, std::size_t offset, MemoryHandle memory,
                unsigned long long flags) {
  if (const Result error = enter("cuMemMap", Needs::Driver)) return error;
  if (!created.contains(memory) || created[memory].is_released) return invalid_value;
  if (!is_whole(bytes) || address % page != 0 || offset != 0 || flags != 0) return invalid_value;
  if (bytes > created[memory].bytes || !is_reserved(address, bytes) || meets_mapping(address, bytes)) {
    return invalid_value;
  }
  ++created[memory].mappings;
  mapped[address] = memory;
  allocations.emplace(address, Allocation{std::vector<std::byte>(bytes), "", nullptr, {}, true});
  return success;
}

Result cuMemUnmap(DevicePointer address, std::size_t bytes) {
  if (const Result error = enter("cuMemUnmap", Needs::Driver)) return error;
  if (!mapping_at(address, bytes)) return invalid_value;
  const MemoryHandle memory = mapped[address];
  mapped.erase(address);
  allocations.erase(address);
  --created[memory].mappings;
  forget_if_unused(memory);
  return success;
}

Result cuMemSetAccess(DevicePointer address, std::size_t bytes, const MemoryAccess* access, std::size_t count) {
  if (const Result error = enter("cuMemSetAccess", Needs::Driver)) return error;
  Allocation* const allocation = mapping_at(address, bytes);
  if (!allocation || !access || count == 0) return invalid_value;
  for (std::size_t n = 0; n < count; ++n) {
    if (!is_device(access[n].location) || access[n].flags != MemoryAccess::read_and_write) return invalid_value;
    allocation->readers.insert(access[n].location.number);
  }
  return success;
}

}  // extern "C"
