// Calls that inline_calls leaves where they are.
#pragma once
#include <string>

#include "lib/ptx/module.h"

namespace ropewalk::machine {

// Why this call of a function of the module, in a function whose other calls are put into its body, cannot be.
std::string why_call_stays(const ptx::Module& module, const ptx::Function& caller, const ptx::Instruction& call,
                           u32 callee);

}  // namespace ropewalk::machine
