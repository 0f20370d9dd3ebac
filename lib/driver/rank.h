// Which of a program's processes this one is.
#pragma once
#include <optional>

#include "lib/base/types.h"

namespace ropewalk::driver {

// Its rank among several, as its launcher says (torchrun, Open MPI, MPICH, Slurm), or the Python package, which knows
// what torch.distributed was given (ROPEWALK_RANK). Nothing: it is the only one, or nobody says.
std::optional<u32> rank_of_process();

}  // namespace ropewalk::driver
