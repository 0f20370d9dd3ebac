// Which blocks of a launch run, in which order.
#pragma once
#include <utility>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::machine {

class BlockList {
 public:
  // All of so many, in their order.
  explicit BlockList(u64 count) : count_(count) {}
  explicit BlockList(std::vector<u64> chosen) : count_(chosen.size()), chosen_(std::move(chosen)) {}

  u64 size() const { return count_; }
  u64 operator[](u64 n) const { return chosen_.empty() ? n : chosen_[n]; }

 private:
  u64 count_;
  std::vector<u64> chosen_;  // empty: all
};

}  // namespace ropewalk::machine
