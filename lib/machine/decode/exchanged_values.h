// Which values lanes of a warp give to each other, as they are or computed with.
#pragma once
#include <vector>

#include "lib/machine/code.h"

namespace ropewalk::machine {

// Whether lanes give something to each other in the step.
bool is_exchange(const Step& step);

// By value: whether a shuffle, vote, match or reduction reads it, or something that was computed from it, also by way
// of a thread's own variables.
std::vector<bool> exchanged_values(const Code& code);

}  // namespace ropewalk::machine
