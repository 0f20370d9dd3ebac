// Module to PTX text.
#pragma once
#include <string>

#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// PTX that reads back as the same module, and that NVIDIA's assembler takes.
std::string write(const Module& module);
// 16 hexadecimal digits of that text, the same on every machine: whether two runs were of the same kernels.
std::string hash_of(const Module& module);
// One instruction as reports show it: "@%p1 st.global.b16 [%rd9+4], %rs4".
std::string text_of(const Module& module, const Function& function, const Instruction& instruction);

}  // namespace ropewalk::ptx
