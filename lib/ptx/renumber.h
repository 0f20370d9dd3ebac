// Brings a rewritten function into the order that a reader of its text would give it.
#pragma once
#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// Registers are numbered as they are first named, those that nothing names are left out; labels by their positions.
void renumber(Function& function);

}  // namespace ropewalk::ptx
