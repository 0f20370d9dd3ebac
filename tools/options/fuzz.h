// Options of `rope-check fuzz`: a campaign over our kernels.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/base/types.h"
#include "lib/finding/rule.h"

namespace ropewalk::tools {

// Which finding ends a campaign.
struct StopAt {
  std::string id;            // of the finding; empty: of any
  std::optional<Rule> rule;  // none: of any rule
  std::string cause;         // id; empty: of any cause or none
};

struct FuzzOptions {
  std::vector<std::string> names;  // kernels; empty: the healthy ones
  std::string corpus;              // folder whose cases are run first, and that new findings are added to; empty: none
  bool resume = false;             // go on with the campaign that the corpus keeps
  u64 shard_index = 0, shard_count = 1;
  std::optional<StopAt> stop_at;
  std::string one_case;  // text of a problem: this case alone, looked at in every way
  u64 blocks = 0;        // of that case, as in KernelOptions
};

}  // namespace ropewalk::tools
