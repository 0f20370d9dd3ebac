// Holds what a launch left in its outputs against what was expected.
#pragma once
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "lib/launch/outcome.h"

namespace ropewalk::compare {

// One element that is wrong.
struct WrongElement {
  std::vector<i64> index;
  double got = 0, expected = 0, bound = 0;
  // Whole numbers of 64 bits, which a double does not hold, and how far they are from each other; empty: of other
  // types.
  std::string exact_got, exact_expected;
  double exact_error = 0;

  double error() const { return exact_got.empty() ? std::abs(got - expected) : exact_error; }
};

// What came of one output.
struct Judgement {
  u64 compared = 0;  // elements that were compared with an expectation
  u64 wrong = 0;
  std::optional<WrongElement> first;  // in row-major order
  std::optional<WrongElement> worst;  // farthest outside its bound
  double largest_error = 0;           // |got - expected| over all compared elements; infinite where one is no number
  double largest_ulps = 0;            // the same in units of the output's dtype at the expected value
  u64 not_a_number = 0;               // wrong elements that are NaN
  Footprint footprint;                // of the wrong elements

  double fraction_wrong() const { return compared ? double(wrong) / double(compared) : 0; }
};

// Judges the expectation's tensor: |got - expected| <= bound, or <= atol + rtol |expected|; NaN equals only NaN, an
// infinity only itself, and an infinite bound says that nothing is expected. Elements that hold nothing (never
// initialised nor written) are left out: that is a finding of its own. written_only: elements that the launch did not
// write are left out as well, because only some of its blocks were run. 64-bit integers are compared as doubles.
// Throws InputError where the number of expected values is not that of the tensor's elements.
Judgement judge(const Launch& launch, const Expectation& expectation, const std::vector<TensorAfter>& tensors,
                bool written_only);

// The finding for a judgement with wrong elements.
Finding mismatch_finding(const Launch& launch, const Expectation& expectation, const Judgement& judgement);

// Judges every expectation of a launch that ran, adds a finding for each output that is wrong, and makes Disagreed of
// an outcome that Agreed.
void judge_outputs(const Launch& launch, Outcome& outcome);

}  // namespace ropewalk::compare
