// The handlers of one instruction form, and lists of them as the tables of an instruction set give them.
//
// This header is also read by files that are compiled for one instruction set only: it instantiates nothing of the
// standard library, whose bodies the linker could take from there.
#pragma once
#include "lib/machine/op.h"

namespace ropewalk::machine {

// The handlers of one instruction form and the bytes that it takes of each operand (0: there is none; 1: a predicate).
struct Form {
  Handler vector = nullptr;   // for the active lanes of all warps
  Handler uniform = nullptr;  // once, where all operands are the same in all lanes
  u8 size_d = 0, size_a = 0, size_b = 0, size_c = 0, size_e = 0;
};

// A form under its canonical opcode (see canonical_opcode), or under a name with % that only the decoder uses.
struct FormEntry {
  const char* key;
  Form form;
};

struct FormList {
  const FormEntry* entries;
  u32 count;
};

template <u32 count>
constexpr FormList list_of(const FormEntry (&entries)[count]) {
  return {entries, count};
}

}  // namespace ropewalk::machine
