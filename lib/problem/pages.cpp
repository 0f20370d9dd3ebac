#include "lib/problem/pages.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "lib/base/random.h"

namespace ropewalk {
namespace {

i64 whole_pages(const AttentionProblem& problem, i64 keys) {
  return (keys + problem.page_size - 1) / problem.page_size;
}

}  // namespace

i64 pages_of_capacity(const AttentionProblem& problem) { return whole_pages(problem, problem.key_tokens); }

i64 pages_of(const AttentionProblem& problem, i64 sequence) { return whole_pages(problem, problem.keys_of(sequence)); }

i64 table_columns(const AttentionProblem& problem) {
  return problem.block_table.empty() ? pages_of_capacity(problem) : i64(problem.block_table.size()) / problem.batch;
}

i64 pages_in_pool(const AttentionProblem& problem) {
  return problem.batch * pages_of_capacity(problem) + problem.spare_pages;
}

std::vector<i64> block_table_of(const AttentionProblem& problem) {
  if (!problem.block_table.empty()) return problem.block_table;
  std::vector<i64> pool(u64(pages_in_pool(problem)));
  std::iota(pool.begin(), pool.end(), i64(0));
  Random random(mix(problem.seed) ^ mix(0x7061676573));
  for (u64 left = pool.size(); left > 1; --left) std::swap(pool[left - 1], pool[random.below(left)]);
  const i64 columns = table_columns(problem);
  std::vector<i64> table(u64(problem.batch * columns), -1);
  for (i64 sequence = 0; sequence < problem.batch; ++sequence) {
    for (i64 page = 0; page < std::min(columns, pages_of(problem, sequence)); ++page) {
      const u64 entry = u64(sequence * columns + page);
      table[entry] = pool[entry];
    }
  }
  return table;
}

}  // namespace ropewalk
