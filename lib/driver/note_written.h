// Memory of which nobody notes what is written there, and that was filled with 0xFF before.
#pragma once
#include <cstddef>

#include "lib/base/types.h"

namespace ropewalk::driver {

// written: a bit for each byte, in whole words. Of 8 bytes of the data that begin at a multiple of 8, and of which one
// is no longer 0xFF though nobody has noted it, all count as written. Whether all bytes are.
bool note_written(const std::byte* data, u64 bytes, u64* written);

}  // namespace ropewalk::driver
