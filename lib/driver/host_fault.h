// Host code that follows a pointer to device memory ends by a signal, on a GPU as here. Before it does, it is a
// finding.
#pragma once

namespace ropewalk::driver {

// Looks at the accesses that end by SIGSEGV, from now on. The signal's action so far follows, and is in place again.
void watch_host_accesses();

}  // namespace ropewalk::driver
