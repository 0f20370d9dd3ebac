#include "reference/cache_store.h"

#include <algorithm>
#include <limits>

#include "lib/base/half.h"

namespace ropewalk::reference {

i64 CacheShape::row_at(i64 slot, i64 head) const {
  const i64 page = slot / page_size, token = slot % page_size;
  return page * page_elements() + (heads_first ? head * page_size + token : token * heads + head) * head_dim;
}

// The quotient of two numbers of f32 is rounded to double and then to f32 as if it were rounded once: double has more
// than twice the bits (Figueroa, "When is double rounding innocuous?", SIGNUM 1995).
double scaled_to_f8e4m3(double value, float scale) {
  return e4m3_to_f32(f32_to_e4m3(float(value / double(scale)), true));
}

void cache_after_store(const CacheShape& shape, const std::vector<i64>& slots, std::optional<float> scale,
                       const double* rows, ExpectedValues cache) {
  std::fill_n(cache.bound, shape.pages * shape.page_elements(), std::numeric_limits<double>::infinity());
  for (u64 token = 0; token < slots.size(); ++token) {
    if (slots[token] < 0) continue;
    for (i64 head = 0; head < shape.heads; ++head) {
      const double* row = rows + (i64(token) * shape.heads + head) * shape.head_dim;
      const i64 at = shape.row_at(slots[token], head);
      for (i64 column = 0; column < shape.head_dim; ++column) {
        cache.value[at + column] = scale ? scaled_to_f8e4m3(row[column], *scale) : row[column];
        cache.bound[at + column] = 0;
      }
    }
  }
}

void cache_after_copy(const CacheShape& shape, const std::vector<i64>& copies, const double* before,
                      ExpectedValues cache) {
  const i64 page = shape.page_elements();
  std::copy_n(before, shape.pages * page, cache.value);
  std::fill_n(cache.bound, shape.pages * page, 0.0);
  for (u64 n = 0; n + 1 < copies.size(); n += 2)
    std::copy_n(before + copies[n] * page, page, cache.value + copies[n + 1] * page);
}

}  // namespace ropewalk::reference
