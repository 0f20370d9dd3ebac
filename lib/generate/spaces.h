// The spaces that there are, one for each kind of problem.
#pragma once
#include "kernels/family.h"
#include "lib/generate/space.h"

namespace ropewalk {

// The problems that a family answers. Values that it has no form for (a dtype without an entry, varlen) are left out:
// its contract, and that of its healthy twin, is asked about them on an otherwise plain problem. Throws InternalError
// for a family whose kind of problem has no space.
ProblemSpace space_of(const KernelFamily& family);

}  // namespace ropewalk
