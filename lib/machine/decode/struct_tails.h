// Padding in global memory, as compilers copy it: structs are copied member by member, and the bytes that the members
// leave free are an array of bytes among them.
#pragma once

namespace ropewalk::machine {

struct Code;

// Marks the loads (MemoryStep::pads_to) whose bytes may be such padding: vectors of bytes that are only stored again,
// and what is loaded right behind them and only stored again.
void mark_struct_tails(Code& code);

}  // namespace ropewalk::machine
