// What a kernel does before it waits for the one that it depends on (programmatic dependent launch).
#pragma once
#include "lib/machine/code.h"

namespace ropewalk::machine {

// Step::immediate of a GridControl: bits.
enum GridControlBit : u8 { grid_wait = 1, grid_trigger = 2, early_grid_trigger = 4 };

// Sets Code::waits_for_grid, and MemoryStep::is_early of accesses that surely come before griddepcontrol.wait: no way
// leads to them from one, nor from a barrier or signal by which a thread may learn that another one has waited.
// Marks triggers that come before it in this way, too.
void mark_early_accesses(Code& code);

}  // namespace ropewalk::machine
