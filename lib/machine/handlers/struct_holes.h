// Holes in arrays of structs: bytes that nobody writes, behind a member and up to where the next one may begin, in each
// struct at the same place. Who copies such an array, in words or bytes of any width, does nothing with them.
#pragma once
#include "lib/base/types.h"

namespace ropewalk::machine::careful {

// Whether a byte that nobody wrote lies in such a hole. `written` is a bit a byte of the `bytes` bytes of the memory
// that the structs lie in. What is known of their alignment is what is written of them: a hole ends where a word of 2
// or 4 bytes ends of which the first byte is written, and elsewhere in the struct such a word is written as a whole. Of
// a whole missing word that is never so.
bool is_struct_hole(const u64* written, u64 bytes, u64 offset);

}  // namespace ropewalk::machine::careful
