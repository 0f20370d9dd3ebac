// Numbers of which nobody knows the value, and everybody the difference: (known + u) - u is known whatever u is, as
// scans have it that take their own part away again (exclusive = inclusive - own).
//
// A marked value may have a base: a number for what it differs from by something known, modulo its size; with
// `negated_base`, for the negative of that. Values of one base are of one size. Who is asked first gives a value its
// base, so that nothing is noted where nobody adds.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

constexpr u32 negated_base = 0x80000000u;

// A base that no value has yet; 0: there are no more.
u32 new_base(Block& block);

// The base of a value of a lane, which gets one where it has none; 0: it is not marked.
u32 base_of(const Context& context, u32 value, u32 warp, u32 lane);

// Of the result of a computation, some operand of which is marked in this lane, before the step.
struct Difference {
  u32 base = 0;           // of the result; 0: a new one, if any
  bool is_known = false;  // the bases of the operands take each other away
};
Difference difference_of(const Context& context, const Step& step, u32 warp, u32 lane);

// What a block's own memory knows of a value of so many bytes from byte `at` of an access on: after they were stored
// and marked, and after the register that they were loaded into was marked.
void note_stored_base(const AccessEvent& event, u32 at, u32 bytes, u32 value);
void note_loaded_base(const AccessEvent& event, u32 at, u32 bytes, u32 value);

}  // namespace ropewalk::machine
