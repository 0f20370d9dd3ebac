// A table that is the shard of another rank.
#pragma once
#include <vector>

#include "lib/rope/cache_findings.h"

namespace ropewalk::rope {

// Says whether a table, which does not hold its own rank's shard, holds that of another one; then the verdict tells
// which.
bool explain_swapped_shard(JudgedTable& one, const std::vector<FileTables>& files, Arrangement arrangement);

}  // namespace ropewalk::rope
