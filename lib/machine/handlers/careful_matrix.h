// ldmatrix and stmatrix of the careful tier: row by row, each access shown to the checks.
#pragma once
#include "lib/machine/context.h"

namespace ropewalk::machine::careful {

const Op* load_matrix(Context& context, const Op* op);
const Op* store_matrix(Context& context, const Op* op);

}  // namespace ropewalk::machine::careful
