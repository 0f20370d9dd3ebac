// Bytes of this process that start as zeros and cost what is touched of them.
#pragma once
#include <cstddef>
#include <memory>

#include "lib/base/types.h"

namespace ropewalk::driver {

class Pages {
 public:
  Pages() = default;
  // 64-byte aligned, with 64 readable bytes behind them; null where this process cannot have them.
  explicit Pages(u64 bytes);
  std::byte* data() const { return data_.get(); }
  // What they hold is lost; the address stays taken.
  void forget();

 private:
  struct Release {
    u64 mapped;  // bytes; 0: they come from the heap
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Release> data_{nullptr, Release{0}};
};

}  // namespace ropewalk::driver
