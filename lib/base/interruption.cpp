#include "lib/base/interruption.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>

#include "lib/base/stopwatch.h"

namespace ropewalk {
namespace {

constexpr int endings[] = {SIGINT, SIGTERM, SIGHUP};

// Our children; empty as well where the kernel does not tell them.
std::set<pid_t> children() {
  std::set<pid_t> out;
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::ifstream file(thread.path() / "children");
    for (pid_t child; file >> child;) out.insert(child);
  }
  return out;
}

}  // namespace

Interruption::Interruption(double patience_s) : patience_s_(patience_s) {
  sigemptyset(&held_);
  sigaddset(&held_, SIGCHLD);
  for (const int ending : endings) {
    struct sigaction now;
    sigaction(ending, nullptr, &now);
    if (now.sa_handler != SIG_IGN) sigaddset(&held_, ending);
  }
  // A signal that is ignored is not held back either.
  struct sigaction by_default = {};
  by_default.sa_handler = [](int) {};
  sigaction(SIGCHLD, &by_default, &child_before_);
  pthread_sigmask(SIG_BLOCK, &held_, &before_);
}

Interruption::~Interruption() {
  // One that comes late, as timeout(1) sends them twice, must not cost the report.
  for (const int ending : endings) {
    if (signal_ && sigismember(&held_, ending)) std::signal(ending, SIG_IGN);
  }
  forget();
}

void Interruption::forget() const {
  sigaction(SIGCHLD, &child_before_, nullptr);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int Interruption::wait_for(pid_t child) {
  int status = 0;
  bool is_there = true;
  std::set<pid_t> signaled;
  Stopwatch since;
  const auto send = [&](pid_t process, int signal) {
    if (signaled.insert(process).second || signal == SIGKILL) kill(process, signal);
  };
  for (bool is_over = false;;) {
    if (is_there) is_there = waitpid(child, &status, WNOHANG) == 0;
    if (!is_there) {
      // Others are ours only since the signal.
      while (signal_ && waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      const std::set<pid_t> left = signal_ ? children() : std::set<pid_t>();
      if (left.empty()) return status;
      for (const pid_t process : left) send(process, is_over ? SIGKILL : signal_);
    }
    if (is_over && is_there) kill(child, SIGKILL);
    if (is_over && !is_there && since.seconds() > patience_s_ + 1) return status;  // even SIGKILL does not end them
    siginfo_t what = {};
    const timespec tenth = {0, 100'000'000};
    const int came = signal_ ? sigtimedwait(&held_, &what, &tenth) : sigwaitinfo(&held_, &what);
    is_over = signal_ && since.seconds() > patience_s_;
    // What the kernel sends, a terminal sends to all that run in it.
    if (came <= 0 || came == SIGCHLD || what.si_code > 0) continue;
    if (!signal_) {
      signal_ = came;
      since = Stopwatch();
      prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that processes without a parent become ours
    }
    if (is_there) send(child, came);
  }
}

}  // namespace ropewalk
