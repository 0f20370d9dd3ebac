// Memory operations of the careful tier: lane by lane, each access shown to the checks.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine::careful {

const Op* load(Context& context, const Op* op);
const Op* store(Context& context, const Op* op);
const Op* atomic(Context& context, const Op* op);
const Op* copy_async(Context& context, const Op* op);
const Op* commit_async(Context& context, const Op* op);
const Op* wait_async(Context& context, const Op* op);
const Op* load_matrix(Context& context, const Op* op);
const Op* store_matrix(Context& context, const Op* op);
const Op* index_statement(Context& context, const Op* op);

// Where an access of a lane goes: fills space, window, offset, extent and data of the event from its address.
void resolve(AccessEvent& event, MemorySpace space);
// Asks all checks.
Verdict judge(AccessEvent& event);

}  // namespace ropewalk::machine::careful
