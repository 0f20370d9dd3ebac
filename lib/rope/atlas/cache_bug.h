// Known bugs of rope caches as data: dumps made in the way of the bug's program, and their correct counterparts.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lib/finding/rule.h"
#include "lib/rope/made/dump_writer.h"
#include "lib/rope/made/memory.h"
#include "lib/rope/read_config.h"

namespace ropewalk::rope {

// One rank's dump before it is made. A mechanism changes it; the counterpart's is as it stands.
struct RankMaking {
  i64 rank = 0;
  Making making;
  i64 rows = 0;
  Dtype dtype = Dtype::F32;  // of the tensors
  DumpLayout layout = DumpLayout::Separate;
  bool frequencies_alone = false;           // the module keeps inv_freq and no table
  std::optional<MemoryHolds> memory;        // nobody filled the tensors
  std::optional<Making> older;              // made the first rows,
  i64 older_rows = 0;                       // so many
  std::vector<float> frequencies_in_place;  // inv_freq holds this; empty: what the making says
};

struct CacheBug {
  int row = 0;                       // the bug's number in the field's list
  std::string title;                 // the bug in a few words
  std::vector<std::string> related;  // threads
  std::string config;                // the model's config.json
  i64 rows = 0, ranks = 1;           // of each rank's table; files
  Dtype dtype = Dtype::F32;
  DumpLayout layout = DumpLayout::SeparateHalf;
  bool frequencies_alone = false;
  std::function<void(RankMaking&)> mechanism;
  // What must be found, and of which tensor.
  Rule rule = Rule::CacheMismatch;
  std::string tensor = "model.rotary_emb.cos_cached";
  std::string cause;
};

// In the order of their rows.
const std::vector<CacheBug>& all_cache_bugs();
std::vector<CacheBug> formula_bugs();  // another formula than the configuration's
std::vector<CacheBug> number_bugs();   // positions, frequencies and products in short formats
std::vector<CacheBug> memory_bugs();   // memory that nobody filled, ranks that differ

RopeConfig config_of(const CacheBug& bug);
// What the ranks dump; with `healthy` without the mechanism.
std::vector<Dump> dumps_of(const CacheBug& bug, bool healthy);

}  // namespace ropewalk::rope
