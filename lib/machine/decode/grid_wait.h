// What a kernel does before it waits for the one that it depends on (programmatic dependent launch).
#pragma once
#include "lib/machine/code.h"

namespace ropewalk::machine {

// Sets Code::waits_for_grid, and MemoryStep::is_early of accesses that surely come before griddepcontrol.wait: no way
// leads to them from one, nor from a barrier or signal by which a thread may learn that another one has waited.
void mark_early_accesses(Code& code);

}  // namespace ropewalk::machine
