// What a function may call.
#pragma once
#include <algorithm>
#include <vector>

#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// Adds what an instruction may call to `called`: of a pointer to a function all functions that are no entries.
void add_called(std::vector<const Function*>& called, const Module& module, const Function& function,
                const Instruction& instruction);

// Adds to `all` what its functions call, and what these do.
void close_over_calls(std::vector<const Function*>& all, const Module& module);

// Whether holds(function, instruction) of one of these functions' instructions.
template <class Holds>
bool any_instruction(const std::vector<const Function*>& functions, Holds holds) {
  return std::ranges::any_of(functions, [&](const Function* function) {
    return std::ranges::any_of(function->instructions,
                               [&](const Instruction& instruction) { return holds(*function, instruction); });
  });
}

}  // namespace ropewalk::ptx
