// Exact values of 32-bit index arithmetic, kept beside the wrapped ones from the first overflow on.
//
// A value that wrapped is wrong where it reaches an address as it is, or as a part of a sum or a product. It is right
// where nothing is left of the wrapping: an operation on bits gives the same number for the exact value (a mask), or
// the operation gives a smaller number on purpose (a remainder, a quotient, a shift to the right, a field, a narrower
// type). What such an operation gives is called reduced, for compilers make x % n of x - x / n * n: that is right
// although x wrapped.
#pragma once
#include <vector>

#include "lib/machine/checks/check.h"
#include "lib/machine/shadow.h"

namespace ropewalk::machine {

// By lane of the context: what the step's result would be in exact arithmetic on operands read as signed numbers.
struct OverflowNotes {
  struct Lane {
    i64 exact = 0;
    i64 without_sign = 0;       // the same of operands read as unsigned numbers
    bool has_no_sign = false;   // an operand overflowed, and is right as an unsigned number
    u32 step = 0, root = 0;     // of an operand, as in Shadow::Exact
    bool wrapped = false;       // an operand had overflowed
    bool reduced = false;       // an operand was reduced
    bool is_remainder = false;  // x - q * n of an x that had overflowed
    bool fits_without_sign =
        false;           // x - q * n that is right where x is read without a sign: the type of mad.lo says nothing
    bool wrong = false;  // of an extension to 64 bits: its operand is not what was meant
  };
  std::vector<Lane> lanes;
};

// For steps that have an `arithmetic` which matters to an address.
OverflowNotes before_arithmetic(const Context& context, const Step& step);
// Marks the results that differ from exact arithmetic; of an extension to 64 bits: those that became a wrong number.
void after_arithmetic(Context& context, const Op* op, const OverflowNotes& notes);

// For all computations, before they run: the taints that their results have by operands that wrapped. Where
// before_arithmetic looks at the step, it adds to them.
void propagate_wraps(Context& context, const Step& step, u32 warp, u8 (&taints)[lanes_per_warp]);

// Numbers that wrapped go through shared and local memory. After an element was stored from a value, and after one was
// loaded into a value; `at` is its first byte in the access.
void note_stored_wrap(const AccessEvent& event, u32 at, u32 bytes, u32 value);
void note_loaded_wrap(const AccessEvent& event, u32 at, u32 bytes, u32 value);

}  // namespace ropewalk::machine
