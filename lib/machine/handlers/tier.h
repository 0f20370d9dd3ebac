// Which handler runs a step in which tier.
#pragma once
#include <vector>

#include "lib/machine/program.h"

namespace ropewalk::machine {

// Sets the operation's handler, and what it needs beyond its operands, which are in place already. `uniform` says by
// value which are the same in all lanes.
void set_handler(Program& program, Op& op, const Step& step, const std::vector<bool>& uniform);

}  // namespace ropewalk::machine
