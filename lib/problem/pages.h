// Where the keys of sequences lie in the pages of a cache.
#pragma once
#include <vector>

#include "lib/problem/attention.h"

namespace ropewalk {

// Of a problem with pages. Rounded up to whole pages: those that Tk keys need, and those that a sequence's keys fill,
// the last of them maybe in part.
i64 pages_of_capacity(const AttentionProblem& problem);
i64 pages_of(const AttentionProblem& problem, i64 sequence);
// Entries of the block table that a sequence has: as many as the list has for each, else those that Tk keys need.
i64 table_columns(const AttentionProblem& problem);
// All pages that there are.
i64 pages_in_pool(const AttentionProblem& problem);

// The block table [B, table_columns], by page of a sequence the page of the pool. Drawn from the seed where the problem
// lists none; entries past the end of a sequence's last page are then -1.
std::vector<i64> block_table_of(const AttentionProblem& problem);

}  // namespace ropewalk
