// Functions behind forms that only the decoder uses, and those made of several of lib/machine/arithmetic.
#pragma once
#include "lib/machine/address.h"
#include "lib/machine/arithmetic/compare.h"
#include "lib/machine/arithmetic/lane.h"
#include "lib/machine/device_time.h"

namespace ropewalk::machine::arithmetic {

// %move
template <class U>
struct Move {
  RW_ONE_OPERAND(U);
  RW_LANE U apply(U a) { return a; }
};

// %pack: two values beside each other, the first in the low bits.
template <class Part, class Whole>
struct Pack2 {
  using Result = Whole;
  using A = Part;
  using B = Part;
  RW_LANE Whole apply(Part a, Part b) { return Whole(Whole(b) << (8 * sizeof(Part)) | a); }
};

// %unpack: the part that starts at bit b.
template <class Whole, class Part>
struct Unpack {
  using Result = Part;
  using A = Whole;
  using B = u32;
  RW_LANE Part apply(Whole a, u32 b) { return Part(a >> (b & (8 * sizeof(Whole) - 1))); }
};
// The byte that starts at bit b, as a predicate.
struct UnpackPredicate {
  using Result = u8;
  using A = u16;
  using B = u32;
  RW_LANE u8 apply(u16 a, u32 b) { return predicate(((a >> (b & 15u)) & 0xffu) != 0); }
};

// %resize: another width, extended by zeros (From unsigned) or by the sign (From signed).
template <class From, class To>
struct Resize {
  using Result = typename To::Storage;
  using A = typename From::Storage;
  RW_LANE Result apply(A a) { return Result(From::load(a)); }
};

// Of a + b + carry: what goes on to the next word, and the word itself. The carry is 0 or 1.
template <class U>
struct CarryOfAdd {
  using Result = u32;
  using A = U;
  using B = U;
  using C = u32;
  RW_LANE u32 apply(U a, U b, u32 carry) {
    const U partial = U(a + b), sum = U(partial + carry);
    return u32(partial < a) | u32(sum < partial);
  }
};
template <class U>
struct AddWithCarry {
  using Result = U;
  using A = U;
  using B = U;
  using C = u32;
  RW_LANE U apply(U a, U b, u32 carry) { return U(a + b + carry); }
};
// %isspace: whether a generic address lies in the window of a space that every block or thread has for itself.
template <u64 Window>
struct IsInWindow {
  using Result = u8;
  using A = u64;
  RW_LANE u8 apply(u64 a) { return predicate((a >> window_bits) == Window); }
};
// Everything else but the empty window is global.
struct IsGlobal {
  using Result = u8;
  using A = u64;
  RW_LANE u8 apply(u64 a) {
    const u64 window = a >> window_bits;
    return predicate(window != 0 && window != shared_window && window != local_window && window != parameter_window);
  }
};
// Constants are reached by global addresses.
struct IsNever {
  using Result = u8;
  using A = u64;
  RW_LANE u8 apply(u64) { return 0; }
};

// %clock: see device_time.h; the operand is ignored.
template <class U>
struct Clock {
  RW_ONE_OPERAND(U);
  RW_LANE U apply(U) { return U(device_time.now()); }
};

// setp of f16x2 and bf16x2: the predicate of the low halves in the low byte, of the high halves in the high byte.
template <Relation R, class Type, bool Ftz>
struct SetpPair {
  using Result = u16;
  using A = u32;
  using B = u32;
  RW_LANE u16 apply(u32 a, u32 b) {
    return u16(SetpHalf<R, Type, false, Ftz>::apply(a, b) | SetpHalf<R, Type, true, Ftz>::apply(a, b) << 8);
  }
};

}  // namespace ropewalk::machine::arithmetic
