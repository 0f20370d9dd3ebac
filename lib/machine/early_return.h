// Whether the source of a kernel has an early return at all.
//
// Compilers make one store of that of `if (row >= rows) { out[t] = 0; return; }` and the one at the kernel's end. The
// PTX is then the same as that of a barrier in a branch, which is a fault. The source tells them apart.
#pragma once
#include "lib/launch/outcome.h"
#include "lib/ptx/module.h"

namespace ropewalk::machine {

// True where the source of every function around an instruction can be read and nothing in it leaves a function or
// jumps over code: no `return`, `goto` or inline assembly, and no macro that is called, which might hide one.
// `location` is the instruction's, an index into the function's locations.
bool source_never_returns(const ptx::Module& module, const ptx::Function& function, u32 location,
                          const SourceLines& source_lines);

}  // namespace ropewalk::machine
