// The handlers of the fast tier that touch memory or check something. Each proves that what it does is innocent and
// does it, or stops the context before anything has happened, so that the careful tier judges it.
#pragma once
#include "lib/machine/mode.h"
#include "lib/machine/op.h"
#include "lib/ptx/instruction_table.h"

namespace ropewalk::machine {

// Of one instruction set. op->extra points to a FastAccess where memory is touched.
struct FastHandlers {
  Handler load_global, load_uniform, load_parameter, store_global;
  Handler load_shared, store_shared, load_matrix;
  // The same for accesses of which something is settled.
  Handler load_global_settled, load_uniform_settled, store_global_settled, load_shared_settled, store_shared_settled,
      store_generic_settled;
  Handler load_local, store_local;
  Handler load_generic, store_generic;  // op->extra: three FastAccess, for global, shared and local memory
  Handler index_statement, shuffle_fixed, stop, multiply_matrix;
  Handler (*shuffle)(ShuffleMode mode);  // with a distance that is not known yet
  // For calculations with 32-bit integers, but Extend: runs the handler in op->extra where nothing overflows.
  Handler (*overflow)(ptx::Calculation calculation, bool uniform);
};

namespace generic {
FastHandlers fast_handlers();
}
namespace v3 {
FastHandlers fast_handlers();
}
namespace v4 {
FastHandlers fast_handlers();
}

// Of the best instruction set that this processor has.
const FastHandlers& fast_handlers();

// These are the same for every instruction set.
const Op* fast_atomic(Context& context, const Op* op);
const Op* fast_copy_async(Context& context, const Op* op);

}  // namespace ropewalk::machine
