// Options of `rope-check cache`: dumped caches, and what they should hold.
#pragma once
#include <string>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::tools {

// An option that stands for a field of config.json: `--theta 5e5` is {"--theta", "rope_theta", "5e5"}.
struct RopeField {
  std::string flag;
  std::string key;
  std::string value;
};

struct CacheOptions {
  std::vector<std::string> files;  // one a rank
  std::string config;              // path of a config.json; empty: none
  std::vector<RopeField> fields;   // instead of a config
  i64 max_length = 0;              // beside a config: rows that the tables should have; 0: the model's positions
  std::string shape, dtype;        // of raw bytes
};

}  // namespace ropewalk::tools
