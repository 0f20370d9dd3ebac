// Which variables of a space the address of an access was derived from.
#pragma once
#include <vector>

#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// A set of variables, by their numbers in `variables`; empty: an address of which nothing is known, or which may come
// from elsewhere too.
struct VariableOrigins {
  std::vector<u32> variables;   // ids, as operands have them
  std::vector<u64> of_address;  // by instruction: a bit a variable, of the first address operand
};

// Of the variables in shared or local memory, or the parameters of an entry whose address is taken. Found by data flow
// over registers and the .param variables of calls, whatever the order of instructions: a register that holds addresses
// of several variables at different times has all of them. Arithmetic with numbers stays in the variable; what cannot
// be followed (an address out of memory, a sum of two) is not known. Variables that are extern and without a size name
// the same dynamic memory. Empty where there is one alone, which has no neighbor.
VariableOrigins variable_origins(const Module& module, const Function& function, Space space);

// By the numbers that operands have of them, below `count`: whether the function names the variable at all.
std::vector<bool> variables_named_in(const Function& function, u64 count);

}  // namespace ropewalk::ptx
