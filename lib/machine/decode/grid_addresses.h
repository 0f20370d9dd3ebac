// Which values are addresses in the memory of the grid's barrier, which is no tensor: made of %envreg1 and %envreg2,
// and of numbers that no memory and no parameter gives.
#pragma once
#include <vector>

#include "lib/machine/code.h"

namespace ropewalk::machine {

class GridAddresses {
 public:
  explicit GridAddresses(const Code& code);
  bool has(u32 value) const { return value != no_value && of_[value] == Of::Grid; }

 private:
  enum class Of : u8 { Number, Grid, Other };
  std::vector<Of> of_;  // by value
};

}  // namespace ropewalk::machine
