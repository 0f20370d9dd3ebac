// The known ways in which what an attention problem says of a cache can be wrong.
#pragma once
#include <vector>

#include "lib/generate/space.h"

namespace ropewalk {

// Of key lengths, pages and splits, beside attention_flaws().
std::vector<Flaw> cache_flaws();

}  // namespace ropewalk
