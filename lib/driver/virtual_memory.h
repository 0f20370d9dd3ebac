// Addresses that are reserved, and the physical memory that is mapped there (CUDA Driver API, "Virtual Memory
// Management"). Memory that is mapped twice is the same bytes twice, with what is known to be written of them.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/types.h"
#include "lib/launch/launch.h"

namespace ropewalk::driver {

struct Allocation;

// The bytes of a handle, in a file without a name.
class PhysicalMemory {
 public:
  // is_shareable: other processes may be given it. nullptr: this process cannot have so much.
  static std::unique_ptr<PhysicalMemory> make(u64 bytes, u32 device, bool is_shareable);
  // What `share` gave, of this process or another one; nullptr: the file is none of these.
  static std::unique_ptr<PhysicalMemory> open(int file);
  ~PhysicalMemory();
  PhysicalMemory(const PhysicalMemory&) = delete;
  // A file descriptor, which is the caller's; -1: it is not shareable.
  int share() const;
  u64 bytes() const { return bytes_; }
  u32 device() const { return device_; }
  bool is_shareable() const { return is_shareable_; }
  int file() const { return file_; }

  u32 references = 1;  // of the program: handles that it made, retained or imported
  u32 mappings = 0;
  bool is_imported = false;
  int of_process = 0, of_file = 0;  // of an allocation of another process: where it was opened

 private:
  friend class AddressRange;
  PhysicalMemory() = default;

  int file_ = -1;
  u64 at_ = 0, bytes_ = 0;  // in the file; behind them a bit for each says that it is written
  u32 device_ = 0;
  bool is_shareable_ = false;
};

class AddressRange {
 public:
  static constexpr u64 granule = u64(1) << Resident::granule_shift;

  struct Mapping {
    u64 bytes = 0;
    Allocation* memory = nullptr;  // physical
    std::map<u32, int> access;     // CUmemAccess_flags by device
  };

  // nullptr: this process cannot have so many addresses.
  static std::unique_ptr<AddressRange> make(u64 bytes);
  ~AddressRange();
  AddressRange(const AddressRange&) = delete;
  std::byte* data() const { return data_; }
  u64* initialized() const { return bits_; }

  // False: something is mapped there already, or this process cannot do it.
  bool map(u64 first, u64 bytes, Allocation& memory);
  // The memory of the mappings there, of which none may be cut; there may be holes, as on an H100. Nothing: one would
  // be cut, or the range ends before.
  std::optional<std::vector<Allocation*>> unmap(u64 first, u64 bytes);
  // False: they are not all of the range from the first byte to the last.
  bool set_access(u64 first, u64 bytes, u32 device, int access);

  bool is_empty() const { return mappings_.empty(); }
  // Where the last mapping ends.
  u64 end() const;
  // By the first byte.
  const std::map<u64, Mapping>& mappings() const { return mappings_; }
  // nullptr: nothing is mapped there.
  const std::pair<const u64, Mapping>* at(u64 offset) const;
  // The first of these bytes that no device may touch.
  std::optional<u64> missing(u64 first, u64 bytes) const;
  // A bit for each granule that the device may touch.
  const u64* granules(u32 device);
  // Whether some of the memory is mapped elsewhere, too.
  bool is_aliased() const;
  // "nothing is mapped at byte 5", "device 0 has no access to what is mapped at byte 5 (cuMemSetAccess)".
  std::string why_not(u64 offset, u32 device) const;

 private:
  AddressRange() = default;
  bool is_whole(u64 first, u64 bytes) const;

  std::byte* data_ = nullptr;
  u64* bits_ = nullptr;
  u64 bytes_ = 0;
  std::map<u64, Mapping> mappings_;
  std::map<u32, std::vector<u64>> granules_;  // as far as somebody asked
};

}  // namespace ropewalk::driver
