// Bytes for tensors and their bitmaps: small ones from one pooled block, large ones sparse, costing what is touched.
#pragma once
#include <cstddef>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::machine {

class Storage {
 public:
  Storage() = default;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage();

  // From here on an allocation of this many bytes is mapped sparsely.
  static constexpr u64 large = u64(1) << 20;
  // 64-byte aligned bytes, with 64 readable bytes behind them; zero, or else whatever was there before. Throws
  // InputError where the address space of this process does not hold them.
  std::byte* take(u64 bytes, bool zero = true);
  u64* take_bits(u64 bits) { return reinterpret_cast<u64*>(take((bits + 63) / 64 * 8)); }

 private:
  struct Mapping {
    void* at;
    u64 bytes;
  };
  std::vector<Mapping> mappings_;
  std::vector<std::byte*> slabs_;
  std::byte* free_ = nullptr;
  u64 left_ = 0;
};

}  // namespace ropewalk::machine
