#include "lib/base/cores.h"

#include <gtest/gtest.h>

#include <atomic>
#include <list>
#include <stdexcept>
#include <thread>

namespace ropewalk {
namespace {

i64 calls(i64 most) {
  std::atomic<i64> count = 0;
  on_spare_cores(most, [&] { ++count; });
  return count;
}

TEST(Cores, work_is_done_on_those_that_nobody_keeps_busy) {
  const i64 cores = std::max<i64>(1, std::thread::hardware_concurrency());
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

TEST(Cores, what_a_helper_throws_arrives) {
  std::atomic<int> count = 0;
  const auto work = [&] {
    if (++count == 1) throw std::runtime_error("first");
  };
  EXPECT_THROW(on_spare_cores(2, work), std::runtime_error);
  EXPECT_EQ(calls(1), 1);
}

}  // namespace
}  // namespace ropewalk
