// Signals that end the process while a launch runs: the launch is stopped first, and what it found is reported.
#pragma once
#include <atomic>

namespace ropewalk::driver {

// From now on, for those of SIGINT, SIGTERM and SIGHUP that nobody handles or ignores.
void watch_endings();

// For as long as it lives, a launch is in flight: such a signal ends the process when it is over. One at a time.
class EndsLater {
 public:
  EndsLater();
  ~EndsLater();
  EndsLater(const EndsLater&) = delete;
  EndsLater& operator=(const EndsLater&) = delete;

  // Whether a signal came (RunOptions::stop).
  static const std::atomic<bool>& is_requested();
};

}  // namespace ropewalk::driver
