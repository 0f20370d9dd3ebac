// Numbers of which nobody knows the value, and everybody the bounds: an index that an undefined comparison moved by one
// or not at all (the merges and set operations of CUB do so past the ends of their inputs) is still inside its array.
//
// A marked value may be known to lie between two others. The range is kept as the distances to both from the value that
// it has, modulo its size: these stay the same where something known is added, and so belong to the value's base
// (known_differences.h). A value of which some bits are known lies in the range that these leave.
#pragma once
#include <optional>

#include "lib/machine/block.h"
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

// The range of a value of a lane, of one that is not marked: {0, 0}; nothing: it may be anything.
std::optional<Range> range_of(const Context& context, u32 value, u32 warp, u32 lane);

// The range of all values with a mark and a base; nothing: they may be anything.
std::optional<Range> range_of_base(const Block& block, u32 base);

// The range of a value of so many bytes that is one of two: it is the first, and `other` is `difference` more, modulo
// its size. Nothing: they are too far from each other.
std::optional<Range> range_of_both(Range first, Range other, u64 difference, u32 bytes);

// Whether the results of a computation may be numbers of which something is known, here or in known_differences.h.
bool keeps_numbers(const Step& step);

// Of the result of a computation, an operand of which is marked in this lane, before the step: its range, where it is
// not that of an operand with the same base; or that a comparison has the same result over the ranges of both.
struct RangeOfResult {
  std::optional<Range> range;
  bool is_known = false;
};
RangeOfResult range_after(const Context& context, const Step& step, u32 warp, u32 lane);

// Gives a marked value a range, and a base of its own.
void set_range(Context& context, u32 value, u32 warp, u32 lane, const Range& range);

// Whether an access stays inside what it may touch wherever its marked address is.
bool is_inside_everywhere(const AccessEvent& event);

}  // namespace ropewalk::machine
