// Calls put into the body of their caller, so that the machine knows one function only.
#pragma once
#include "lib/ptx/module.h"

namespace ropewalk::machine {

// `entry` with the bodies of the functions that it calls in place of the calls, at any depth. A callee's parameters and
// returned values are the caller's .param variables. A call stays where it cannot be replaced: it is indirect, the
// callee has no body here, calls itself, or is given registers, or the result would exceed a million instructions.
ptx::Function inline_calls(const ptx::Module& module, const ptx::Function& entry);

}  // namespace ropewalk::machine
