// Shards of one table on several ranks, by the positions that they begin at.
#pragma once
#include <vector>

#include "lib/rope/cache_findings.h"

namespace ropewalk::rope {

// Shards that begin before the one before them ends, or behind it, so that positions are in two of them or in none.
// Those that follow the one before them are right.
void explain_shard_starts(std::vector<JudgedTable>& judged, i64 ranks);

}  // namespace ropewalk::rope
