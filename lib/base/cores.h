// Threads that share work, and who of this process uses the processor's cores, so that what could use several takes
// none that another is at.
#pragma once
#include <functional>

#include "lib/base/types.h"

namespace ropewalk {

// As many threads as an option asks for, or where it asks for 0 one for each of the machine's cores.
u32 threads_for(u32 asked);

// Calls work(0) here and at the same time work(1) to work(workers - 1) on threads of their own, and waits for all.
// Where some throw, throws what the lowest of them threw.
void on_workers(u32 workers, const std::function<void(u32 worker)>& work);

// The thread that has one keeps a core busy as long as it lives: a worker of a campaign, say.
class BusyCore {
 public:
  BusyCore();
  ~BusyCore();
  BusyCore(const BusyCore&) = delete;
  BusyCore& operator=(const BusyCore&) = delete;
};

// Calls work() here and at the same time on cores that nobody keeps busy, `most` times in all at the most. Throws what
// one of them threw.
void on_spare_cores(i64 most, const std::function<void()>& work);

}  // namespace ropewalk
