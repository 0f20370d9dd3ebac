// Some rows of a table in double precision, for fitting alternatives.
#pragma once
#include <vector>

#include "lib/rope/table.h"
#include "reference/rope_table.h"

namespace ropewalk::rope {

struct TableSample {
  std::vector<i64> rows;  // ascending
  i64 pairs = 0;
  bool has_cos = false, has_sin = false;
  std::vector<double> cosine, sine;  // [rows.size(), pairs]; empty where the table lacks the function

  size_t at(size_t n, i64 pair) const { return n * size_t(pairs) + size_t(pair); }
  double length_at(size_t n, i64 pair) const;  // of (cos, sin)
  // The rows for which keep(row) holds.
  template <class Keep>
  TableSample filtered(const Keep& keep) const {
    TableSample part{{}, pairs, has_cos, has_sin, {}, {}};
    for (size_t n = 0; n < rows.size(); ++n) {
      if (!keep(rows[n])) continue;
      part.rows.push_back(rows[n]);
      for (i64 pair = 0; pair < pairs; ++pair) {
        if (has_cos) part.cosine.push_back(cosine[at(n, pair)]);
        if (has_sin) part.sine.push_back(sine[at(n, pair)]);
      }
    }
    return part;
  }
};

// Rows that tell alternatives apart: the first ones, powers of two with their neighbours, others at growing distances,
// and the last.
std::vector<i64> telling_rows(i64 rows, size_t most);
// `rows` must be ascending and inside the table.
TableSample sample_of(const CacheTable& table, std::vector<i64> rows);

// The dtype that the table's values were rounded to at last: its own, or a shorter one whose values were widened for
// the file (npy has no bf16).
Dtype rounded_to(const CacheTable& table);

// The same of each function, whose tensors may have dtypes of their own.
struct Rounding {
  Dtype cos = Dtype::F32, sin = Dtype::F32;

  Dtype of(Trig trig) const { return trig == Trig::Cos ? cos : sin; }
  Dtype coarser() const;
};
Rounding rounding_of(const CacheTable& table);

// How far honest values of each function may be from the formula.
class RopeBounds {
 public:
  RopeBounds(const reference::RopeFrequencies& frequencies, const Rounding& rounding)
      : cos_(frequencies, rounding.cos), sin_(frequencies, rounding.sin) {}
  const reference::RopeBound& of(Trig trig) const { return trig == Trig::Cos ? cos_ : sin_; }

 private:
  reference::RopeBound cos_, sin_;
};

}  // namespace ropewalk::rope
