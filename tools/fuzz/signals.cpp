#include "tools/fuzz/signals.h"

#include <csignal>

namespace ropewalk::tools {
namespace {

std::atomic<bool> stopped = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler may touch nothing else

void stop(int signal) {
  stopped = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& stop_on_signals() {
  std::signal(SIGINT, stop);
  std::signal(SIGTERM, stop);
  std::signal(SIGHUP, stop);
  return stopped;
}

}  // namespace ropewalk::tools
