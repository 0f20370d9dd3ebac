// The known ways in which a problem can be wrong for a ring of ranks.
#pragma once
#include <vector>

#include "lib/generate/space.h"

namespace ropewalk::attention {

// On top of attention_flaws, for kernels that take ranks.
std::vector<generate::Flaw> rank_flaws();

}  // namespace ropewalk::attention
