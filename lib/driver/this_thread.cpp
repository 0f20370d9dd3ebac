#include "lib/driver/this_thread.h"

#include <mutex>

namespace ropewalk::driver {

namespace {

// Never given back: threads end behind static objects.
struct Threads {
  std::mutex mutex;
  u64 last = 0;
  std::set<u64> ended;
};
Threads& threads() {
  static Threads* const made = new Threads;
  return *made;
}

// A plain number, which is there to the very end of the thread.
thread_local u64 number = 0;

struct End {
  ~End() {
    const std::lock_guard lock(threads().mutex);
    threads().ended.insert(number);
  }
  void begin() {}
};
thread_local End end;

}  // namespace

u64 this_thread() {
  if (number) return number;
  {
    const std::lock_guard lock(threads().mutex);
    number = ++threads().last;
  }
  end.begin();
  return number;
}

std::set<u64> take_ended_threads() {
  const std::lock_guard lock(threads().mutex);
  std::set<u64> out;
  out.swap(threads().ended);
  return out;
}

}  // namespace ropewalk::driver
