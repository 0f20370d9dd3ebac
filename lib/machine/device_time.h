// What %clock and %globaltimer tell. A device runs thousands of warps where this machine runs one: the host's time
// stamp, divided by what that makes, so that who gives up after a time does not do so before the others had theirs.
// Each look costs some cycles, and where threads do nothing but look, time goes ever faster: waits of 10^9 cycles are
// short. It never runs backwards.
//
// Where everybody waits it is made to stand still: who looks at memory again and again, with the clock in its
// registers, comes back to a state that it had. Then it is moved ahead, so that whoever waits for a time, and not for
// memory, goes on.
#pragma once
#include <algorithm>
#include <array>
#include <utility>

#include "lib/base/types.h"

namespace ropewalk::machine {

class DeviceTime {
 public:
  u64 now() {
    constexpr u64 cycles_of_a_look = 8;
    ++looks_;
    if (stands_) return at_;
    ahead_ += cycles_of_a_look;
    return of_host() + ahead_;
  }
  // Looks since this was asked last.
  u64 take_looks() { return std::exchange(looks_, 0); }
  void advance(u64 ticks) { (stands_ ? at_ : ahead_) += ticks; }
  // False: it stood still already.
  bool stop() {
    if (stands_) return false;
    at_ = of_host() + ahead_;
    return stands_ = true;
  }
  bool stands() const { return stands_; }
  // False: it was far enough ahead, often enough for who waits for one time after the other, and has then gone by in
  // steps that are short enough for who looks at its low bits alone: `while (clock() % 1024 >= 16);`. gets_on: it is
  // known when somebody went on by it, and begin_leaps was called.
  bool leap(bool gets_on) {
    constexpr u32 short_leaps = 128;
    const u32 far_leaps = gets_on ? 18 : 64;
    constexpr u64 short_leap = 9;  // odd
    // Nanoseconds or cycles: 17 seconds, an hour, days. The low 32 bits move as well, for %clock has no others.
    constexpr std::array<u64, 3> far{(u64(1) << 34) + (u64(1) << 30), (u64(1) << 42) + (u64(1) << 29),
                                     (u64(1) << 50) + (u64(1) << 28)};
    if (leaps_ == far_leaps + short_leaps) return false;
    at_ += leaps_ < far_leaps ? far[leaps_ % far.size()] : short_leap;
    ++leaps_;
    return true;
  }
  // Somebody went on by it.
  void begin_leaps() { leaps_ = 0; }
  void go_on() {
    ahead_ = at_ - of_host();
    stands_ = false;
    leaps_ = 0;
  }

 private:
  static u64 of_host() { return __builtin_ia32_rdtsc() >> 10; }

  bool stands_ = false;
  u64 at_ = 0, ahead_ = 0, looks_ = 0;
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

// Turns one after the other in which nobody changed memory or did much work: who counts or sleeps until a time has come
// is in another state at each, and needs that it comes.
class QuietTurns {
 public:
  // After a turn. True: time was moved ahead.
  bool add(u64 changes) {
    constexpr u64 first = 64;
    turns_ = changes == changes_ ? turns_ + 1 : 1;
    changes_ = changes;
    if (turns_ < first || (turns_ & (turns_ - 1)) != 0) return false;
    const u32 doubled = u32(__builtin_ctzll(turns_ / first));
    // Where others may yet go on by themselves it is as if each turn took as many cycles as there were turns.
    device_time.advance(device_time.stands() ? u64(1) << std::min(16 + 4 * doubled, 50u) : turns_ * turns_);
    return true;
  }

 private:
  u64 turns_ = 0, changes_ = 0;
};

}  // namespace ropewalk::machine
