// The known ways in which a rotary problem can be wrong.
#pragma once
#include <vector>

#include "lib/families/rotary/rotary_parameters.h"
#include "lib/generate/space.h"

namespace ropewalk::rotary {

// Those that every kernel of that task must reject. A problem is good exactly where none of them is in it.
std::vector<generate::Flaw> rotary_flaws(RotaryTask task);

}  // namespace ropewalk::rotary
