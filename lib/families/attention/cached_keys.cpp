#include "lib/families/attention/cached_keys.h"

#include <algorithm>

#include "lib/compare/elements.h"
#include "lib/compare/named_tensors.h"
#include "lib/problem/pages.h"

namespace ropewalk::attention {

KeyRow cached_rows(const AttentionProblem& problem, const Launch& launch) {
  const LaunchTensor& tensor = compare::tensor_of(launch, "block_table");
  return [&problem, table = compare::initial_values(tensor), columns = tensor.shape.back()](i64 sequence, i64 key) {
    const i64 page = key / problem.page_size;
    if (key >= problem.keys_of(sequence) || page >= columns) return i64(-1);
    return i64(table[u64(sequence * columns + page)]) * problem.page_size + key % problem.page_size;
  };
}

std::vector<double> gathered(const AttentionProblem& problem, const std::vector<double>& pool, const KeyRow& row_of) {
  const i64 rows = pages_in_pool(problem) * problem.page_size, columns = i64(pool.size()) / rows;
  std::vector<double> keys(u64(problem.batch * problem.key_tokens * columns), 0.0);
  for (i64 n = 0; n < problem.batch * problem.key_tokens; ++n) {
    const i64 row = row_of(n / problem.key_tokens, n % problem.key_tokens);
    if (row < 0 || row >= rows) continue;
    std::copy_n(pool.begin() + row * columns, columns, keys.begin() + n * columns);
  }
  return keys;
}

std::vector<double> keys_in_order(const AttentionProblem& problem, const Launch& launch, const std::string& name) {
  std::vector<double> values = compare::initial_values(compare::tensor_of(launch, name.c_str()));
  return problem.page_size == 0 ? values : gathered(problem, values, cached_rows(problem, launch));
}

}  // namespace ropewalk::attention
