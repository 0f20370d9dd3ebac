// What atomic operations make of the value in memory.
#pragma once
#include "lib/machine/mode.h"
#include "lib/ptx/module.h"

namespace ropewalk::machine {

// The new value for an operation on a TYPE, with `before` in memory (PTX ISA, atom). inc and dec wrap at the
// operand; cas compares with `operand` and stores `second`.
u64 atomic_result(AtomicOperation operation, ptx::Type type, u64 before, u64 operand, u64 second);

}  // namespace ropewalk::machine
