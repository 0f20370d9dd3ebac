// Reserved addresses and what is mapped there, as memory of the process.
#include <fmt/format.h>

#include "lib/driver/memory.h"
#include "lib/machine/address.h"

namespace ropewalk::driver {

Allocation* DeviceMemory::reserve(u64 bytes, const std::string& call) {
  if (bytes > machine::most_window_bytes || !has_window()) return nullptr;
  auto made = begin(MemoryKind::Reserved, 0, bytes, call);
  made->range = AddressRange::make(bytes);
  if (!made->range) return nullptr;
  made->data = made->range->data();
  made->initialized = made->range->initialized();
  made->address = take_window();
  return add(std::move(made));
}

AddressRange* DeviceMemory::range_at(u64 address, u64* offset) const {
  const ResolvedAddress resolved = find(address);
  *offset = resolved.offset;
  return resolved.allocation && !resolved.allocation->freed ? resolved.allocation->range.get() : nullptr;
}

Result DeviceMemory::free_reserved(u64 address, u64 bytes, const std::string& call) {
  if (on_check) on_check();
  const ResolvedAddress resolved = find(address);
  Allocation* const at = resolved.allocation;
  const auto refuse = [&](Rule rule, const std::string& why) {
    report_({rule, call, why, at});
    return Result::InvalidValue;
  };
  if (!at || !at->range) return refuse(Rule::InvalidFree, fmt::format("{:#x} is in no reserved range", address));
  if (at->freed) return refuse(Rule::DoubleFree, fmt::format("{} was freed already, by {}", at->text(), at->freed_by));
  if (resolved.offset || bytes != at->bytes) {
    return refuse(Rule::InvalidFree, fmt::format("frees {} bytes from byte {} of {} on, which is freed as a whole",
                                                 bytes, resolved.offset, at->text()));
  }
  if (!at->range->is_empty())
    return refuse(Rule::InvalidFree, fmt::format("there is still memory mapped to {}", at->text()));
  retire(*at, call);
  return Result::Success;
}

Allocation* DeviceMemory::create(std::unique_ptr<PhysicalMemory> memory, const std::string& call) {
  const u32 device = memory->device();
  if (!has_window() || (!memory->is_imported && memory->bytes() > limit_ - used(device))) return nullptr;
  auto made = begin(MemoryKind::Physical, device, memory->bytes(), call);
  made->address = take_window();
  if (used_.size() <= device) used_.resize(device + 1);
  if (!memory->is_imported) used_[device] += memory->bytes();
  made->physical = std::move(memory);
  return add(std::move(made));
}

Allocation* DeviceMemory::physical(u64 handle) const {
  const u64 number = machine::window_of(handle) - machine::first_resident_window;
  Allocation* const at = number < windows_.size() ? windows_[number] : nullptr;
  const bool is_there = at && at->address == handle && at->physical && at->physical->references;
  return is_there ? at : nullptr;
}

Result DeviceMemory::release_physical(u64 handle, const std::string& call) {
  if (on_check) on_check();
  Allocation* const at = physical(handle);
  if (!at) {
    report_({Rule::InvalidFree, call, fmt::format("{:#x} is no handle of memory, or was released already", handle)});
    return Result::InvalidValue;
  }
  if (--at->physical->references == 0 && !at->physical->mappings) retire(*at, call);
  return Result::Success;
}

Result DeviceMemory::map(u64 address, u64 bytes, u64 handle) {
  Allocation* const memory = physical(handle);
  const ResolvedAddress resolved = find(address);
  Allocation* const at = resolved.allocation;
  constexpr u64 granule = AddressRange::granule;
  if (!memory || !at || !at->range || at->freed || !bytes || bytes % granule || resolved.offset % granule ||
      bytes > at->bytes - resolved.offset)
    return Result::InvalidValue;
  if (bytes != memory->bytes) return Result::NotSupported;  // a part, or more than there is
  ++version_;
  return at->range->map(resolved.offset, bytes, *memory) ? Result::Success : Result::InvalidValue;
}

Result DeviceMemory::unmap(u64 address, u64 bytes, const std::string& call) {
  u64 offset = 0;
  AddressRange* const range = range_at(address, &offset);
  const auto unmapped = range ? range->unmap(offset, bytes) : std::nullopt;
  if (!unmapped) return Result::InvalidValue;
  for (Allocation* const memory : *unmapped) {
    if (memory->physical && !memory->physical->references && !memory->physical->mappings) retire(*memory, call);
  }
  ++version_;
  return Result::Success;
}

bool DeviceMemory::check_mapped(const ResolvedAddress& resolved, u64 bytes, const char* verb, const std::string& call) {
  Allocation& at = *resolved.allocation;
  const auto missing = at.range->missing(resolved.offset, bytes);
  if (!missing) return true;
  Access access{.space = "global", .bytes = bytes, .tensor = at.text(), .byte_offset = i64(*missing)};
  report_({Rule::IllegalAddress, call,
           fmt::format("{} {} bytes from byte {} of {} on: {}", verb, bytes, resolved.offset, at.text(),
                       at.range->why_not(*missing, 0)),
           &at, access});
  return false;
}

}  // namespace ropewalk::driver
