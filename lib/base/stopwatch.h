// How long something took.
#pragma once
#include <chrono>
#include <ctime>

namespace ropewalk {

class Stopwatch {
 public:
  // Seconds of wall time since it was made.
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

// The processor time that a thread used: the same however busy the machine is. Asked by the thread that made it.
class ThreadWatch {
 public:
  // Whether it used more than these seconds since this was made. It cannot have while less wall time passed, and that
  // is known without a system call.
  bool is_past(double seconds) const { return wall_.seconds() > seconds && now() - start_ > seconds; }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
  }
  Stopwatch wall_;
  double start_ = now();
};

}  // namespace ropewalk
