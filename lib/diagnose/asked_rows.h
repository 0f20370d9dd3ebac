// Which rows of cos and sin a launch asks for, and why.
#pragma once
#include <string>
#include <vector>

#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// Rows [first, end) that one sequence, or one position, asks for.
struct RowSpan {
  i64 first = 0, end = 0;
  std::string text;  // "offset 5 + 8 tokens"
};

// One hypothesis of the launch: all rows that it asks for.
struct AskedRows {
  std::vector<RowSpan> spans;
  bool is_guess = false;  // an integer argument was taken for an offset

  // Whether each of these rows, which are sorted, is asked for.
  bool contain(const std::vector<i64>& rows) const;
  // The span that asks for the largest row, and for the smallest.
  const RowSpan& highest() const;
  const RowSpan& lowest() const;
};

// The problem's one hypothesis; without a problem one for each way to read the launch's integers: arrays of positions,
// an array of offsets and a number of tokens, an integer argument (or 0) as the offset and a number of tokens.
std::vector<AskedRows> hypotheses_of(const Scene& scene);

// The rows of the problem's one hypothesis, sorted and unique; empty where the problem is not known, or they are more
// than 2^16.
std::vector<i64> rows_asked_for(const Scene& scene);

// The hypothesis by which exactly these rows of a table of `rows` rows are outside of it, when there is just one that
// says so. `complete`: these are all that were touched.
std::optional<AskedRows> hypothesis_that_explains(const std::vector<i64>& touched_rows, i64 rows, bool complete,
                                                  const Scene& scene);

}  // namespace ropewalk::diagnose
