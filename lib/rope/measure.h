// Frequencies and positions read off a table, without knowing its formula.
#pragma once
#include <optional>
#include <vector>

#include "lib/rope/model.h"

namespace ropewalk::rope {

// What cos and sin were both multiplied with: the middle one of the lengths of (cos, sin), or the mean of those near
// it. 0 where only one of them is there.
double measured_attention(const TableSample& sample);

// Every row rotated back by the first one, as if that were position 0: for shards. Empty where a function is missing.
TableSample rotated_back(const TableSample& sample);

// Parts of the pairs (0 to 1) whose (cos, sin) has the length `attention`.
double share_on_circle(const TableSample& sample, double attention);

// Parts of the pairs (0 to 1) whose (cos, sin) lies on the one ellipse that is nearest to all of them: what angles
// give, whatever each function was multiplied with. 0 where the values tell no ellipse.
double share_on_ellipse(const TableSample& sample);

// The frequency of each pair, from rows that are positions 0, 1, 2, 4, ...: each doubling halves the error, and rounded
// positions and products are exact there.  NaN where the phases contradict each other.
std::vector<double> measured_frequencies(const TableSample& sample, double attention, Dtype dtype);

// The position that row n of the sample stands at, by frequencies that are known: from the slowest pair to the fastest,
// each with the phase that is nearest. nullopt where no position below `most` explains the row.
std::optional<double> measured_position(const TableSample& sample, size_t n,
                                        const reference::RopeFrequencies& frequencies, double most);

}  // namespace ropewalk::rope
