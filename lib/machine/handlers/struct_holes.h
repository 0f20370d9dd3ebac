// Holes in arrays of structs: bytes that nobody writes, behind a member and up to where the next one may begin, in each
// struct at the same offset. Who copies such an array, in words or bytes of any width, does nothing with them.
#pragma once
#include "lib/base/types.h"

namespace ropewalk::machine::careful {

// Whether a byte that nobody wrote lies in such a hole. `written` is a bit a byte of the `bytes` bytes of the memory
// that the structs lie in. A hole ends where a word ends of which the first byte is written, and elsewhere in the
// struct such a word is written as a whole: what may be a number that is aligned so. The word has `narrowest` to
// `widest` bytes, powers of two; where it has 8, a number of 8 bytes must be known to be there, for of smaller ones a
// whole one may be missing.
bool is_struct_hole(const u64* written, u64 bytes, u64 offset, u64 narrowest, u64 widest);
// The same in structs that are known to be aligned so, as a vector of so many bytes in them is: the alignment pads
// them, whatever numbers they have.
bool is_aligned_hole(const u64* written, u64 bytes, u64 offset, u64 alignment);

}  // namespace ropewalk::machine::careful
