// What a race lacks: a release, an acquire or a wider scope of instructions that hand a value from one thread to
// another. Each is tried: taken for what it is not, does the race end?
#pragma once
#include <functional>
#include <vector>

#include "lib/machine/collector.h"

namespace ropewalk::machine {

// Whether a launch whose steps are taken for that (Assumed bits, by step) has no race at these two, in any schedule
// that is tried; is_whole: a few more are tried than the one that showed it.
using EndsRace = std::function<bool(const std::vector<u8>& assumed, bool is_whole)>;

// The fewest of the code's steps that would end the race, each with what it is not: one, or two together. Nothing,
// where none does. Calls ends_race so often at most.
std::vector<MissingStep> missing_order(const Code& code, const Occurrence& race, u32 most, const EndsRace& ends_race);

// Whether one of the findings is a race in the same memory that one of its two steps takes part in.
bool has_race_at(const Collector& found, const Occurrence& race);

}  // namespace ropewalk::machine
