#include "lib/gpu/device_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ropewalk::gpu {

namespace {

constexpr u64 zone_bytes = 4096;          // before and behind a tensor
constexpr u32 allocated_alignment = 256;  // of what the driver allocates

u64 rounded_up(u64 bytes, u64 unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

DeviceMemory::DeviceMemory(const Driver& driver, DeviceHandle device, u64 bytes, u32 alignment, Guards wanted)
    : driver_(&driver), guards_(wanted) {
  const bool wants_pages = wanted == Guards::End || wanted == Guards::Start;
  if (wants_pages && map(device, bytes, alignment, wanted)) return;
  if (wants_pages) guards_ = Guards::Zones;
  if (guards_ == Guards::Zones) {
    // A tensor that promises less than the driver gives begins where no more than that is kept.
    before_ = zone_bytes + (alignment < allocated_alignment ? alignment : 0);
    size_ = before_ + bytes + zone_bytes;
  } else {
    size_ = std::max<u64>(bytes, 1);
  }
  ROPEWALK_CUDA(driver, allocate, &begin_, size_);
}

DeviceMemory::~DeviceMemory() { give_back(); }

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : driver_(other.driver_),
      guards_(other.guards_),
      begin_(std::exchange(other.begin_, 0)),
      size_(other.size_),
      before_(other.before_),
      reserved_(std::exchange(other.reserved_, 0)),
      reserved_bytes_(other.reserved_bytes_),
      is_mapped_(std::exchange(other.is_mapped_, false)),
      why_zones_(std::move(other.why_zones_)) {}

// What fails here has failed before, and was reported then.
void DeviceMemory::give_back() {
  if (is_mapped_) driver_->unmap(begin_, size_);
  if (reserved_) driver_->unreserve(reserved_, reserved_bytes_);
  if (begin_ && !reserved_) driver_->release(begin_);
  begin_ = reserved_ = 0;
  is_mapped_ = false;
}

bool DeviceMemory::worked(Result result, const char* symbol) {
  if (result == success) return true;
  why_zones_ = fmt::format("{} failed with {}", symbol, driver_->name_of(result));
  return false;
}

// Whole pages in the middle of a range of addresses whose first and last pages stay unmapped.
bool DeviceMemory::map(DeviceHandle device, u64 bytes, u32 alignment, Guards wanted) {
  if (!driver_->maps_memory(device)) {
    why_zones_ = "this device or its driver maps no memory by hand";
    return false;
  }
  MemoryProperties properties;
  properties.location.number = device;
  std::size_t page = 0;
  if (!worked(driver_->granularity(&page, &properties, granularity_minimum), "cuMemGetAllocationGranularity")) {
    return false;
  }
  const u64 mapped = rounded_up(std::max<u64>(bytes, 1), page);
  const u64 gap = mapped - bytes;
  MemoryHandle memory = 0;
  if (!worked(driver_->create_memory(&memory, mapped, &properties, 0), "cuMemCreate")) return false;
  const MemoryAccess access{properties.location};
  reserved_bytes_ = mapped + 2 * page;
  if (worked(driver_->reserve(&reserved_, reserved_bytes_, 0, 0, 0), "cuMemAddressReserve") &&
      worked(driver_->map(reserved_ + page, mapped, 0, memory, 0), "cuMemMap")) {
    is_mapped_ = true;
    begin_ = reserved_ + page;
    size_ = mapped;
  }
  // The pages live as long as they are mapped.
  const bool all = is_mapped_ && worked(driver_->set_access(begin_, size_, &access, 1), "cuMemSetAccess");
  driver_->release_memory(memory);
  if (!all) {
    give_back();
    return false;
  }
  before_ = wanted == Guards::Start ? 0 : gap / alignment * alignment;
  return true;
}

}  // namespace ropewalk::gpu
