#include "lib/driver/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lib/base/bits.h"
#include "lib/driver/public_call.h"
#include "lib/machine/address.h"

namespace ropewalk::driver {

namespace {

constexpr u64 base_of(u64 window) {
  return machine::generic_base(machine::first_resident_window + window) + machine::window_lead;
}
// A launch has windows of its own besides, such as those for memory of the process.
constexpr u64 most_windows = machine::most_windows - machine::first_resident_window - 4096;
// Freed memory that is remembered, so that an access to it is reported.
constexpr std::size_t most_freed = 256;
// Memory smaller than this is filled with a pattern: floats that nobody wrote read as NaN, integers as -1.
constexpr u64 patterned_below = u64(1) << 20;

// Pages of managed memory are moved to and fro: there may be more of it than a device has.
bool takes_memory_of_device(MemoryKind kind) { return kind != MemoryKind::Host && kind != MemoryKind::Managed; }

}  // namespace

Resident Allocation::resident(u32 device) {
  Resident out{.data = data,
               .initialized = initialized,
               .address = address,
               .is_private = is_private(),
               .undefined_bits = &undefined_bits,
               .widest_stored = &widest_stored};
  if (range && !freed) {
    out.granules = range->granules(device);
    out.is_aliased = range->is_aliased();
  }
  return out;
}

void Allocation::track_variable() {
  if (kind != MemoryKind::Variable || initialized) return;
  bit_pages = Pages((bytes + 63) / 64 * 8);
  initialized = reinterpret_cast<u64*>(bit_pages.data());
  if (initialized) set_bits(initialized, 0, bytes);
}

std::string Allocation::text() const {
  return name.empty() ? fmt::format("allocation {} ({} bytes, {})", number, bytes, made_by)
                      : fmt::format("the variable {}", name);
}

u64 DeviceMemory::used(u32 device) const { return device < used_.size() ? used_[device] : 0; }

Allocation* DeviceMemory::add(std::unique_ptr<Allocation> allocation) {
  Allocation* added = allocation.get();
  added->number = ++made_;
  ++version_;
  if (added->is_on_host()) {
    if (added->bytes) of_process_[added->address + added->bytes - 1] = added;
  } else {
    windows_[machine::window_of(added->address) - machine::first_resident_window] = added;
  }
  allocations_[added->number] = std::move(allocation);
  return added;
}

bool DeviceMemory::has_window() const { return !spare_windows_.empty() || windows_.size() < most_windows; }

// The oldest of those whose memory is forgotten, else one more.
u64 DeviceMemory::take_window() {
  if (!spare_windows_.empty()) {
    const u32 window = spare_windows_.front();
    spare_windows_.pop_front();
    return base_of(window);
  }
  windows_.push_back(nullptr);
  return base_of(windows_.size() - 1);
}

std::unique_ptr<Allocation> DeviceMemory::begin(MemoryKind kind, u32 device, u64 bytes, const std::string& call) const {
  auto made = std::make_unique<Allocation>();
  made->kind = kind;
  made->device = device;
  made->bytes = bytes;
  made->made_by = PublicCall::name_or(call);
  made->made_at = CallStack::here();
  return made;
}

Allocation* DeviceMemory::allocate(const Wish& wish) {
  if (takes_memory_of_device(wish.kind) && (wish.bytes > limit_ || used(wish.device) > limit_ - wish.bytes))
    return nullptr;
  auto made = begin(wish.kind, wish.device, wish.bytes, wish.call);
  made->name = wish.name;
  made->context = wish.context;
  made->data_pages = Pages(wish.bytes);
  made->data = made->data_pages.data();
  if (!made->data) return nullptr;
  if (made->is_on_host()) {
    made->address = u64(made->data);  // what the host writes is not seen
  } else {
    if (!has_window()) return nullptr;
    if (!wish.is_initialized) {
      made->bit_pages = Pages((wish.bytes + 63) / 64 * 8);
      made->initialized = reinterpret_cast<u64*>(made->bit_pages.data());
      if (!made->initialized) return nullptr;
      if (wish.bytes < patterned_below) std::memset(made->data, 0xff, wish.bytes);
    }
    made->address = take_window();
  }
  if (used_.size() <= wish.device) used_.resize(wish.device + 1);
  if (wish.is_of_graph) {
    made->is_of_graph = made->freed = true;
    made->freed_by = "its graph (no launch made it so far)";
    made->freed_at = made->made_at;
  } else if (takes_memory_of_device(wish.kind)) {
    used_[wish.device] += wish.bytes;
  }
  return add(std::move(made));
}

Allocation* DeviceMemory::of_process(u64 address) const {
  const auto at = of_process_.lower_bound(address);
  return at != of_process_.end() && at->second->address <= address ? at->second : nullptr;
}

Allocation* DeviceMemory::lend(void* data, u64 bytes, const std::string& call, u64* initialized) {
  const u64 address = u64(data);
  const auto at = of_process_.lower_bound(address);
  if (at != of_process_.end() && at->second->address < address + bytes) {
    Allocation* other = at->second;
    if (other->kind == MemoryKind::Lent && !other->freed && other->address == address && other->bytes == bytes) {
      ++lent_[other];
      return other;
    }
    if (!other->freed) return nullptr;
    drop(*other);
    return lend(data, bytes, call, initialized);
  }
  auto made = std::make_unique<Allocation>();
  made->kind = MemoryKind::Lent;
  made->bytes = bytes;
  made->address = address;
  made->data = static_cast<std::byte*>(data);
  made->initialized = initialized;
  made->made_by = PublicCall::name_or(call);
  lent_[made.get()] = 1;
  return add(std::move(made));
}

Result DeviceMemory::take_back(const void* data, const std::string&) {
  Allocation* at = of_process(u64(data));
  const bool is_lent = at && at->kind == MemoryKind::Lent && !at->freed && at->address == u64(data);
  if (!is_lent) return Result::HostMemoryNotRegistered;
  if (--lent_[at] == 0) {
    lent_.erase(at);
    drop(*at);
  }
  return Result::Success;
}

void DeviceMemory::note_freed(void* data, u64 bytes, const std::string& call) {
  const u64 address = u64(data);
  const auto overlapping = [&] {
    const auto at = of_process_.lower_bound(address);
    return at != of_process_.end() && at->second->address < address + bytes ? at->second : nullptr;
  };
  while (Allocation* other = overlapping()) {
    if (!other->freed) return;
    drop(*other);
  }
  Allocation* at = bytes ? lend(data, bytes, call) : nullptr;
  if (!at) return;
  lent_.erase(at);
  at->freed = true;
  at->freed_by = "the program";
  remember(*at);
}

void DeviceMemory::forget_freed(const void* data) {
  Allocation* at = of_process(u64(data));
  if (at && at->kind == MemoryKind::Lent && at->freed) drop(*at);
}

Result DeviceMemory::release(u64 address, MemoryKind kind, const std::string& call) {
  if (!address) return Result::Success;
  if (on_check) on_check();
  const ResolvedAddress resolved = find(address);
  Allocation* const at = resolved.allocation;
  if (!at) {
    report_({Rule::InvalidFree, call, fmt::format("{:#x} is in no allocation", address)});
  } else if (at->freed) {
    report_({Rule::DoubleFree, call, fmt::format("{} was freed already, by {}", at->text(), at->freed_by), at});
  } else if (resolved.offset) {
    report_({Rule::InvalidFree, call, fmt::format("the address is {} bytes into {}", resolved.offset, at->text()), at});
  } else if ((at->kind == MemoryKind::Host) != (kind == MemoryKind::Host) || at->kind == MemoryKind::Variable ||
             at->kind == MemoryKind::Lent || at->kind == MemoryKind::Reserved || at->is_imported()) {
    report_({Rule::InvalidFree, call, fmt::format("{} is not memory that this call frees", at->text()), at});
  } else {
    retire(*at, call);
    return Result::Success;
  }
  return Result::InvalidValue;
}

Result DeviceMemory::make(Allocation& at, const std::string&) {
  if (!at.freed) return Result::InvalidValue;
  if (at.bytes > limit_ - used(at.device)) return Result::OutOfMemory;
  at.freed = false;
  std::memset(at.initialized, 0, (at.bytes + 63) / 64 * 8);
  if (at.bytes < patterned_below) std::memset(at.data, 0xff, at.bytes);
  used_[at.device] += at.bytes;
  GraphBytes& sum = graph_bytes(at.device);
  sum.used += at.bytes;
  sum.most_used = std::max(sum.most_used, sum.used);
  sum.reserved = std::max(sum.reserved, sum.used);
  sum.most_reserved = std::max(sum.most_reserved, sum.reserved);
  ++version_;
  return Result::Success;
}

void DeviceMemory::disown(Allocation& at) {
  at.is_of_graph = false;
  if (at.freed)
    remember(at);
  else
    graph_bytes(at.device).used -= at.bytes;
}

void DeviceMemory::put_into_pool(Allocation& at, std::shared_ptr<const std::set<u32>> pool) {
  at.pool = std::move(pool);
  PoolBytes& sum = pool_bytes(at.pool);
  sum.used += at.bytes;
  sum.most_used = std::max(sum.most_used, sum.used);
}

void DeviceMemory::report_results(const Allocation& at) const {
  if (!on_result || at.undefined.empty()) return;
  for (const auto& stored : at.undefined_results()) on_result(*stored, at);
}

void DeviceMemory::report_results() const {
  for (const Allocation* at : live()) report_results(*at);
}

// Its bytes are lost, and its address range is remembered.
void DeviceMemory::retire(Allocation& at, const std::string& call) {
  report_results(at);
  at.freed = true;
  at.freed_by = PublicCall::name_or(call);
  at.freed_at = CallStack::here();
  at.undefined.clear();
  at.undefined_bits.clear();
  at.data_pages.forget();
  at.bit_pages.forget();
  const bool is_counted = !at.is_imported() && !at.range;
  if (takes_memory_of_device(at.kind) && is_counted) used_[at.device] -= at.bytes;
  if (at.pool) pool_bytes(at.pool).used -= at.bytes;
  at.physical.reset();
  ++version_;
  if (at.is_of_graph)
    graph_bytes(at.device).used -= at.bytes;
  else
    remember(at);
}

void DeviceMemory::remember(const Allocation& at) {
  freed_.push_back(at.number);
  while (freed_.size() > most_freed) {
    const auto oldest = allocations_.find(freed_.front());
    freed_.pop_front();
    if (oldest != allocations_.end()) drop(*oldest->second);
  }
}

void DeviceMemory::forget(Allocation& variable) { retire(variable, "the unloading of its module"); }

void DeviceMemory::drop(Allocation& at) {
  ++version_;
  if (at.is_on_host()) {
    if (at.bytes) of_process_.erase(at.address + at.bytes - 1);
  } else {
    const u32 window = u32(machine::window_of(at.address) - machine::first_resident_window);
    windows_[window] = nullptr;
    spare_windows_.push_back(window);
  }
  allocations_.erase(at.number);
}

Allocation* DeviceMemory::near(u64 address) const {
  const u64 window = machine::window_of(address);
  if (window < machine::process_windows) return of_process(address);
  const u64 number = window - machine::first_resident_window;
  Allocation* const at =
      window >= machine::first_resident_window && number < windows_.size() ? windows_[number] : nullptr;
  return at && at->kind != MemoryKind::Physical ? at : nullptr;
}

ResolvedAddress DeviceMemory::find(u64 address) const {
  Allocation* const at = near(address);
  // An empty allocation has an address, too.
  if (!at || address < at->address || address - at->address >= std::max<u64>(at->bytes, 1)) return {};
  return {at, address - at->address};
}

ResolvedAddress DeviceMemory::find_pointer(u64 address) const {
  const ResolvedAddress inside = find(address);
  if (inside.allocation || !address) return inside;
  // On a device nothing else is near; of the process's memory the end of one thing may be the start of another.
  Allocation* at = near(address);
  if (machine::window_of(address) < machine::process_windows) {
    at = of_process(address - 1);
    if (at && at->address + at->bytes != address) at = nullptr;
  }
  return at ? ResolvedAddress{at, address - at->address} : ResolvedAddress{};
}

bool DeviceMemory::check(ResolvedAddress& resolved, u64 address, u64 bytes, bool writes, const std::string& call) {
  resolved = find(address);
  Allocation* at = resolved.allocation;
  const char* verb = writes ? "writes" : "reads";
  if (!at && machine::window_of(address) < machine::process_windows) {
    if (!address && bytes) report_({Rule::IllegalAddress, call, fmt::format("{} {} bytes at null", verb, bytes)});
    return address || !bytes;
  }
  if (!at) at = near(address);
  if (!at) {
    report_({Rule::IllegalAddress, call,
             fmt::format("{} {} bytes at {:#x}, which is in no allocation", verb, bytes, address)});
    return false;
  }
  Access access{.space = "global", .bytes = bytes, .tensor = at->text()};
  access.byte_offset = i64(address - at->address);
  const Rule rule = at->freed ? Rule::UseAfterFree : writes ? Rule::OutOfBoundsWrite : Rule::OutOfBoundsRead;
  if (at->freed) {
    report_({rule, call, fmt::format("{} {}, which {} freed", verb, at->text(), at->freed_by), at, access});
    return false;
  }
  if (address < at->address) {
    access.bytes_before_start = i64(at->address - address);
    report_({rule, call,
             fmt::format("{} {} bytes from {} bytes before {} on", verb, bytes, at->address - address, at->text()), at,
             access});
    return false;
  }
  const u64 offset = address - at->address;
  if (offset > at->bytes || bytes > at->bytes - offset) {
    access.byte_offset = i64(std::max(offset, at->bytes));
    access.bytes_past_end = *access.byte_offset - i64(at->bytes);
    report_({rule, call,
             fmt::format("{} {} bytes from byte {} of {} on, {} more than there are", verb, bytes, offset, at->text(),
                         offset + bytes - at->bytes),
             at, access});
    return false;
  }
  return !at->range || check_mapped(resolved, bytes, verb, call);
}

void DeviceMemory::touched_by_host(u64 address, bool writes) {
  const Allocation* const at = near(address);
  if (!at) return;
  const i64 offset = i64(address - at->address);
  report_({Rule::IllegalAddress, "host code",
           fmt::format("{} byte {} of {}, which only kernels and copies reach", writes ? "writes" : "reads", offset,
                       at->text()),
           at, Access{.space = "global", .tensor = at->text(), .byte_offset = offset}});
}

std::vector<Allocation*> DeviceMemory::all() const {
  std::vector<Allocation*> out;
  for (const auto& [number, at] : allocations_) out.push_back(at.get());
  return out;
}

std::vector<Allocation*> DeviceMemory::live() const {
  std::vector<Allocation*> out;
  for (const auto& [number, at] : allocations_) {
    if (!at->freed) out.push_back(at.get());
  }
  return out;
}

void DeviceMemory::lose(const Context* context) {
  for (Allocation* at : live()) {
    if (at->context == context) retire(*at, "the destruction of its context");
  }
}

void DeviceMemory::reset(u32 device) {
  for (Allocation* at : live()) {
    if (at->device == device && (at->kind == MemoryKind::Device || at->kind == MemoryKind::Managed)) {
      retire(*at, "the reset of the device");
    }
  }
}

}  // namespace ropewalk::driver
