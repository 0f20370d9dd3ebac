// The known ways in which a problem of writing to a KV cache can be wrong.
#pragma once
#include <vector>

#include "lib/generate/space.h"

namespace ropewalk::cache_store {

// Those that every kernel that stores tokens, or that copies pages, must reject. A problem is good exactly where none
// of them is in it.
std::vector<generate::Flaw> append_flaws();
std::vector<generate::Flaw> copy_flaws();

}  // namespace ropewalk::cache_store
