// Barriers that part of a warp or part of the block misses.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

class BarriersCheck : public Checker {
 public:
  void on_partial_barrier(const Block& block, u32 step, u32 thread, const std::string& what) override;
};

}  // namespace ropewalk::machine
