// Operations that the lanes of a warp do together.
#pragma once
#include "lib/machine/context.h"

namespace ropewalk::machine::warp_wide {

const Op* shuffle(Context& context, const Op* op);
// The same where reads of lanes that do not take part are settled.
const Op* shuffle_settled(Context& context, const Op* op);
const Op* vote(Context& context, const Op* op);
const Op* match(Context& context, const Op* op);
const Op* reduce(Context& context, const Op* op);
const Op* active_mask(Context& context, const Op* op);
const Op* elect(Context& context, const Op* op);
// Of a matrix instruction, which all lanes of a warp must execute (PTX ISA, .aligned): those that are elsewhere are
// waited for, and where some do not come it is a finding. nullptr: stopped.
const Op* whole_warps(Context& context, const Op* op);
const Op* move_matrix(Context& context, const Op* op);
const Op* warp_barrier(Context& context, const Op* op);
// Stops the context at a barrier of the block.
const Op* barrier(Context& context, const Op* op);
// vprintf and __assertfail.
const Op* print(Context& context, const Op* op);
const Op* assert_fail(Context& context, const Op* op);

}  // namespace ropewalk::machine::warp_wide
