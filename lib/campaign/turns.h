// Whose turn it is in a campaign.
#pragma once
#include <vector>

#include "lib/family/kernel.h"

namespace ropewalk::campaign {

// Families take turns, case by case. Where some compute gradients and others do not, every third turn is one of those
// that do, however many there are of each.
class Turns {
 public:
  struct Turn {
    u64 kernel = 0;  // index
    u64 number = 0;  // of its turns before this one
  };

  explicit Turns(const std::vector<const Kernel*>& kernels);
  Turn at(u64 index) const;

 private:
  std::vector<Turn> round_;     // after which all begins again
  std::vector<u64> of_kernel_;  // turns in a round
};

}  // namespace ropewalk::campaign
