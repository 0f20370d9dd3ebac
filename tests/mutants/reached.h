// Which instructions were executed, by the sides of branches that were seen.
#pragma once
#include <vector>

#include "lib/launch/outcome.h"
#include "lib/ptx/module.h"

namespace ropewalk::mutants {

// By instruction. A block of instructions is executed where one before it is that leads to it by a side that was seen.
std::vector<bool> reached(const ptx::Module& module, const ptx::Function& function, const BranchCoverage& seen);

}  // namespace ropewalk::mutants
