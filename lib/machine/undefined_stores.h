// What a launch stores that nobody wrote in memory which the host sees by copies alone. That matters where somebody
// uses it: a later launch, or a copy to the host. Until then it is remembered which bytes these are, and what is to be
// reported of them.
#pragma once
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/launch/launch.h"
#include "lib/machine/collector.h"
#include "lib/machine/unwritten.h"

namespace ropewalk::machine {

class UndefinedStores {
 public:
  // What is stored in a window at one step.
  struct Stored {
    Collector found;
    std::vector<std::pair<u64, u64>> ranges;  // [first, last) bytes of the window
    UnwrittenReads::Sources reported;         // what `found` has of this block
    bool is_computed = false;                 // some of it: it is no copy of a struct

    // Ascending, and none touches another.
    void tidy();
  };

  // Sources (unwritten.h) of the block before are forgotten.
  void begin_block();
  // Bytes [first, last) of a window are stored by a step.
  Stored& add(u32 window, u32 step, u64 first, u64 last);
  void merge(UndefinedStores&& other);
  // A byte of a window holds these bits that nobody wrote; all: no more than that is known of it.
  void keep_bits(u32 window, u64 byte, u8 bits);
  // By window, of bytes of which some bits are defined.
  const std::unordered_map<u32, UndefinedBits>& bits() const { return bits_; }
  // By window and step.
  const std::map<std::pair<u32, u32>, Stored>& all() const { return stored_; }
  // f(collected) for what is to be reported of all of them.
  template <class F>
  void for_each_found(F f) {
    for (auto& [key, stored] : stored_) stored.found.for_each(f);
  }
  // Sorts what there is.
  void tidy();

 private:
  std::map<std::pair<u32, u32>, Stored> stored_;
  std::unordered_map<u32, UndefinedBits> bits_;
};

}  // namespace ropewalk::machine
