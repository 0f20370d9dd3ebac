#include "lib/base/cores.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace ropewalk {
namespace {

std::atomic<i64> busy = 0;

// Takes at most `most` cores and leaves one to the caller, who may or may not have marked itself as busy.
i64 take_spare(i64 most) {
  const i64 cores = threads_for(0);
  i64 seen = busy.load(), taken = 0;
  do {
    taken = std::clamp<i64>(cores - std::max<i64>(1, seen), 0, most);
  } while (!busy.compare_exchange_weak(seen, seen + taken));
  return taken;
}

}  // namespace

BusyCore::BusyCore() { ++busy; }
BusyCore::~BusyCore() { --busy; }

u32 threads_for(u32 asked) {
  static const u32 cores = std::max(1u, std::thread::hardware_concurrency());  // it reads files each time
  return asked ? asked : cores;
}

void on_workers(u32 workers, const std::function<void(u32 worker)>& work) {
  if (workers <= 1) return work(0);
  std::vector<std::exception_ptr> errors(workers);
  const auto catching = [&](u32 worker) {
    try {
      work(worker);
    } catch (...) {
      errors[worker] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (u32 n = 1; n < workers; ++n) threads.emplace_back(catching, n);
    catching(0);
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

void on_spare_cores(i64 most, const std::function<void()>& work) {
  const struct Helpers {
    i64 count;
    ~Helpers() { busy -= count; }
  } helpers{take_spare(most - 1)};
  on_workers(u32(helpers.count) + 1, [&](u32) { work(); });
}

}  // namespace ropewalk
