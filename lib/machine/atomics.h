// What atomic operations make of the value in memory.
#pragma once
#include <string_view>

#include "lib/ptx/module.h"

namespace ropewalk::machine {

// The new value for atom/red OPERATION of TYPE, with `before` in memory (PTX ISA, atom). inc and dec wrap at the
// operand; cas compares with `operand` and stores `second`.
u64 atomic_result(std::string_view operation, ptx::Type type, u64 before, u64 operand, u64 second);

}  // namespace ropewalk::machine
