#include "lib/base/interruption.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "lib/base/stopwatch.h"

namespace ropewalk {
namespace {

constexpr int endings[] = {SIGINT, SIGTERM, SIGHUP};

// So long a process that was left behind may do something else than what is waited for.
constexpr double while_s = 2;

// The children of a process; none as well where the kernel does not tell them.
std::set<pid_t> children_of(const std::string& process) {
  std::set<pid_t> out;
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + process + "/task", error)) {
    std::ifstream file(thread.path() / "children");
    for (pid_t child; file >> child;) out.insert(child);
  }
  return out;
}
std::set<pid_t> children() { return children_of("self"); }

// Whether this holds of a process, or of one that it has begun.
bool is_any(pid_t process, const std::function<bool(pid_t)>& holds) {
  if (holds(process)) return true;
  const std::set<pid_t> begun = children_of(std::to_string(process));
  return std::any_of(begun.begin(), begun.end(), [&](pid_t one) { return is_any(one, holds); });
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
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Interruption::~Interruption() {
  prctl(PR_SET_CHILD_SUBREAPER, 0);
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

int Interruption::wait_for(pid_t child, const std::function<bool(pid_t)>& is_waited_for) {
  int status = 0;
  bool is_there = true;
  Stopwatch idle;  // nothing was waited for since
  std::set<pid_t> signaled;
  Stopwatch since;
  const auto send = [&](pid_t process, int signal) {
    if (signaled.insert(process).second || signal == SIGKILL) kill(process, signal);
  };
  for (bool is_over = false;;) {
    int one_status = 0;
    for (pid_t one; (one = waitpid(-1, &one_status, WNOHANG)) > 0;) {
      if (one != child) continue;
      is_there = false;
      status = one_status;
      idle = Stopwatch();
    }
    if (!is_there) {
      left_ = signal_ || is_waited_for ? children() : std::set<pid_t>();
      const auto holds = [&](pid_t process) { return is_any(process, is_waited_for); };
      if (left_.empty()) return status;
      if (!signal_ && std::any_of(left_.begin(), left_.end(), holds)) idle = Stopwatch();
      if (!signal_ && idle.seconds() > while_s) return status;
      for (const pid_t process : left_) {
        if (signal_) send(process, is_over ? SIGKILL : signal_);
      }
    }
    if (is_over && is_there) kill(child, SIGKILL);
    if (is_over && !is_there && since.seconds() > patience_s_ + 1) return status;  // even SIGKILL does not end them
    siginfo_t what = {};
    const timespec tenth = {0, 100'000'000};
    const int came = signal_ || !is_there ? sigtimedwait(&held_, &what, &tenth) : sigwaitinfo(&held_, &what);
    is_over = signal_ && since.seconds() > patience_s_;
    // What the kernel sends, a terminal sends to all that run in it.
    if (came <= 0 || came == SIGCHLD || what.si_code > 0) continue;
    if (!signal_) {
      signal_ = came;
      since = Stopwatch();
    }
    if (is_there) send(child, came);
  }
}

}  // namespace ropewalk
