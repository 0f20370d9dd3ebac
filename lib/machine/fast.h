// The fast tier: operations run one after the other with nothing between them.
#pragma once
#include "lib/machine/context.h"

namespace ropewalk::machine {

// Runs a context of a fast program until it stops.
inline void run_fast(Context& context) {
  const Op* op = context.op;
  while (op) op = op->run(context, op);
}

}  // namespace ropewalk::machine
