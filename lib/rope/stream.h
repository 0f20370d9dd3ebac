// Holds a whole table against its formula, once through memory.
#pragma once
#include <optional>
#include <vector>

#include "lib/rope/sample.h"
#include "reference/rope_table.h"

namespace ropewalk::rope {

// An element that is farther from the formula than its bound.
struct WrongValue {
  size_t plane = 0;
  i64 row = 0, column = 0, position = 0;
  double got = 0, expected = 0, bound = 0;
};

struct StreamVerdict {
  i64 values = 0;  // compared
  i64 wrong = 0;
  std::vector<i64> wrong_by_plane;
  i64 wrong_rows = 0;
  std::vector<u64> row_is_wrong;  // one bit a row
  std::optional<WrongValue> first, worst;

  bool healthy() const { return wrong == 0; }
  bool row_wrong(i64 row) const { return row_is_wrong[size_t(row / 64)] >> (row % 64) & 1; }
};

// `frequencies` are of the table's formula, `rounding` is what the table was rounded to at last (F32 of a table in F64
// too: an honest computation may be in float32). Runs on `threads` threads; the answer does not depend on how many.
StreamVerdict stream_table(const CacheTable& table, const reference::RopeFrequencies& frequencies,
                           const Rounding& rounding, const PositionRuns& runs, u32 threads);

}  // namespace ropewalk::rope
