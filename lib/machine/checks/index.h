// Index statements: `//@index %r12 < %r6 : x.head_dim` must hold, with the index not negative.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

// What an index statement claims and what was found.
std::string broken_index_text(const std::string& name, i32 index, i32 bound);

}  // namespace ropewalk::machine
