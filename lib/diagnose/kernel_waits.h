// What a kernel waits for, and whether its barriers stand between two of its instructions.
#pragma once
#include "lib/ptx/module.h"

namespace ropewalk::diagnose {

// Whether an instruction is a barrier of the block.
bool is_barrier(const ptx::Module& module, const ptx::Instruction& instruction);

// Whether an instruction is a barrier, or calls a function that may come to one.
bool may_come_to_barrier(const ptx::Module& module, const ptx::Function& function, const ptx::Instruction& instruction);

// Whether an instruction waits for copies (cp.async).
bool is_copy_wait(const ptx::Module& module, const ptx::Instruction& instruction);

// Whether the kernel, or what it calls, waits at barriers in memory (mbarrier).
bool waits_at_mbarriers(const ptx::Module& module, const ptx::Function& entry);

// Whether it has waits of its own beside barriers of the whole block: for a barrier in memory, for a flag or a lock
// that another thread sets behind a fence, or at a barrier of some of the block's threads.
bool has_other_waits(const ptx::Module& module, const ptx::Function& entry);

// Whether threads may signal to others by global memory: by volatile accesses, or atomics that they look at.
bool signals_in_global(const ptx::Module& module, const ptx::Function& entry);

// By its line in the PTX; nullptr: it is not of the function.
const ptx::Instruction* instruction_at(const ptx::Function& function, u64 line);

// How control may get from one instruction of a function to another, without coming by either of them on the way.
struct Ways {
  bool without = false;   // there is one on which no barrier stands, and none is come to in a function that is called
  bool past_all = false;  // there is one on which no barrier stands where all threads of the block meet
};
// By their lines in the PTX; nothing where one of them is not of the function.
Ways ways_between(const ptx::Module& module, const ptx::Function& function, u64 from, u64 to);

// What becomes of a copy to shared memory (cp.async) on the ways to an access of what it brings.
struct CopyGroup {
  bool is_none = false;                    // there are such ways, and none of them puts it into a group
  const ptx::Instruction* wait = nullptr;  // the last in the text that waits for groups there; nullptr: none does
};
// By their lines in the PTX; nothing where one of them is not of the function.
CopyGroup group_of_copy(const ptx::Module& module, const ptx::Function& function, u64 copy, u64 access);

}  // namespace ropewalk::diagnose
