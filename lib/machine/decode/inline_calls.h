// Calls put into the body of their caller, so that the machine knows one function only.
#pragma once
#include "lib/ptx/module.h"

namespace ropewalk::machine {

// What is put in place of calls is bounded, so that calls that double at each level end.
inline constexpr u32 most_call_depth = 200;
inline constexpr u64 most_inlined_instructions = 200'000;

// `entry` with the bodies of the functions that it calls in place of the calls, at any depth. A callee's parameters and
// returned values are the caller's .param variables. A call of an address branches to the body of each function that it
// may name (address.h). A call stays where it cannot be replaced: the callee has no body here, calls itself, or is
// given registers, or is beyond the bounds above.
ptx::Function inline_calls(const ptx::Module& module, const ptx::Function& entry);

}  // namespace ropewalk::machine
