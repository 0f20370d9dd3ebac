#include "lib/driver/ending.h"

#include <signal.h>
#include <unistd.h>

namespace ropewalk::driver {

namespace {

std::atomic<bool> is_in_flight, is_to_end;
std::atomic<int> came;  // the first; 0: none

void end_by(int number) {
  signal(number, SIG_DFL);
  kill(getpid(), number);  // whichever thread takes it
}

// Where nothing is in flight it is as if there were no handler.
void on_ending(int number) {
  int none = 0;
  if (is_in_flight) {
    came.compare_exchange_strong(none, number);
    is_to_end = true;
    // The launch may have ended meanwhile, and nobody would look.
    if (is_in_flight) return;
  }
  end_by(number);
}

}  // namespace

void watch_endings() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now = {};
    sigaction(number, nullptr, &now);
    if (now.sa_flags & SA_SIGINFO || now.sa_handler != SIG_DFL) continue;
    now.sa_handler = on_ending;
    now.sa_flags = SA_RESTART;
    sigaction(number, &now, nullptr);
  }
}

EndsLater::EndsLater() { is_in_flight = true; }

EndsLater::~EndsLater() {
  is_in_flight = false;
  if (came) end_by(came);
}

const std::atomic<bool>& EndsLater::is_requested() { return is_to_end; }

}  // namespace ropewalk::driver
