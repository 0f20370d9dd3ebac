// Whether values run smoothly, as computed ones do and those of memory that nobody filled do not.
#pragma once
#include "lib/rope/stream.h"

namespace ropewalk::rope {

// Whether most lines of one function, along the wrong rows or along the pairs, have neighbours that are near each
// other. Lines of one number throughout tell nothing.
bool runs_smoothly(const CacheTable& table, const StreamVerdict& stream, Trig trig);

}  // namespace ropewalk::rope
