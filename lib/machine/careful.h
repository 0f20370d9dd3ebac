// The careful tier: runs operations one by one with a shadow of the registers, and shows every access to the checks.
#pragma once
#include "lib/machine/checks/check.h"
#include "lib/machine/program.h"

namespace ropewalk::machine {

struct CarefulRun {
  bool goes_back = false;  // the fast tier can go on at the context's operation
  u64 steps = 0;           // that were run
};

// Runs a context of a careful program until it stops. Its shadow must be set. may_go_back: until nothing that is still
// to be read is marked, too.
CarefulRun run_careful(Context& context, bool may_go_back);

}  // namespace ropewalk::machine
