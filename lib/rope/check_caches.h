// Dumped rope caches held against their formula and against each other.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/finding/finding.h"
#include "lib/rope/dump.h"
#include "lib/rope/read_config.h"

namespace ropewalk {

struct CacheRequest {
  std::vector<std::string> files;  // in the order of the ranks
  RawForm raw;
  std::optional<RopeConfig> config;  // none: the formula is recognised from the tables
  u32 threads = 1;
};

// A table that no formula of the configuration explains, where the configuration leaves open which formula it has.
struct OpenTable {
  std::string name, reason;
};

// What came of it. Findings have no id and no replay yet.
struct CacheAnswer {
  std::vector<Finding> findings;
  std::vector<std::string> notes;  // the formula in words, what was recognised, what was left out
  std::vector<OpenTable> open;     // tables that are neither right nor wrong
  u64 tables = 0;                  // tables and inverse frequencies that were judged
  u64 healthy = 0;                 // of them
  double largest_part = 0;         // of healthy tables' sampled values: the largest error as a part of its bound
};

// Throws InputError where a file is unreadable or holds no rope cache.
CacheAnswer check_caches(const CacheRequest& request);
// The same for dumps that are open already.
CacheAnswer check_dumps(const std::vector<Dump>& dumps, const std::optional<RopeConfig>& config, u32 threads);

}  // namespace ropewalk
