// Padding in global memory, as compilers copy it: structs are copied member by member, and the bytes that the members
// leave free are an array of bytes among them.
#pragma once

namespace ropewalk::machine {

struct Code;

// Marks the loads (MemoryStep::pads_to) whose bytes may be such padding: vectors of bytes that are only stored again,
// and what is loaded right behind them and only stored again. Marks, too, the loads of words without a type that show
// what a struct is aligned to (MemoryStep::aligned_to): vectors of one width side by side, or single bytes.
void mark_struct_tails(Code& code);

}  // namespace ropewalk::machine
