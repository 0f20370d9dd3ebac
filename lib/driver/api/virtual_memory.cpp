// Virtual memory management: addresses are reserved, memory is made by handles, mapped, and opened to devices.
#include <bit>

#include "lib/driver/api/api.h"
#include "lib/driver/api/location.h"

namespace ropewalk::driver {

namespace {

constexpr int pinned = 1;   // CU_MEM_ALLOCATION_TYPE_PINNED
constexpr int by_file = 1;  // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
constexpr u64 granule = AddressRange::granule;

// CUmemAllocationProp
struct MemoryWish {
  int type, handle_types;
  MemoryLocation location;
  void* of_windows;
  unsigned char flags[8];
};
static_assert(sizeof(MemoryWish) == 32);

// Where memory lies, or from where it is touched: devices alone, which is what cuDeviceGetAttribute says.
Result check_location(Session& session, const MemoryLocation& at) {
  if (at.type != MemoryLocation::of_device) return Result::NotSupported;
  return session.options().has_device(at.number) ? Result::Success : Result::InvalidDevice;
}

Result check_wish(Session& session, const MemoryWish* wish) {
  if (!wish || wish->type != pinned) return Result::InvalidValue;
  if (wish->handle_types & ~by_file) return Result::NotSupported;
  return check_location(session, wish->location);
}

}  // namespace

RW_CUDA cuMemAddressReserve(DevicePointer* address, std::size_t bytes, std::size_t alignment, DevicePointer,
                            unsigned long long flags) {
  RW_CALL_OF_ANY_CONTEXT(call);
  // The address that a program wants is a hint. What is given is aligned to more than anybody asks for.
  constexpr u64 page = 4096;
  if (!address || !bytes || bytes % page || flags || (alignment && !std::has_single_bit(alignment)))
    return invalid_value;
  const Allocation* const at = call->memory().reserve(bytes, "cuMemAddressReserve");
  if (!at) return answer(Result::OutOfMemory);
  *address = at->address;
  return success;
}

RW_CUDA cuMemAddressFree(DevicePointer address, std::size_t bytes) {
  RW_CALL_OF_ANY_CONTEXT(call);
  wait_for_all(*call);
  return answer(call->memory().free_reserved(address, bytes, "cuMemAddressFree"));
}

RW_CUDA cuMemGetAllocationGranularity(std::size_t* bytes, const MemoryWish* wish, int) {
  RW_CALL_OF_ANY_CONTEXT(call);
  if (!bytes) return invalid_value;
  *bytes = granule;
  return answer(check_wish(*call, wish));
}

RW_CUDA cuMemCreate(u64* handle, std::size_t bytes, const MemoryWish* wish, unsigned long long flags) {
  RW_CALL_OF_ANY_CONTEXT(call);
  if (!handle || !bytes || bytes % granule || flags) return invalid_value;
  if (const Result result = check_wish(*call, wish); result != Result::Success) return answer(result);
  const u32 device = u32(wish->location.number);
  DeviceMemory& memory = call->memory();
  if (bytes > memory.limit() - memory.used(device)) return answer(Result::OutOfMemory);
  auto made = PhysicalMemory::make(bytes, device, wish->handle_types);
  const Allocation* const at = made ? memory.create(std::move(made), "cuMemCreate") : nullptr;
  if (!at) return answer(Result::OutOfMemory);
  *handle = at->address;
  return success;
}

RW_CUDA cuMemRelease(u64 handle) {
  RW_CALL_OF_ANY_CONTEXT(call);
  return answer(call->memory().release_physical(handle, "cuMemRelease"));
}

RW_CUDA cuMemMap(DevicePointer address, std::size_t bytes, std::size_t offset, u64 handle, unsigned long long flags) {
  RW_CALL_OF_ANY_CONTEXT(call);
  if (flags) return invalid_value;
  if (offset) return answer(Result::NotSupported);  // "currently must be zero"
  return answer(call->memory().map(address, bytes, handle));
}

RW_CUDA cuMemUnmap(DevicePointer address, std::size_t bytes) {
  RW_CALL_OF_ANY_CONTEXT(call);
  wait_for_all(*call);
  return answer(call->memory().unmap(address, bytes, "cuMemUnmap"));
}

RW_CUDA cuMemSetAccess(DevicePointer address, std::size_t bytes, const AccessWish* wishes, std::size_t count) {
  RW_CALL_OF_ANY_CONTEXT(call);
  u64 offset = 0;
  AddressRange* const range = call->memory().range_at(address, &offset);
  if (!range || !wishes || !count) return invalid_value;
  for (std::size_t n = 0; n < count; ++n) {
    const auto& [at, flags] = wishes[n];
    if (const Result result = check_location(*call, at); result != Result::Success) return answer(result);
    if (flags != AccessWish::none && flags != AccessWish::read_and_write) {
      call->unsupported("cuMemSetAccess to read alone");
      return answer(Result::NotSupported);
    }
    if (!range->set_access(offset, bytes, u32(at.number), flags)) return invalid_value;
  }
  return success;
}

RW_CUDA cuMemGetAccess(unsigned long long* flags, const MemoryLocation* at, DevicePointer address) {
  RW_CALL_OF_ANY_CONTEXT(call);
  u64 offset = 0;
  AddressRange* const range = call->memory().range_at(address, &offset);
  const auto* const mapping = range ? range->at(offset) : nullptr;
  if (!flags || !at || !mapping) return invalid_value;
  if (const Result result = check_location(*call, *at); result != Result::Success) return answer(result);
  const auto access = mapping->second.access.find(u32(at->number));
  *flags = access == mapping->second.access.end() ? AccessWish::none : access->second;
  return success;
}

RW_CUDA cuMemRetainAllocationHandle(u64* handle, void* address) {
  RW_CALL_OF_ANY_CONTEXT(call);
  u64 offset = 0;
  AddressRange* const range = call->memory().range_at(u64(address), &offset);
  const auto* const mapping = range ? range->at(offset) : nullptr;
  if (!handle || !mapping) return invalid_value;
  ++mapping->second.memory->physical->references;
  *handle = mapping->second.memory->address;
  return success;
}

RW_CUDA cuMemGetAllocationPropertiesFromHandle(MemoryWish* wish, u64 handle) {
  RW_CALL_OF_ANY_CONTEXT(call);
  const Allocation* const at = call->memory().physical(handle);
  if (!wish || !at) return invalid_value;
  *wish = {
      pinned, at->physical->is_shareable() ? by_file : 0, {MemoryLocation::of_device, int(at->device)}, nullptr, {}};
  return success;
}

// Between processes: a file without a name, which is the memory.

RW_CUDA cuMemExportToShareableHandle(void* file, u64 handle, int type, unsigned long long flags) {
  RW_CALL_OF_ANY_CONTEXT(call);
  const Allocation* const at = call->memory().physical(handle);
  if (!file || !at || flags) return invalid_value;
  if (type != by_file) return answer(Result::NotSupported);
  const int shared = at->physical->share();
  if (shared < 0) return invalid_value;
  *static_cast<int*>(file) = shared;
  return success;
}

RW_CUDA cuMemImportFromShareableHandle(u64* handle, void* file, int type) {
  RW_CALL_OF_ANY_CONTEXT(call);
  if (!handle) return invalid_value;
  if (type != by_file) return answer(Result::NotSupported);
  auto opened = PhysicalMemory::open(int(u64(file)));
  if (!opened || opened->device() >= call->options().devices) return invalid_value;
  const Allocation* const at = call->memory().create(std::move(opened), "cuMemImportFromShareableHandle");
  if (!at) return answer(Result::OutOfMemory);
  *handle = at->address;
  return success;
}

}  // namespace ropewalk::driver
