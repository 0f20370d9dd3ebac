#include "lib/driver/stream_order.h"

#include <gtest/gtest.h>

#include <set>

#include "lib/driver/graph.h"
#include "tests/lib/driver/session_fixture.h"

namespace ropewalk::driver {
namespace {

TEST(Clock, KnowsWhatItJoined) {
  Clock a, b;
  a.set({3, 5});
  b.set({1, 2});
  b.set({3, 4});
  EXPECT_TRUE(a.has({3, 5}));
  EXPECT_FALSE(a.has({3, 6}));
  EXPECT_FALSE(a.has({1, 1}));
  a.join(b);
  EXPECT_EQ(a.at(1), 2u);
  EXPECT_EQ(a.at(3), 5u);
  EXPECT_EQ(a.at(2), 0u);
}

// Operations on lines, by what they do to bytes of one allocation.
class Order : public ::testing::Test {
 protected:
  Order() {
    at.number = 1;
    at.bytes = 1000;
    order.add_stream(false);
  }
  std::size_t races(Line& line, Touched touched, bool synchronises = false) {
    std::size_t count = 0;
    touched.allocation = &at;
    order.begin(&line);
    order.touch(
        {touched}, [&](Operation& it) { it.synchronises = synchronises; },
        [&](const StreamRace& race) {
          last = race.bytes;
          ++count;
        });
    return count;
  }
  static Touched reads(u64 first, u64 last) { return {.all = {.read = ByteSet(first, last)}}; }
  static Touched writes(u64 first, u64 last) { return {.all = {.written = ByteSet(first, last)}}; }
  static Touched adds(u64 first, u64 last) { return {.all = {.strong_written = ByteSet(first, last)}}; }

