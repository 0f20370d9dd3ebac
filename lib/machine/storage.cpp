#include "lib/machine/storage.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "lib/base/error.h"

namespace ropewalk::machine {

namespace {

constexpr u64 slab_bytes = u64(4) << 20;
constexpr u64 padding = 64;
constexpr u64 keep_at_most = u64(512) << 20;  // bytes of mappings, and of slabs, kept for the next launch

// Slabs and mappings are kept from launch to launch: getting memory from the system costs more than a small case, and
// touching it for the first time more than a large one.
struct Pool {
  std::mutex mutex;
  std::vector<std::byte*> slabs;
  std::multimap<u64, void*> mappings;  // by size
  u64 kept = 0;
};

Pool& pool() {
  static Pool* const instance = new Pool;  // never destroyed: other statics may still return slabs
  return *instance;
}

std::byte* take_slab() {
  {
    const std::lock_guard lock(pool().mutex);
    if (!pool().slabs.empty()) {
      std::byte* slab = pool().slabs.back();
      pool().slabs.pop_back();
      return slab;
    }
  }
  return static_cast<std::byte*>(std::aligned_alloc(4096, slab_bytes));
}

// Sizes that differ little become the same, so that the next launch finds a mapping of this one's that fits.
u64 rounded_up(u64 bytes) {
  if (bytes > keep_at_most / 4) return (bytes + 4095) / 4096 * 4096;
  const u64 step = std::bit_floor(bytes) / 4;
  return (bytes + step - 1) / step * step;
}

// A kept mapping of exactly this size; nullptr: none.
void* take_mapping(u64 bytes) {
  const std::lock_guard lock(pool().mutex);
  const auto at = pool().mappings.find(bytes);
  if (at == pool().mappings.end()) return nullptr;
  void* mapping = at->second;
  pool().mappings.erase(at);
  pool().kept -= bytes;
  return mapping;
}

}  // namespace

std::byte* Storage::take(u64 bytes, bool zero) {
  if (bytes >= large) {
    const u64 rounded = rounded_up(bytes + padding);
    if (void* kept = take_mapping(rounded)) {
      mappings_.push_back({kept, rounded});
      if (zero) std::memset(kept, 0, bytes);
      return static_cast<std::byte*>(kept);
    }
    void* at = mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
      throw InputError(fmt::format("a tensor of {} bytes does not fit the address space of this process", bytes));
    }
    // Huge pages make the first touch fast, but would cost 2 MiB a touched page where a tensor is sparse.
    if (bytes <= (u64(256) << 20)) madvise(at, rounded, MADV_HUGEPAGE);
    mappings_.push_back({at, rounded});
    return static_cast<std::byte*>(at);
  }
  const u64 small = (bytes + padding + 63) / 64 * 64;
  if (small > left_) {
    slabs_.push_back(take_slab());
    free_ = slabs_.back();
    left_ = slab_bytes;
  }
  std::byte* at = free_;
  free_ += small;
  left_ -= small;
  if (zero) std::memset(at, 0, small);
  return at;
}

Storage::~Storage() {
  const std::lock_guard lock(pool().mutex);
  for (const Mapping& mapping : mappings_) {
    if (mapping.bytes <= keep_at_most / 4 && pool().kept + mapping.bytes <= keep_at_most) {
      pool().mappings.emplace(mapping.bytes, mapping.at);
      pool().kept += mapping.bytes;
    } else {
      munmap(mapping.at, mapping.bytes);
    }
  }
  for (std::byte* slab : slabs_) {
    if (pool().slabs.size() < keep_at_most / slab_bytes)
      pool().slabs.push_back(slab);
    else
      std::free(slab);
  }
}

}  // namespace ropewalk::machine
