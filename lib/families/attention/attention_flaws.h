// The known ways in which an attention problem can be wrong.
#pragma once
#include <vector>

#include "lib/generate/space.h"

namespace ropewalk::attention {

// Those that every attention kernel must reject, and those of cu_seqlens, which are there where a kernel takes them. A
// problem is good exactly where none of them is in it.
std::vector<generate::Flaw> attention_flaws();
std::vector<generate::Flaw> list_flaws();

}  // namespace ropewalk::attention
