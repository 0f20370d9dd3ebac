// What %clock and %globaltimer tell: the host's time stamp, which never runs backwards. Where everybody waits it is
// made to stand still: who looks at memory again and again, with the clock in its registers, comes back to a state that
// it had. Then it is moved ahead, so that whoever waits for a time, and not for memory, goes on.
#pragma once
#include <array>

#include "lib/base/types.h"

namespace ropewalk::machine {

class DeviceTime {
 public:
  u64 now() const { return stands_ ? at_ : __builtin_ia32_rdtsc() + ahead_; }
  // False: it stood still already.
  bool stop() {
    if (stands_) return false;
    at_ = now();
    return stands_ = true;
  }
  // False: it was far enough ahead, often enough for who waits for one time after the other.
  bool leap() {
    constexpr u32 most = 18;
    // Nanoseconds or cycles: 17 seconds, an hour, days. The low 32 bits move as well, for %clock has no others.
    constexpr std::array<u64, 3> far{(u64(1) << 34) + (u64(1) << 30), (u64(1) << 42) + (u64(1) << 29),
                                     (u64(1) << 50) + (u64(1) << 28)};
    if (leaps_ == most) return false;
    at_ += far[leaps_++ % far.size()];
    return true;
  }
  void go_on() {
    ahead_ = at_ - __builtin_ia32_rdtsc();
    stands_ = false;
    leaps_ = 0;
  }

 private:
  bool stands_ = false;
  u64 at_ = 0, ahead_ = 0;
  u32 leaps_ = 0;
};

// Of the blocks that this thread runs.
inline thread_local DeviceTime device_time;

// For as long as it lives, time stands still.
class TimeStands {
 public:
  TimeStands() : stopped_(device_time.stop()) {}
  ~TimeStands() {
    if (stopped_) device_time.go_on();
  }
  TimeStands(const TimeStands&) = delete;
  TimeStands& operator=(const TimeStands&) = delete;

 private:
  const bool stopped_;
};

}  // namespace ropewalk::machine
