// The known ways in which what an attention problem says of a cache can be wrong.
#pragma once
#include <vector>

#include "lib/generate/space.h"

namespace ropewalk::attention {

// Of key lengths, pages and splits, beside attention_flaws(), and those of block tables, which are there where a kernel
// takes pages.
std::vector<generate::Flaw> cache_flaws();
std::vector<generate::Flaw> table_flaws();

}  // namespace ropewalk::attention
