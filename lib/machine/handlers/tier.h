// Which handler runs a step in which tier.
#pragma once
#include <vector>

#include "lib/machine/program.h"
#include "lib/machine/settled.h"

namespace ropewalk::machine {

// Sets the operation's handler, and what it needs beyond its operands, which are in place already. `uniform` says by
// value which are the same in all lanes; `settled` what the fast tier lets pass, nullptr: nothing.
void set_handler(Program& program, Op& op, const Step& step, const std::vector<bool>& uniform, const Settled* settled);

}  // namespace ropewalk::machine
