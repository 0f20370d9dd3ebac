// What PTX allows of single instructions: the modifiers, types and operands of each opcode.
#pragma once
#include <string>

#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// Throws InputError with the line of the first instruction of a function that is no PTX: an opcode, modifier or type
// that does not exist, or a number, kind, size or type of operands that the opcode does not take (PTX ISA 9.0; held
// against ptxas 13.0). In a module of a newer version words that are not known pass: whoever executes them says so.
// Of mma those forms are looked at that matrix_forms.h has. An instruction that has a known opcode but no rule here
// (textures, wgmma, ...) is not looked at.
void check_instructions(const Module& module, const Function& function);

// Whether the module is of a version in which words may be PTX that the rules do not know.
bool is_newer_than_grammar(const Module& module);

}  // namespace ropewalk::ptx
