// Who of this process uses the processor's cores, so that what could use several takes none that another is at.
#pragma once
#include <exception>
#include <functional>

#include "lib/base/types.h"

namespace ropewalk {

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
