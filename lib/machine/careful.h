// The careful tier: runs operations one by one with a shadow of the registers, and shows every access to the checks.
#pragma once
#include "lib/machine/checks/check.h"
#include "lib/machine/program.h"

namespace ropewalk::machine {

// Runs a context of a careful program until it stops. Its shadow must be set.
void run_careful(Context& context);

}  // namespace ropewalk::machine
