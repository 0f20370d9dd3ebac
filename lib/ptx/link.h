// Several modules as one, as a linker of device code makes it.
#pragma once
#include <vector>

#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// Names that are visible are one: a definition stands for all declarations, and of weak and common ones the first does
// unless another is strong. Names of one module alone are renamed where others have them. Throws InputError where two
// modules define a name, or declare it differently.
Module link(const std::vector<Module>& modules);

}  // namespace ropewalk::ptx
