// The explorer against plain enumeration, and how fast it is.
#include "lib/init/explore.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "kernels/kernels.h"
#include "lib/base/error.h"
#include "lib/base/random.h"
#include "lib/init/enumerate.h"
#include "lib/init/read_plan.h"

namespace ropewalk::init {

using kernels::shipped_kernels;

namespace {

// An event that may change what a buffer holds, drawn at random.
std::string random_event(Random& random, u64 number) {
  static const std::vector<std::string> kinds = {
      R"("do": "construct", "on": "meta")",
      R"("do": "build_cache")",
      R"("do": "build_cache", "scaled": false)",
      R"("do": "to_empty")",
      R"("do": "to", "on": "device")",
      R"("do": "cast", "dtype": "f16")",
      R"("do": "reset_parameters", "when": "always")",
      R"("do": "reset_parameters", "when": "if_meta")",
      R"("do": "capture")",
      R"("do": "grow", "rows": 48)",
      R"("do": "load_checkpoint", "has_buffer": false)",
      R"("do": "register_buffer")",
      R"("do": "broadcast")",
      R"("do": "broadcast", "levels": "intra_then_inter", "skips_synced": true, "node_size": 2)",
      R"("do": "forward")",
      R"("do": "build_cache", "stream": "side")",
      R"("do": "wait", "stream": "default", "for": "side")",
  };
  const std::string& kind = kinds[random.below(kinds.size())];
  std::string text = fmt::format(R"({{"name": "e{}", {})", number, kind);
  if (kind.find("broadcast") == std::string::npos) {
    static const std::vector<std::string> ranks = {"all", "all", "all", "first", "others"};
    text += fmt::format(R"(, "ranks": "{}")", ranks[random.below(ranks.size())]);
  }
  return text;
}

Plan random_plan(u64 seed) {
  Random random(seed);
  const u64 ranks = 1 + random.below(3), count = ranks == 1 ? 6 : ranks == 2 ? 4 : 3;
  std::string events;
  for (u64 n = 0; n < count; ++n) {
    const bool last = n + 1 == count;
    events += n ? ",\n" : "";
    events += last ? fmt::format(R"({{"name": "e{}", "do": "forward")", n) : random_event(random, n);
    std::string after;
    for (u64 before = 0; before < n; ++before) {
      if (random.below(4) != 0) continue;
      // Now and then of another rank, so that ranks depend on each other.
      const bool named = ranks == 2 && seed % 5 == 0 && random.below(2) == 0;
      after += fmt::format("{}\"e{}{}\"", after.empty() ? "" : ", ", before, named ? "@0" : "");
    }
    events += fmt::format(R"(, "after": [{}]}})", after);
  }
  const bool registry = seed % 7 == 0;
  const std::string text = fmt::format(
      R"({{"schema": "ropewalk.plan/1", "ranks": {}, "config": {{"head_dim": 8, "max_position_embeddings": 32,
      "rope_scaling": {{"rope_type": "linear", "factor": 4}}}},
      "buffers": {{"cos_sin": {{{}}}}}, "events": [{}]}})",
      ranks, registry ? R"("registry_key": ["head_dim"])" : "", events);
  return read_plan(text, fmt::format("plan {}", seed));
}

std::set<i32> failures_of(const Exploration& exploration) {
  std::set<i32> numbers;
  for (const FailureSeen& seen : exploration.failures) numbers.insert(seen.failure);
  return numbers;
}

// What identifies a failure in two simulators.
std::string text_of(const Failure& failure) {
  return fmt::format("{}.{}.{}.{}.{}", failure.cause, failure.event, failure.culprit, failure.buffer, failure.text);
}

