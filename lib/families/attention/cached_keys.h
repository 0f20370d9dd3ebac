// The keys and values of a launch in the order of their sequences, whether they lie in pages or not.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lib/launch/launch.h"
#include "lib/problem/attention.h"

namespace ropewalk::attention {

// The row (token of all pages) of the pool that key `key` of `sequence` is taken from; -1: none, its numbers are 0.
using KeyRow = std::function<i64(i64 sequence, i64 key)>;
// As the launch's block table says; none for keys past the end of the sequence's last.
KeyRow cached_rows(const AttentionProblem& problem, const Launch& launch);

// Rows of "k" or "v" as [B, Tk, Hk, columns]. Without pages those that the tensor has.
std::vector<double> keys_in_order(const AttentionProblem& problem, const Launch& launch, const std::string& name);
// The same of a pool's rows [pages, page_size, Hk, columns], by row.
std::vector<double> gathered(const AttentionProblem& problem, const std::vector<double>& pool, const KeyRow& row_of);

}  // namespace ropewalk::attention
