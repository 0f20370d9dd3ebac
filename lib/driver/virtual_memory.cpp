#include "lib/driver/virtual_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "lib/base/bits.h"
#include "lib/driver/allocation.h"

namespace ropewalk::driver {

namespace {

// A page behind the bytes and bits of a file that is shared says whose it is.
struct Label {
  u64 magic, bytes;
  u32 device;
};
constexpr u64 label_magic = 0x6b6c617765706f72, page = 4096;

constexpr u64 bits_of(u64 bytes) { return bytes / 8; }
constexpr int usable = 1;  // CU_MEM_ACCESS_FLAGS_PROT_READ, which writing has, too

// What is not shared is in one file, for a process may have few.
struct Store {
  int file = memfd_create("ropewalk", MFD_CLOEXEC);
  u64 end = 0;
};
Store& store() {
  static Store* const all = new Store;  // outlives the program's static objects
  return *all;
}

// Of addresses where nothing is mapped: zeros, which cost nothing before somebody writes there. `at` null: anywhere.
std::byte* reserve(void* at, u64 bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0);
  void* const data = mmap(at, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

bool show(void* at, u64 bytes, int file, u64 offset) {
  return mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, off_t(offset)) != MAP_FAILED;
}

}  // namespace

std::unique_ptr<PhysicalMemory> PhysicalMemory::make(u64 bytes, u32 device, bool is_shareable) {
  std::unique_ptr<PhysicalMemory> made(new PhysicalMemory);
  made->bytes_ = bytes;
  made->device_ = device;
  made->is_shareable_ = is_shareable;
  const u64 all = bytes + bits_of(bytes);
  if (is_shareable) {
    made->file_ = memfd_create("ropewalk", MFD_CLOEXEC);
    const Label label{label_magic, bytes, device};
    if (ftruncate(made->file_, off_t(all + page)) ||
        pwrite(made->file_, &label, sizeof label, off_t(all)) != sizeof label)
      return nullptr;
    return made;
  }
  made->file_ = store().file;
  made->at_ = store().end;
  if (ftruncate(made->file_, off_t(made->at_ + all))) return nullptr;
  store().end += all;
  return made;
}

std::unique_ptr<PhysicalMemory> PhysicalMemory::open(int file) {
  struct stat facts {};
  Label label{};
  if (fstat(file, &facts) || u64(facts.st_size) < page ||
      pread(file, &label, sizeof label, facts.st_size - off_t(page)) != sizeof label || label.magic != label_magic ||
      label.bytes + bits_of(label.bytes) + page != u64(facts.st_size))
    return nullptr;
  std::unique_ptr<PhysicalMemory> made(new PhysicalMemory);
  made->file_ = fcntl(file, F_DUPFD_CLOEXEC, 0);
  made->bytes_ = label.bytes;
  made->device_ = label.device;
  made->is_shareable_ = made->is_imported = true;
  return made;
}

PhysicalMemory::~PhysicalMemory() {
  if (is_shareable_)
    close(file_);
  else
    fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(at_), off_t(bytes_ + bits_of(bytes_)));
}

int PhysicalMemory::share() const { return is_shareable_ ? fcntl(file_, F_DUPFD_CLOEXEC, 0) : -1; }

std::unique_ptr<AddressRange> AddressRange::make(u64 bytes) {
  std::unique_ptr<AddressRange> made(new AddressRange);
  made->bytes_ = bytes;
  made->data_ = reserve(nullptr, bytes + page);  // with readable bytes behind them
  made->bits_ = reinterpret_cast<u64*>(reserve(nullptr, bits_of(bytes) + page));
  return made->data_ && made->bits_ ? std::move(made) : nullptr;
}

AddressRange::~AddressRange() {
  if (data_) munmap(data_, bytes_ + page);
  if (bits_) munmap(bits_, bits_of(bytes_) + page);
}

bool AddressRange::map(u64 first, u64 bytes, Allocation& memory) {
  const auto behind = mappings_.lower_bound(first);
  if (at(first) || (behind != mappings_.end() && behind->first < first + bytes)) return false;
  const PhysicalMemory& physical = *memory.physical;
  if (!show(data_ + first, bytes, physical.file_, physical.at_) ||
      !show(bits_ + first / 64, bits_of(bytes), physical.file_, physical.at_ + physical.bytes_))
    return false;
  mappings_[first] = {bytes, &memory, {}};
  ++memory.physical->mappings;
  return true;
}

bool AddressRange::is_whole(u64 first, u64 bytes) const {
  u64 next = first;
  for (auto it = mappings_.find(first); it != mappings_.end() && it->first == next && next < first + bytes; ++it)
    next += it->second.bytes;
  return bytes && next == first + bytes;
}

std::optional<std::vector<Allocation*>> AddressRange::unmap(u64 first, u64 bytes) {
  const auto is_inside = [&](u64 offset) {
    const auto* const mapping = at(offset);
    return mapping && mapping->first < offset;
  };
  if (!bytes || bytes % granule || bytes > bytes_ - first || is_inside(first) || is_inside(first + bytes))
    return std::nullopt;
  std::vector<Allocation*> out;
  for (auto it = mappings_.lower_bound(first); it != mappings_.end() && it->first < first + bytes;
       it = mappings_.erase(it)) {
    --it->second.memory->physical->mappings;
    out.push_back(it->second.memory);
  }
  reserve(data_ + first, bytes);
  reserve(bits_ + first / 64, bits_of(bytes));
  granules_.clear();
  return out;
}

bool AddressRange::set_access(u64 first, u64 bytes, u32 device, int access) {
  if (!is_whole(first, bytes)) return false;
  for (auto it = mappings_.find(first); it != mappings_.end() && it->first < first + bytes; ++it)
    it->second.access[device] = access;
  granules_.clear();
  return true;
}

u64 AddressRange::end() const {
  return mappings_.empty() ? 0 : mappings_.rbegin()->first + mappings_.rbegin()->second.bytes;
}

const std::pair<const u64, AddressRange::Mapping>* AddressRange::at(u64 offset) const {
  auto it = mappings_.upper_bound(offset);
  if (it == mappings_.begin()) return nullptr;
  --it;
  return offset - it->first < it->second.bytes ? &*it : nullptr;
}

std::optional<u64> AddressRange::missing(u64 first, u64 bytes) const {
  const auto has_access = [](const auto& one) { return one.second & usable; };
  for (u64 next = first; next < first + bytes;) {
    const auto* const here = at(next);
    if (!here || std::ranges::none_of(here->second.access, has_access)) return next;
    next = here->first + here->second.bytes;
  }
  return std::nullopt;
}

const u64* AddressRange::granules(u32 device) {
  std::vector<u64>& bits = granules_[device];
  if (!bits.empty()) return bits.data();
  bits.resize(bytes_ / granule / 64 + 1);
  for (const auto& [first, mapping] : mappings_) {
    const auto access = mapping.access.find(device);
    if (access != mapping.access.end() && access->second & usable)
      set_bits(bits.data(), first / granule, (first + mapping.bytes) / granule);
  }
  return bits.data();
}

bool AddressRange::is_aliased() const {
  return std::ranges::any_of(mappings_, [](const auto& one) {
    const PhysicalMemory& physical = *one.second.memory->physical;
    return physical.mappings > 1 || physical.is_shareable_;
  });
}

std::string AddressRange::why_not(u64 offset, u32 device) const {
  if (!at(offset)) return fmt::format("nothing is mapped at byte {}", offset);
  return fmt::format("device {} has no access to what is mapped at byte {} (cuMemSetAccess gives it)", device, offset);
}

}  // namespace ropewalk::driver
