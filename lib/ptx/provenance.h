// Where an address comes from: the kernel parameter that a memory instruction's base register was derived from.
#pragma once
#include <vector>

#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// The origin of one pointer.
struct Origin {
  static constexpr i32 unknown = -1;    // nothing is known
  static constexpr i32 ambiguous = -2;  // several parameters reach it
  i32 parameter = unknown;              // index of the kernel parameter
  i32 offset = 0;                       // bytes into the parameter (a pointer inside a struct by value)
  i32 variable = unknown;               // where `parameter` is unknown: the module-scope variable that it points into
  i32 within = unknown;                 // where it is ambiguous: the struct by value that all the pointers stand in
};

// By instruction: the origin of the address operand of loads, stores, atomics, copies and prefetches (of cp.async: the
// global side). Found by data flow over registers; values loaded from memory other than parameters are unknown.
std::vector<Origin> address_origins(const Module& module, const Function& function);

// Whether an address may be one that was loaded from memory, though at other times it comes from a parameter, which is
// then its origin: `for (node = head; node; node = node->next)`.
bool follows_loaded_pointers(const Module& module, const Function& function);

}  // namespace ropewalk::ptx
