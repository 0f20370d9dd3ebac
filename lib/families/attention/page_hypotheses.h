// Ways to go through a cache other than the right one: which entries of the block table are read for a key, and which
// row is taken then.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lib/families/attention/cached_keys.h"
#include "lib/problem/attention.h"

namespace ropewalk::attention {

struct PageHypothesis {
  std::string cause, text, advice;
  // The entry of the block table, counted row by row, that is read for a key; -1: none is.
  std::function<i64(i64 sequence, i64 key)> entry;
  // The row (token of the cache) that a key is taken from, by the page that the entry names.
  std::function<i64(i64 sequence, i64 key, i64 page)> row;
  bool all_keys = false;      // every sequence is taken to have Tk keys
  bool values_alone = false;  // k is read as it is meant
  i64 beyond = 1;             // keys are rounded up to a multiple of it
};

// The wrong ones of a problem; of one without pages those that need none.
std::vector<PageHypothesis> page_hypotheses(const AttentionProblem& problem, const Launch& launch);
// The right one, of lengths and a table that nobody has looked at.
PageHypothesis right_pages(const AttentionProblem& problem, const Launch& launch);

// Where a hypothesis takes keys from; none where it reads beside the table.
KeyRow cached_rows_of(const PageHypothesis& hypothesis, const AttentionProblem& problem, const Launch& launch);

}  // namespace ropewalk::attention