  StreamOrder order;
  Allocation at;
  Line a, b, c;
  ByteRange last;
};

TEST_F(Order, OneLineIsInOrder) {
  EXPECT_EQ(races(a, writes(0, 100)), 0u);
  EXPECT_EQ(races(a, reads(0, 100)), 0u);
  EXPECT_EQ(races(a, writes(50, 60)), 0u);
}

TEST_F(Order, LinesRaceWhereTheyMeetAndOneWrites) {
  EXPECT_EQ(races(a, writes(0, 100)), 0u);
  EXPECT_EQ(races(b, writes(100, 200)), 0u);
  EXPECT_EQ(races(b, reads(90, 300)), 1u);
  EXPECT_EQ(last.first, 90u);
  EXPECT_EQ(last.last, 100u);
  EXPECT_EQ(races(c, reads(300, 400)), 0u);
  EXPECT_EQ(races(a, reads(300, 400)), 0u);
}

TEST_F(Order, TwoOperationsRaceOnceForAllThatTheyMeetAt) {
  Allocation other;
  other.number = 2;
  const auto touch = [&](Line& line, bool writes) {
    Touched one{.allocation = &at}, two{.allocation = &other};
    (writes ? one.all.written : one.all.read) = (writes ? two.all.written : two.all.read) = ByteSet(0, 100);
    order.begin(&line);
    std::vector<std::vector<u64>> found;
    order.touch(
        {one, two}, [](Operation&) {},
        [&](const StreamRace& race) {
          found.push_back({race.allocation.number});
          for (const auto& [allocation, bytes] : race.others) found.back().push_back(allocation->number);
        });
    return found;
  };
  touch(a, true);
  EXPECT_EQ(touch(a, false), (std::vector<std::vector<u64>>{}));
  EXPECT_EQ(touch(b, false), (std::vector<std::vector<u64>>{{1, 2}}));
  EXPECT_EQ(touch(c, true), (std::vector<std::vector<u64>>{{1, 2}, {1, 2}, {1, 2}}));
}

TEST_F(Order, AWaitOrdersWhatWasBeforeIt) {
  races(a, writes(0, 100));
  const Clock event = a.clock;
  races(a, writes(200, 300));
  b.clock.join(event);
  EXPECT_EQ(races(b, reads(0, 100)), 0u);
  EXPECT_EQ(races(b, reads(200, 300)), 1u);
  c.clock.join(b.clock);  // over another line
  EXPECT_EQ(races(c, writes(0, 100)), 0u);
  EXPECT_EQ(races(a, reads(0, 100)), 1u);
}

TEST_F(Order, WhatTheHostWaitedForIsDone) {
  races(a, writes(0, 100));
  const Clock first = a.clock;
  races(a, reads(0, 100));
  order.done(first);
  EXPECT_EQ(races(b, reads(0, 100)), 0u);
  EXPECT_EQ(races(b, writes(0, 100)), 1u);
  order.done(a.clock);
  EXPECT_EQ(races(c, writes(0, 100)), 1u);  // with the second line alone
}

TEST_F(Order, AtomicsRaceWithOthersAlone) {
  EXPECT_EQ(races(a, adds(0, 4)), 0u);
  EXPECT_EQ(races(b, adds(0, 4)), 0u);
  EXPECT_EQ(races(c, reads(0, 4)), 2u);
}

// Whoever meets at a flag with fences on both sides is in order behind it.
TEST_F(Order, FencesAndFlagsAreAnOrder) {
  Touched publishes = writes(0, 100), takes = reads(0, 100);
  publishes.all.strong_written = takes.all.strong_read = ByteSet(500, 504);
  races(a, publishes, true);
  EXPECT_EQ(races(b, takes, true), 0u);
  EXPECT_EQ(races(c, takes, false), 1u);
}

// A loop that nobody waits for takes no more room with every turn, and forgets nothing.
TEST_F(Order, LaterOperationsStandForEarlierOnes) {
  for (int n = 0; n < 5000; ++n) {
    races(a, writes(0, 100));
    races(a, reads(0, 100));
  }
  EXPECT_EQ(races(b, reads(0, 100)), 1u);
  EXPECT_EQ(races(c, writes(0, 100)), 3u);
}

TEST(Streams, OneThatWaitsForTheDefaultStreamIsNotFollowed) {
  StreamOrder order;
  EXPECT_FALSE(order.is_followed());
  order.add_stream(true);
  EXPECT_FALSE(order.is_followed());
  order.add_stream(true);
  EXPECT_TRUE(order.is_followed());
}

// Kernels, by the bytes that they really touch.
class StreamsOfKernels : public SessionTest {
 protected:
  StreamsOfKernels() {
    session.contexts().push(&context());
    for (Stream*& stream : streams) {
      auto made = std::make_unique<Stream>();
      made->context = &context();
      made->flags = 1;
      session.add_stream(false);
      made->line.name = "a stream";
      stream = context().streams.add(std::move(made));
    }
  }
  ~StreamsOfKernels() override { session.contexts().pop(); }
  // y = 2 x, of `count` elements from `first` on.
  void scale(Stream* stream, const Allocation* x, const Allocation* y, u64 first, int count) {
    u64 from = x->address + first * 4, to = y->address + first * 4;
    const LaunchRequest wanted = request("scale", 1, 128, {&from, &to, &count});
    submit(session, stream, NodeKind::Kernel, [&] { return launch_in(session, context(), wanted); });
  }

  Stream* streams[2] = {};
};

TEST_F(StreamsOfKernels, PartsOfOneAllocationAreApart) {
  Allocation* const x = memory_of(std::vector<float>(200, 1.0f));
  Allocation* const y = memory_of(std::vector<float>(200, 1.0f));
  scale(streams[0], x, y, 0, 100);
  scale(streams[1], x, y, 100, 100);
  EXPECT_TRUE(found.empty());
  scale(streams[1], x, y, 99, 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, Rule::StreamRace);
  EXPECT_EQ(found[0].kernel_name, "scale");
  EXPECT_EQ(found[0].access->byte_offset, 396);
  EXPECT_EQ(found[0].access->bytes, 4u);
}

TEST_F(StreamsOfKernels, TheHostWaitsForOneStreamOrForAll) {
  Allocation* const x = memory_of(std::vector<float>(100, 1.0f));
  Allocation* const y = memory_of(std::vector<float>(100, 1.0f));
  scale(streams[0], x, y, 0, 100);
  wait_for(session, streams[1]);
  scale(streams[1], y, x, 0, 100);
  EXPECT_EQ(rules(), std::vector<Rule>{Rule::StreamRace});  // at y, and at x as well
  wait_for(session, context());
  scale(streams[0], x, y, 0, 100);
  EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace ropewalk::driver
