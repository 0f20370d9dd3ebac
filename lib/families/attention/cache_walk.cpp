#include "lib/families/attention/cache_walk.h"

#include <algorithm>

#include "lib/compare/elements.h"
#include "lib/diagnose/touched.h"
#include "lib/problem/attention.h"

namespace ropewalk::attention {

using diagnose::Prediction;

using Range = AttentionProblem::Range;

CacheWalk::CacheWalk(const AttentionProblem& problem, const Launch& launch, const PageHypothesis& hypothesis)
    : problem_(problem), launch_(launch), hypothesis_(hypothesis) {
  if (hypothesis.all_keys) problem_.key_lengths.clear();
}

Prediction CacheWalk::of(const LaunchTensor& tensor) const {
  return tensor.name == "block_table" ? of_table(tensor) : of_rows(tensor);
}

// Keys that some query of the sequence sees.
Range CacheWalk::keys_of(i64 sequence) const {
  const i64 queries = problem_.query_tokens, keys = problem_.keys_of(sequence);
  Range all{keys, 0};
  for (i64 query = 0; query < queries; ++query) {
    const Range seen = problem_.visible_keys(query, queries, keys);
    if (seen.last <= seen.first) continue;
    all = {std::min(all.first, seen.first), std::max(all.last, seen.last)};
  }
  if (all.last == keys) all.last = (keys + hypothesis_.beyond - 1) / hypothesis_.beyond * hypothesis_.beyond;
  return all;
}

template <class Visit>
void CacheWalk::each_key(Visit visit) const {
  for (i64 sequence = 0; sequence < problem_.batch; ++sequence) {
    const Range keys = keys_of(sequence);
    for (i64 key = keys.first; key < keys.last; ++key) visit(sequence, key);
  }
}

Prediction CacheWalk::of_table(const LaunchTensor& table) const {
  Prediction prediction;
  const i64 columns = table.shape.back(), count = element_count(table.shape);
  const auto is_inside = [&](i64 entry) {
    return entry < count && std::any_of(table.regions.begin(), table.regions.end(), [&](const Region& region) {
             return entry / columns == region.first_row && entry % columns < region.last_column;
           });
  };
  each_key([&](i64 sequence, i64 key) {
    const i64 entry = hypothesis_.entry(sequence, key);
    if (entry < 0) return;
    prediction.offsets.push_back(entry);
    if (!is_inside(entry)) prediction.strays.push_back(entry);
  });
  diagnose::sort_unique(prediction.strays);
  diagnose::sort_unique(prediction.offsets);
  return prediction;
}

Prediction CacheWalk::of_rows(const LaunchTensor& tensor) const {
  const i64 heads = problem_.heads_of_keys();
  diagnose::Walk walk{tensor.shape, tensor.strides, 0, tensor.shape.back(), {}};
  std::vector<double> table;
  const i64 number = launch_.tensor_named("block_table");
  if (number >= 0) table = compare::initial_values(launch_.tensors[u64(number)]);
  bool is_known = true;
  each_key([&](i64 sequence, i64 key) {
    const i64 entry = hypothesis_.entry(sequence, key);
    is_known = is_known && entry < i64(table.size());
    if (!is_known) return;
    const i64 row = hypothesis_.row(sequence, key, entry < 0 ? 0 : i64(table[u64(entry)]));
    for (i64 head = 0; head < heads; ++head) walk.rows.push_back(row * heads + head);
  });
  if (!is_known || walk.rows.empty()) return {};
  diagnose::sort_unique(walk.rows);
  const i64 rows_of_first = element_count(tensor.shape) / tensor.shape.back() / tensor.shape[0];
  walk.before = true;
  walk.shape[0] = std::max(walk.shape[0], walk.rows.back() / rows_of_first + 1);
  return diagnose::predict(tensor, walk);
}

}  // namespace ropewalk::attention
