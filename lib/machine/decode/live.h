// From where to where the values of a code are alive.
#pragma once
#include "lib/machine/code.h"

namespace ropewalk::machine {

// By value: the first and the last point at which it may hold something that is still read, over all ways through the
// code, in the order of the steps. Step s reads at 2s and writes at 2s + 1; steps that touch memory or other lanes, or
// have several results, are taken to read until they write. Two values whose ranges do not meet may share an offset,
// for a lane's own values are written by that lane alone.
std::vector<LiveRange> live_ranges(const Code& code);

}  // namespace ropewalk::machine