TEST(Explore, AgreesWithPlainEnumeration) {
  u64 with_failures = 0, with_good = 0;
  for (u64 seed = 1; seed <= 300; ++seed) {
    Plan plan;
    try {
      plan = random_plan(seed);
    } catch (const InputError&) {
      continue;  // constraints over two ranks may go in a circle
    }
    std::vector<u32> ranks;
    for (u32 rank = 0; rank < plan.ranks; ++rank) ranks.push_back(rank);
    Simulator plain_simulator(plan, shipped_kernels()), simulator(plan, shipped_kernels());
    const Unit unit = unit_of(plan, ranks);
    States states(plain_simulator, unit);
    const OrderList plain = enumerate_orders(plan, unit, states, 2000000, false);
    ASSERT_TRUE(plain.complete);
    u64 good = 0;
    std::set<std::string> plain_failures;
    for (const Order& order : plain.orders) {
      good += states.good(order.last);
      for (u32 rank = 0; rank < plan.ranks; ++rank) {
        const i32 failure = states.failure(order.last, rank);
        if (failure >= 0) plain_failures.insert(text_of(plain_simulator.failures()[size_t(failure)]));
      }
    }
    const Exploration exploration = explore(simulator);
    EXPECT_FALSE(exploration.cut);
    EXPECT_EQ(exploration.orders, Natural(plain.orders.size())) << "seed " << seed;
    EXPECT_EQ(exploration.good, Natural(good)) << "seed " << seed;
    std::set<std::string> failures;
    for (const i32 number : failures_of(exploration)) {
      failures.insert(text_of(simulator.failures()[size_t(number)]));
    }
    EXPECT_EQ(failures, plain_failures) << "seed " << seed;
    with_failures += !failures.empty();
    with_good += good > 0;
  }
  EXPECT_GT(with_failures, 100u);
  EXPECT_GT(with_good, 50u);
}

TEST(Explore, VisitsAllOrdersOfEightRanksTimesSixEvents) {
  const char* const events = R"(
    {"do": "construct", "on": "meta"}, {"do": "build_cache"}, {"do": "to_empty"}, {"do": "reset_parameters"},
    {"do": "cast", "dtype": "bf16"}, {"do": "forward"})";
  const char* const with_broadcast = R"(
    {"do": "construct", "on": "meta"}, {"do": "build_cache"}, {"do": "to_empty"}, {"do": "reset_parameters"},
    {"do": "broadcast"}, {"do": "forward"})";
  for (const char* const list : {events, with_broadcast}) {
    const Plan plan = read_plan(fmt::format(R"({{"schema": "ropewalk.plan/1", "ranks": 8,
        "config": {{"head_dim": 16, "max_position_embeddings": 32}}, "buffers": {{"cos_sin": {{}}}},
        "events": [{}]}})",
                                            list),
                                "plan");
    const auto start = std::chrono::steady_clock::now();
    Simulator simulator(plan, shipped_kernels());
    const Exploration exploration = explore(simulator);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_FALSE(exploration.cut);
    EXPECT_LT(seconds, 10);
    if (list == events) {
      // 48! / (6!)^8 interleavings of eight times 6! orders: 48!.
      Natural factorial(1);
      for (u64 n = 2; n <= 48; ++n) factorial = factorial * Natural(n);
      EXPECT_EQ(exploration.orders, factorial);
    }
    EXPECT_FALSE(exploration.good.is_zero());
    EXPECT_FALSE(exploration.failures.empty());
  }
}

// Nine events in any order: more states than the limit allows.
Plan wide_plan() {
  return read_plan(R"({"schema": "ropewalk.plan/1", "config": {"head_dim": 8, "max_position_embeddings": 32},
      "buffers": {"cos_sin": {}}, "events": [
      {"do": "construct", "on": "meta"}, {"do": "build_cache"}, {"do": "to_empty"}, {"do": "reset_parameters"},
      {"do": "cast", "dtype": "bf16"}, {"do": "grow", "rows": 48}, {"do": "capture"}, {"do": "pipeline_split"},
      {"do": "forward"}]})",
                   "wide plan");
}

TEST(Explore, SaysWhatALimitLeftOutAndFollowsTheRestToTheEnd) {
  Simulator whole(wide_plan(), shipped_kernels()), cut(wide_plan(), shipped_kernels());
  const Exploration all = explore(whole), some = explore(cut, {300, 20000});
  EXPECT_FALSE(all.cut);
  EXPECT_TRUE(all.left_out.empty());
  EXPECT_EQ(all.orders, Natural(362880));
  EXPECT_TRUE(some.cut);
  ASSERT_EQ(some.left_out.size(), 1u);
  EXPECT_NE(some.left_out[0].find("of rank 0: after the first "), std::string::npos) << some.left_out[0];
  EXPECT_LT(some.runs, all.runs);
  EXPECT_FALSE(some.orders.is_zero());
  EXPECT_FALSE(some.failures.empty());
}

TEST(Explore, LeavesNothingOutWhereEveryWayIsFollowed) {
  Simulator simulator(random_plan(1), shipped_kernels());
  const Exploration exploration = explore(simulator, {1, 20000});
  EXPECT_FALSE(exploration.cut);
  EXPECT_FALSE(exploration.orders.is_zero());
}

}  // namespace
}  // namespace ropewalk::init
