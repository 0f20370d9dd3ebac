// How the files of one dump hang together: copies of one table, or shards of it.
#pragma once
#include <string>
#include <vector>

#include "lib/rope/judge_table.h"

namespace ropewalk {

enum class Arrangement : u8 {
  Copies,      // each rank holds positions from 0
  Contiguous,  // rank r holds the r-th part
  Balanced     // rank r holds the chunks r and 2 n - 1 - r of 2 n (context parallelism with a causal mask)
};
std::string_view name_of(Arrangement arrangement);

// The positions of `rows` rows on rank `rank` of `ranks`.
PositionRuns runs_of(Arrangement arrangement, i64 rank, i64 ranks, i64 rows);

// The arrangement that most ranks agree with; of equals, the first. tables[r] is the same table on rank r; all have as
// many rows. `length`: positions that the model has, 0 where that is not known.
Arrangement arrangement_of(const std::vector<const CacheTable*>& tables, const RopeFormula& formula, i64 length);

}  // namespace ropewalk
