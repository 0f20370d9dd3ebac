#include "lib/driver/pages.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

namespace ropewalk::driver {

namespace {

constexpr u64 readable_behind = 64, alignment = 64, mapped_from = u64(1) << 18;

}  // namespace

Pages::Pages(u64 bytes) {
  const u64 whole = (bytes + readable_behind + alignment - 1) / alignment * alignment;
  if (whole < bytes) return;
  if (whole < mapped_from) {
    auto* data = static_cast<std::byte*>(std::aligned_alloc(alignment, whole));
    if (data) std::memset(data, 0, whole);
    data_ = {data, Release{0}};
    return;
  }
  void* data = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data != MAP_FAILED) data_ = {static_cast<std::byte*>(data), Release{whole}};
}

void Pages::forget() {
  if (data_ && data_.get_deleter().mapped) madvise(data_.get(), data_.get_deleter().mapped, MADV_DONTNEED);
}

void Pages::Release::operator()(std::byte* data) const {
  if (mapped)
    munmap(data, mapped);
  else
    std::free(data);
}

}  // namespace ropewalk::driver
