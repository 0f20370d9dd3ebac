// What findings say that a launch touched of a tensor: elements outside of it, and broken index statements.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// Elements outside of a tensor's storage.
struct Outside {
  std::vector<i64> past;    // past the last element: 0 is the first outside; sorted, unique
  std::vector<i64> before;  // before the first element: 1 is its neighbour; sorted, unique
  bool complete = true;     // false: a sample, or the launch ran a sample of its blocks
  bool exact = true;        // false: the tensor has gaps, and what lies in them is reported as the element before

  bool only_past() const { return !past.empty() && before.empty(); }
  bool only_before() const { return past.empty() && !before.empty(); }
  // How far the accesses past the end reach: elements from the end to the last of them.
  i64 reach() const { return past.empty() ? 0 : past.back() + 1; }
};

// Puts values in their order, each once.
void sort_unique(std::vector<i64>& values);

// out-of-bounds-read or out-of-bounds-write.
bool is_out_of_bounds(const Finding& finding);
// Whether its access begins inside of the tensor and ends outside, as a vector at the tail of a row does: no mask of
// rows or columns lets such a one pass.
bool straddles_the_end(const Finding& finding, const LaunchTensor& tensor);
// The tensor of the launch that the finding speaks of; null: none.
const LaunchTensor* tensor_of(const Finding& finding, const Scene& scene);
// Rows one after another without gaps.
bool is_dense(const LaunchTensor& tensor);

// What one out-of-bounds finding touched outside of its tensor.
Outside outside_of(const LaunchTensor& tensor, const Finding& finding, const Launch& launch);
// The same for all out-of-bounds findings of the tensor: the two columns of a pair are two instructions, and so two
// findings of one defect.
Outside outside_of(const LaunchTensor& tensor, const Scene& scene);

// "x is touched up to 48 elements past its end".
std::string reach_text(const LaunchTensor& tensor, const Outside& outside);

// Rows of the tensor (all dimensions but the last, flattened) that these elements lie in: negative before the start,
// from the number of rows on past the end. Sorted, unique. For tensors without gaps.
std::vector<i64> rows_of(const Outside& outside, const LaunchTensor& tensor);

// A kernel's statement about an index that did not hold, `//@index %r12 < %r6 : x.head_dim`.
struct BrokenStatement {
  std::string tensor, dimension;  // "x", "head_dim"
  i64 value = 0, bound = 0;       // of the first thread that broke it; the statement wants value in [0, bound)
};
// Of an index-out-of-field finding that speaks of a statement.
std::optional<BrokenStatement> broken_statement(const Finding& finding);

}  // namespace ropewalk::diagnose
