// mma.sync, compiled once for each instruction set.
#pragma once
#include "lib/machine/context.h"

namespace ropewalk::machine {

// d = a * b + c on fragments of a warp; which types and shape, the step says.
Handler multiply_matrix_handler();

namespace generic { const Op* multiply_matrix(Context& context, const Op* op); }
namespace v3 { const Op* multiply_matrix(Context& context, const Op* op); }
namespace v4 { const Op* multiply_matrix(Context& context, const Op* op); }

}  // namespace ropewalk::machine
