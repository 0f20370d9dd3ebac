// A kernel that waits for what the host or another stream does meanwhile.
#pragma once
#include "lib/driver/launch.h"
#include "lib/driver/session.h"

namespace ropewalk::driver {

// On a GPU the host and other streams go on beside a kernel, here once it has ended: who waits for memory that they
// may write is no kernel that never ends. Such a hang is taken out of the outcome, which becomes not run with the
// reason. A kernel may wait so where it looks at bytes that it does not write itself, by loads that see what others
// store.
void leave_waiting(Session& session, const Launch& launch, Outcome& outcome);

}  // namespace ropewalk::driver
