// When somebody who runs blocks looks at the clock.
#pragma once
#include <algorithm>

#include "lib/base/stopwatch.h"
#include "lib/machine/launch_state.h"

namespace ropewalk::machine {

// After every block where blocks are slow, after ever more where they are not.
class ClockLooks {
 public:
  // Before a block: whether this thread's time for the launch is known to be over, or the launch was stopped.
  bool is_over(const LaunchState& launch) {
    if (launch.options.is_stopped()) return true;
    if (--left_ > 0) return false;
    constexpr double often = 0.01;  // seconds
    constexpr u32 most_between = 256;
    const double now = wall_.seconds();
    between_ = now - last_ < often ? std::min(2 * between_, most_between) : std::max(between_ / 2, 1u);
    left_ = between_;
    last_ = now;
    return watch_.is_past(launch.options.seconds);
  }

 private:
  u32 between_ = 1, left_ = 1;
  double last_ = 0;
  const Stopwatch wall_;
  const ThreadWatch watch_;
};

}  // namespace ropewalk::machine
