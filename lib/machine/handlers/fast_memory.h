// Memory operations of the fast tier. Each proves that an access is innocent and performs it, or stops the context
// before anything has happened, so that the careful tier judges it.
#pragma once
#include <vector>

#include "lib/machine/code.h"

namespace ropewalk::machine {

// nullptr: the step is no business of this file.
Handler fast_handler(const Step& step, const std::vector<bool>& uniform);

}  // namespace ropewalk::machine
