// Which bits of the results of a computation are not known, given those of its operands.
#pragma once
#include "lib/machine/code.h"
#include "lib/machine/context.h"
#include "lib/machine/known_bits.h"

namespace ropewalk::machine {

// The operands of a step in the lanes of one warp.
struct LaneBits {
  KnownBits operands[4][lanes_per_warp];
};

// The unknown bits of the result, for the lanes whose bit is set; of others they are whatever they are.
void unknown_bits(const Code& code, const Step& step, const LaneBits& lanes, u32 which, u64 (&unknown)[lanes_per_warp]);

}  // namespace ropewalk::machine
