// Parts of a code that a thread may go round in, and what decides how it does so.
#pragma once
#include "lib/machine/code.h"

namespace ropewalk::machine {

// One for each set of basic blocks that all lead to each other. What a loop only counts (`while (!*flag) ++polls;`)
// decides nothing in it.
std::vector<Cycle> cycles_of(const Code& code);

// Code::is_time. What is chosen or counted by a comparison of times is none.
std::vector<bool> values_of_time(const Code& code);

}  // namespace ropewalk::machine
