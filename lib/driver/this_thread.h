// The calling thread by a number that no other one has, before or after it: the system gives the id of a thread that
// has ended to another one.
#pragma once
#include <set>

#include "lib/base/types.h"

namespace ropewalk::driver {

u64 this_thread();

// Takes those of the threads, whose number this_thread() gave, that have ended since the last call.
std::set<u64> take_ended_threads();

}  // namespace ropewalk::driver
