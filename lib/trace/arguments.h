// What the arguments of a launch mean: which memory each address in them lies in.
#pragma once
#include <string>
#include <vector>

#include "lib/ptx/module.h"
#include "lib/trace/trace.h"

namespace ropewalk::trace {

enum class PointerState : u8 {
  NoPointer,  // does not look like one
  Null,       // zero, where the kernel uses it as an address
  Live,       // into memory that was live when the launch was made
  Freed,      // into memory that had been given back by then
  Nowhere     // an address in no allocation that the trace knows
};
// "live", "freed", ...; "" for what is no pointer.
std::string_view name_of(PointerState state);

struct ArgumentWord {
  u32 parameter = 0;          // number
  u32 offset = 0, bytes = 0;  // in the parameter; 8 for what may be a pointer, else the whole
  u64 value = 0;
  PointerState state = PointerState::NoPointer;
  TracedAllocation memory;   // of Live and Freed
  u64 into = 0;              // bytes from its start
  bool freed_later = false;  // live when the launch was made, and given back before the error was reported
};

// Every argument of at most 8 bytes, and of larger ones each word that is a pointer. With the kernel's module, what it
// uses as an address is known; without it an address is what lies in some memory, or near one.
std::vector<ArgumentWord> argument_words(const TracedLaunch& launch, const Snapshot& snapshot,
                                         const ptx::Module* module);

// The number of the last launch whose call began before that order, of those that are kept; 0: none did.
u64 launches_before(const Snapshot& snapshot, u64 order);

}  // namespace ropewalk::trace
