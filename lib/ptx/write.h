// Module to PTX text.
#pragma once
#include <string>

#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// PTX that reads back as the same module, and that NVIDIA's assembler takes.
std::string write(const Module& module);

}  // namespace ropewalk::ptx
