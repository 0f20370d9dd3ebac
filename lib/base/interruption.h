// A signal that asks us to end while a program of ours runs.
#pragma once
#include <csignal>
#include <functional>
#include <set>

namespace ropewalk {

// From its making to its end SIGINT, SIGTERM and SIGHUP, where they are not ignored already, are held back until
// wait_for takes them, and processes that lose their parent become our children. One at a time.
class Interruption {
 public:
  explicit Interruption(double patience_s);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // In the child, before it becomes another program: the signals are as they were.
  void forget() const;

  // Waits for the child's end, passes signals on to it, and then to the processes that it left behind; kills them when
  // the patience is over. Its status, as waitpid gives it. is_waited_for: whether the end of a process that was left
  // behind is awaited, too; empty: of none. The others have a short while to become one, or to end.
  int wait_for(pid_t child, const std::function<bool(pid_t)>& is_waited_for);

  // Those that go on when wait_for has ended.
  const std::set<pid_t>& left() const { return left_; }

  // The first that was passed on; 0: none. All of them are ignored from then on, in this process.
  int signal() const { return signal_; }

 private:
  sigset_t held_, before_;
  struct sigaction child_before_;
  double patience_s_;
  int signal_ = 0;
  std::set<pid_t> left_;
};

}  // namespace ropewalk
