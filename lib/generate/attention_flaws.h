// The known ways in which an attention problem can be wrong.
#pragma once
#include <vector>

#include "lib/generate/space.h"

namespace ropewalk {

// Those that every attention kernel must reject. A problem is good exactly where none of them is in it.
std::vector<Flaw> attention_flaws();

}  // namespace ropewalk
