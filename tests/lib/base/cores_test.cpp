#include "lib/base/cores.h"

#include <gtest/gtest.h>

#include <atomic>
#include <list>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/error.h"

namespace ropewalk {
namespace {

i64 calls(i64 most) {
  std::atomic<i64> count = 0;
  on_spare_cores(most, [&] { ++count; });
  return count;
}

TEST(Cores, work_is_done_on_those_that_nobody_keeps_busy) {
  const i64 cores = threads_for(0);
  EXPECT_EQ(calls(1), 1);
  EXPECT_EQ(calls(cores), cores);
  EXPECT_EQ(calls(cores + 5), cores);
  std::list<BusyCore> busy;
  busy.emplace_back();  // the caller's own
  EXPECT_EQ(calls(cores), cores);
  while (i64(busy.size()) < cores) busy.emplace_back();
  EXPECT_EQ(calls(cores), 1);
  busy.clear();
  EXPECT_EQ(calls(cores), cores);
}

TEST(Cores, each_worker_is_called_once_with_its_number_and_the_first_is_the_caller) {
  EXPECT_EQ(threads_for(3), 3u);
  EXPECT_GE(threads_for(0), 1u);
  for (const u32 workers : {1u, 2u, 7u}) {
    std::vector<std::thread::id> seen(workers);
    on_workers(workers, [&](u32 n) { seen.at(n) = std::this_thread::get_id(); });
    EXPECT_EQ(seen[0], std::this_thread::get_id());
    for (u32 n = 1; n < workers; ++n) EXPECT_NE(seen[n], seen[0]) << n;
  }
}

TEST(Cores, of_what_workers_throw_the_lowest_arrives_when_all_have_ended) {
  for (const bool own : {true, false}) {
    std::atomic<u32> ended = 0;
    const auto work = [&](u32 n) {
      ++ended;
      if (n > 0 || own) throw InputError(std::to_string(n));
    };
    try {
      on_workers(4, work);
      FAIL() << "nothing arrived";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), std::string(own ? "0" : "1"));
    }
    EXPECT_EQ(ended, 4u);
  }
}

TEST(Cores, what_a_helper_throws_arrives_and_its_core_is_given_back) {
  std::atomic<int> count = 0;
  const auto work = [&] {
    if (++count == 1) throw std::runtime_error("first");
  };
  EXPECT_THROW(on_spare_cores(2, work), std::runtime_error);
  EXPECT_EQ(calls(threads_for(0)), threads_for(0));
}

}  // namespace
}  // namespace ropewalk
