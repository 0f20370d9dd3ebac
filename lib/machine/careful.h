// The careful tier: runs operations one by one with a shadow of the registers, and shows every access to the checks.
#pragma once
#include "lib/machine/checks/check.h"
#include "lib/machine/program.h"

namespace ropewalk::machine {

// Runs a context of a careful program until it stops. Its shadow must be set. may_go_back: until nothing that is still
// to be read is marked, too; true is returned then, and the fast tier can go on at the context's operation.
bool run_careful(Context& context, bool may_go_back);

}  // namespace ropewalk::machine
