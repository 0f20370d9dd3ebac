// An end that was asked for from outside.
#pragma once
#include <atomic>

namespace ropewalk::tools {

// From now on SIGINT, SIGTERM and SIGHUP, of a terminal that is closed, set a flag, so that a campaign ends with a
// report of what was done; a second one ends the program at once.
const std::atomic<bool>& stop_on_signals();

}  // namespace ropewalk::tools
