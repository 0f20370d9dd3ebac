// The fast tier's handlers of one instruction set, as a list.
#include "lib/machine/handlers/fast_lanes.h"
#include "lib/machine/handlers/fast_memory.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

const Op* load_global(Context& context, const Op* op);
const Op* load_uniform(Context& context, const Op* op);
const Op* load_parameter(Context& context, const Op* op);
const Op* store_global(Context& context, const Op* op);
const Op* load_shared(Context& context, const Op* op);
const Op* store_shared(Context& context, const Op* op);
const Op* load_global_settled(Context& context, const Op* op);
const Op* load_uniform_settled(Context& context, const Op* op);
const Op* store_global_settled(Context& context, const Op* op);
const Op* load_shared_settled(Context& context, const Op* op);
const Op* store_shared_settled(Context& context, const Op* op);
const Op* load_matrix(Context& context, const Op* op);
const Op* load_local(Context& context, const Op* op);
const Op* store_local(Context& context, const Op* op);
const Op* index_statement(Context& context, const Op* op);
const Op* shuffle_fixed(Context& context, const Op* op);
const Op* multiply_matrix(Context& context, const Op* op);
Handler overflow_handler(ptx::Calculation kind, bool uniform);
Handler shuffle_handler(ShuffleMode mode);

namespace {

// The window of the first active lane's address decides; a lane elsewhere stops the context there.
u32 space_of_first_lane(const Context& context, const FastAccess& access) {
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    alignas(64) u64 addresses[lanes_per_warp];
    load_addresses(context, access, warp, addresses);
    const u64 window = window_of(addresses[__builtin_ctz(context.bits[warp])]);
    return window == shared_window ? 1 : window == local_window ? 2 : 0;
  }
  return 0;
}

template <Handler Global, Handler Shared, Handler Local>
const Op* by_space(Context& context, const Op* op) {
  const FastAccess* accesses = static_cast<const FastAccess*>(op->extra);
  const u32 space = space_of_first_lane(context, accesses[0]);
  Op here = *op;
  here.extra = accesses + space;
  const Handler handlers[] = {Global, Shared, Local};
  const Op* next = handlers[space](context, &here);
  if (next == nullptr) context.op = op;
  return next ? op + 1 : nullptr;
}

}  // namespace

FastHandlers fast_handlers() {
  FastHandlers all;
  all.load_global = load_global;
  all.load_uniform = load_uniform;
  all.load_parameter = load_parameter;
  all.store_global = store_global;
  all.load_shared = load_shared;
  all.store_shared = store_shared;
  all.load_global_settled = load_global_settled;
  all.load_uniform_settled = load_uniform_settled;
  all.store_global_settled = store_global_settled;
  all.load_shared_settled = load_shared_settled;
  all.store_shared_settled = store_shared_settled;
  all.load_matrix = load_matrix;
  all.load_local = load_local;
  all.store_local = store_local;
  all.load_generic = by_space<load_global, load_shared, load_local>;
  all.store_generic = by_space<store_global, store_shared, store_local>;
  all.store_generic_settled = by_space<store_global_settled, store_shared, store_local>;
  all.index_statement = index_statement;
  all.shuffle_fixed = shuffle_fixed;
  all.stop = stop_careful;
  all.multiply_matrix = multiply_matrix;
  all.overflow = overflow_handler;
  all.shuffle = shuffle_handler;
  return all;
}

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
