// Bytes that nobody writes because they pad a struct: compilers copy structs by whole words, or byte by byte.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine::careful {

// Whether a byte of shared or local memory was written, by its offset from the start of that memory.
bool is_initialized_at(const AccessEvent& event, u64 offset);

// Whether a byte of an access that nobody wrote is padding: a member that ends before the next multiple of a scalar of
// the struct is followed by padding up to it. What is the same in the other structs that the warp reads here is padding
// after any scalar; what is not never is. Where nothing is known of others, it is padding after what is surely a
// scalar.
bool is_struct_padding(const AccessEvent& event, u32 at);

}  // namespace ropewalk::machine::careful
