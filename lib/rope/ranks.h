// How the files of one dump hang together: copies of one table, or shards of it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/rope/judge_table.h"

namespace ropewalk::rope {

enum class Arrangement : u8 {
  Copies,      // each rank holds positions from 0
  Contiguous,  // rank r holds the r-th part
  Balanced,    // rank r holds the chunks r and 2 n - 1 - r of 2 n (context parallelism with a causal mask)
  Striped      // rank r holds positions r, r + n, r + 2 n, ... (striped attention)
};
std::string_view name_of(Arrangement arrangement);

// The same table on all ranks that have it, by name; files with one table each hold the same one.
std::vector<const CacheTable*> same_on_all(const std::vector<FileTables>& files, const CacheTable& table);
// Its rows on each of them; of copies the table's own alone.
std::vector<i64> rows_on_ranks(const std::vector<FileTables>& files, const CacheTable& table, Arrangement arrangement);

// The positions of the rows on one rank. rows[r]: how many rank r has; contiguous shards need not have as many each.
PositionRuns runs_of(Arrangement arrangement, i64 rank, const std::vector<i64>& rows);
// Rows of the whole table that the formula is made for, on one rank.
i64 formula_rows_of(Arrangement arrangement, i64 rank, const std::vector<i64>& rows);

// The arrangement that most ranks agree with, each in its own place or in another rank's; of equals, the first.
// tables[r] is the same table on rank r. `length`: positions that the model has, 0 where that is not known.
Arrangement arrangement_of(const std::vector<const CacheTable*>& tables, const RopeFormula& formula, i64 length);

// The tables of ranks that have as many rows each, as if they were stripes of one: its first rows, at most `most`.
// nullopt where they cannot be. `memory` gets what the table holds.
std::optional<CacheTable> joined_stripes(const std::vector<const CacheTable*>& tables, i64 most,
                                         std::vector<std::vector<std::byte>>& memory);

}  // namespace ropewalk::rope
