// Which memory an instruction touches, by the operands that name it; inside of lib/ptx only.
#pragma once
#include <vector>

#include "lib/ptx/instrument.h"

namespace ropewalk::ptx {

struct MemoryOperand {
  u32 operand = 0;  // which of the instruction's operands is the address
  Site::Kind kind = Site::Kind::Load;
  Space space = Space::Generic;
  u32 bytes = 0;           // of one thread
  bool has_origin = true;  // the operand is the one whose origin address_origins() tells
  // Of ldmatrix and stmatrix: the first lanes alone give addresses, and no lane can be left out. 0: each thread has
  // one.
  u32 lanes = 0;
  // Of the source of cp.async: the operand that says how many bytes are read, or whether none are. 0: none says so.
  u32 source_size = 0;
};

// The accesses to global, constant, shared, local and generic memory that can be checked; none where an instruction
// touches no memory, or parameters alone, or does it in a way that nobody checks.
std::vector<MemoryOperand> memory_operands(const Module& module, const Function& function, const Instruction& it);
// Whether it touches memory in a way that is not checked.
bool is_unchecked(const Opcode& opcode);

}  // namespace ropewalk::ptx
