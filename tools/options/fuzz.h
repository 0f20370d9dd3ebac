// Options of `rope-check fuzz`: a campaign over our kernels.
#pragma once
#include <string>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk {

struct FuzzOptions {
  std::vector<std::string> names;  // kernels; empty: the healthy ones
  std::string corpus;              // folder whose cases are run first, and that new findings are added to; empty: none
  u64 shard_index = 0, shard_count = 1;
  std::string one_case;  // text of a problem: this case alone, looked at in every way
  u64 blocks = 0;        // of that case, as in KernelOptions
};

}  // namespace ropewalk
