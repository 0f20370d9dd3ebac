// What the module-scope variables hold before any kernel runs, and where the machine's code finds them.
#pragma once
#include "lib/ptx/module.h"

namespace ropewalk::machine {

// The address by which the module's code knows a variable, of those that have one.
u64 address_of_variable(u32 id);
// Writes what the module says of its variable `id` over zeros: the bytes given, and the addresses of variables and
// functions in them. bytes: of `data`.
void fill_variable(const ptx::Module& module, u32 id, std::byte* data, u64 bytes);

}  // namespace ropewalk::machine
