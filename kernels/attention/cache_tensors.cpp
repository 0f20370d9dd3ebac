#include "kernels/attention/cache_tensors.h"

#include <algorithm>
#include <set>

#include "kernels/launch_parts.h"
#include "lib/problem/attention.h"
#include "lib/problem/pages.h"

namespace ropewalk::kernels {
namespace {

// Tokens of a page that some sequence has keys in, by page; sequences may share pages.
std::vector<i64> used_tokens(const AttentionProblem& p) {
  const std::vector<i64> table = block_table_of(p);
  const i64 columns = table_columns(p);
  std::vector<i64> used(u64(pages_in_pool(p)), 0);
  for (i64 sequence = 0; sequence < p.batch; ++sequence) {
    for (i64 page = 0; page < std::min(pages_of(p, sequence), columns); ++page) {
      const i64 id = table[u64(sequence * columns + page)];
      // A table that nobody looked at may name any page.
      if (id < 0 || id >= i64(used.size())) continue;
      used[u64(id)] = std::max(used[u64(id)], std::min(p.page_size, p.keys_of(sequence) - page * p.page_size));
    }
  }
  return used;
}

// One region for each run of rows in use, of `count[n]` rows from n x `stride` on.
std::vector<Region> regions_of(const char* name, const std::vector<i64>& count, i64 stride, i64 columns) {
  std::vector<Region> regions;
  for (i64 n = 0; n < i64(count.size()); ++n) {
    const i64 first = n * stride, last = first + count[u64(n)];
    if (first == last) continue;
    if (!regions.empty() && regions.back().last_row == first) {
      regions.back().last_row = last;
    } else {
      regions.push_back({name, first, last, 0, columns});
    }
  }
  if (regions.empty()) regions.push_back({name, 0, 0, 0, columns});
  return regions;
}

LaunchTensor in_parts(LaunchTensor tensor, i64 splits) {
  const i64 whole = tensor.shape[0] * tensor.strides[0];
  tensor.dtype = Dtype::F32;
  tensor.shape.insert(tensor.shape.begin(), splits);
  tensor.strides.insert(tensor.strides.begin(), whole);
  for (Region& region : tensor.regions) region.last_row *= splits;
  return tensor;
}

}  // namespace

LaunchTensor cache_rows(const AttentionProblem& p, const char* name, i64 columns, i64 row_gap, i64 token_gap) {
  const i64 heads = p.heads_of_keys();
  if (p.page_size == 0) {
    LaunchTensor tensor = key_rows(p, name, columns, row_gap, token_gap);
    if (p.key_lengths.empty()) return tensor;
    std::vector<i64> rows;
    for (i64 sequence = 0; sequence < p.batch; ++sequence) {
      rows.push_back(std::clamp<i64>(p.keys_of(sequence), 0, p.key_tokens) * heads);
    }
    tensor.regions = regions_of(name, rows, p.key_tokens * heads, columns);
    return tensor;
  }
  AttentionProblem pool = p;
  pool.batch = pages_in_pool(p);
  pool.key_tokens = p.page_size;
  LaunchTensor tensor = key_rows(pool, name, columns, row_gap, token_gap);
  std::vector<i64> rows = used_tokens(p);
  for (i64& count : rows) count *= heads;
  tensor.regions = regions_of(name, rows, p.page_size * heads, columns);
  return tensor;
}

LaunchTensor key_length_list(const AttentionProblem& p) {
  LaunchTensor tensor{"key_lengths", Dtype::I32, {p.batch}, {1}};
  tensor.init = given_integers(Dtype::I32, p.key_lengths);
  return tensor;
}

LaunchTensor block_table_tensor(const AttentionProblem& p) {
  const i64 columns = table_columns(p);
  LaunchTensor tensor{"block_table", Dtype::I32, {p.batch, columns}, {columns, 1}};
  auto array = std::make_shared<Array>(Array::zeros(Dtype::I32, tensor.shape));
  i32* entry = reinterpret_cast<i32*>(array->bytes.data());
  for (const i64 page : block_table_of(p)) *entry++ = i32(page);
  tensor.init = Given{std::move(array), ""};
  for (i64 sequence = 0; sequence < p.batch; ++sequence) {
    const i64 pages = std::clamp<i64>(pages_of(p, sequence), 0, columns);
    tensor.regions.push_back({"block_table", sequence, sequence + 1, 0, pages});
  }
  return tensor;
}

LaunchTensor out_parts(const AttentionProblem& p) {
  return in_parts(query_rows(p, "out_partial", p.columns_of_values(), p.out_gap, 0), p.splits);
}

LaunchTensor lse_parts(const AttentionProblem& p) { return in_parts(number_by_query(p, "lse_partial"), p.splits); }

}  // namespace ropewalk::kernels
