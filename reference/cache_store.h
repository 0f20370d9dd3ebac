// What a KV cache holds after tokens were stored in it, or pages were copied inside of it. Both are exact: a copy has
// no error, and a number that is rounded to f8e4m3 is rounded in one way.
//
// All arrays are gap-free and row-major.
#pragma once
#include <optional>
#include <vector>

#include "lib/base/types.h"
#include "reference/rotary.h"

namespace ropewalk::reference {

// [pages, page_size, heads, head_dim] (NHD), or [pages, heads, page_size, head_dim] (HND).
struct CacheShape {
  i64 pages = 1, page_size = 1, heads = 1, head_dim = 1;
  bool heads_first = false;

  i64 page_elements() const { return page_size * heads * head_dim; }
  // The element that a head's columns of a slot begin at.
  i64 row_at(i64 slot, i64 head) const;
};

// A number of f32, f16 or bf16 divided by the scale in f32, rounded to nearest even in f8e4m3 (OCP 8-bit floating point
// specification, 1.0), and to +-448 beyond.
double scaled_to_f8e4m3(double value, float scale);

// Row t of `rows` [tokens, heads, head_dim] is in slot slots[t] of the cache; -1: in none, and no slot comes twice.
// With a scale as f8e4m3. Nothing is expected of other slots (an infinite bound), the bound is 0 elsewhere.
void cache_after_store(const CacheShape& shape, const std::vector<i64>& slots, std::optional<float> scale,
                       const double* rows, ExpectedValues cache);

// Pages copies[1], copies[3], ... hold what copies[0], copies[2], ... held before, all others what they held.
void cache_after_copy(const CacheShape& shape, const std::vector<i64>& copies, const double* before,
                      ExpectedValues cache);

}  // namespace ropewalk::reference
