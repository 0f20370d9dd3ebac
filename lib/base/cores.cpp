#include "lib/base/cores.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace ropewalk {
namespace {

std::atomic<i64> busy = 0;

// Takes at most `most` cores and leaves one to the caller, who may or may not have said that it is busy.
i64 take_spare(i64 most) {
  const i64 cores = std::max<i64>(1, std::thread::hardware_concurrency());
  i64 seen = busy.load(), taken = 0;
  do {
    taken = std::clamp<i64>(cores - std::max<i64>(1, seen), 0, most);
  } while (!busy.compare_exchange_weak(seen, seen + taken));
  return taken;
}

}  // namespace

BusyCore::BusyCore() { ++busy; }
BusyCore::~BusyCore() { --busy; }

void on_spare_cores(i64 most, const std::function<void()>& work) {
  const i64 helpers = take_spare(most - 1);
  std::vector<std::exception_ptr> errors(u64(helpers) + 1);
  const auto guarded = [&](i64 n) {
    try {
      work();
    } catch (...) {
      errors[u64(n)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (i64 n = 1; n <= helpers; ++n) threads.emplace_back(guarded, n);
    guarded(0);
  }
  busy -= helpers;
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace ropewalk
