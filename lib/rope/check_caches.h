// Dumped rope caches compared with their formula and with each other.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/finding/answer.h"
#include "lib/rope/dump.h"
#include "lib/rope/read_config.h"

namespace ropewalk::rope {

struct CacheRequest {
  std::vector<std::string> files;  // in the order of the ranks
  RawForm raw;
  std::optional<RopeConfig> config;  // none: the formula is recognised from the tables
  u32 threads = 1;
};

// A case is a table or inverse frequencies; tables of one tensor that are left open for one reason are one. Not judged
// are tables that no formula of the configuration explains, where the configuration leaves open which formula they
// have. Notes say the formula in words, what was recognised and what was left out.
struct CacheAnswer : Answer {
  double largest_part = 0;  // of healthy tables' sampled values: the largest error as a part of its bound
};

// Throws InputError where a file is unreadable or holds no rope cache.
CacheAnswer check_caches(const CacheRequest& request);
// The same for dumps that are open already.
CacheAnswer check_dumps(const std::vector<Dump>& dumps, const std::optional<RopeConfig>& config, u32 threads);

}  // namespace ropewalk::rope
