#include "lib/machine/storage.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <mutex>

#include "lib/base/error.h"

namespace ropewalk::machine {

namespace {

constexpr u64 slab_bytes = u64(4) << 20;
constexpr u64 padding = 64;

// Slabs are kept from launch to launch: mapping memory costs more than a small case.
struct Pool {
  std::mutex mutex;
  std::vector<std::byte*> slabs;
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

}  // namespace

std::byte* Storage::take(u64 bytes) {
  const u64 rounded = (bytes + padding + 63) / 64 * 64;
  if (bytes >= large) {
    void* at = mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
      throw InputError(fmt::format("a tensor of {} bytes does not fit the address space of this process", bytes));
    }
    // Huge pages make the first touch fast, but would cost 2 MiB a touched page where a tensor is sparse.
    if (bytes <= (u64(256) << 20)) madvise(at, rounded, MADV_HUGEPAGE);
    mappings_.push_back({at, rounded});
    return static_cast<std::byte*>(at);
  }
  if (rounded > left_) {
    slabs_.push_back(take_slab());
    free_ = slabs_.back();
    left_ = slab_bytes;
  }
  std::byte* at = free_;
  free_ += rounded;
  left_ -= rounded;
  std::memset(at, 0, rounded);
  return at;
}

Storage::~Storage() {
  for (const Mapping& mapping : mappings_) munmap(mapping.at, mapping.bytes);
  const std::lock_guard lock(pool().mutex);
  for (std::byte* slab : slabs_) pool().slabs.push_back(slab);
}

}  // namespace ropewalk::machine
