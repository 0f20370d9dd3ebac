// Exact values of 32-bit index arithmetic, kept beside the wrapped ones from the first overflow on.
#pragma once
#include <vector>

#include "lib/machine/shadow.h"

namespace ropewalk::machine {

// By lane of the context: what the step's result would be in exact arithmetic on operands read as signed numbers.
struct OverflowNotes {
  struct Lane {
    i64 exact = 0;
    u32 step = 0;          // where the first overflow was, if `tainted`
    bool tainted = false;  // an operand had overflowed
    bool wrong = false;    // of an extension to 64 bits: its operand is not what was meant
  };
  std::vector<Lane> lanes;
};

OverflowNotes before_arithmetic(const Context& context, const Step& step);
// Marks the results that differ from exact arithmetic; of an extension to 64 bits: those that became a wrong number.
void after_arithmetic(Context& context, const Op* op, const OverflowNotes& notes);

}  // namespace ropewalk::machine
