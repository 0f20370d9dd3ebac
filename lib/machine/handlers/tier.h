// Which handler runs a step in which tier.
#pragma once
#include <vector>

#include "lib/machine/program.h"

namespace ropewalk::machine {

// The handler for all lanes of a context. `uniform` says by value which are the same in all lanes.
Handler handler_of(const Step& step, Tier tier, const std::vector<bool>& uniform);

}  // namespace ropewalk::machine
