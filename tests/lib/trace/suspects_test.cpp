// Which launches an error may be about, from what synchronisations, queries and events showed.
#include "lib/trace/suspects.h"

#include <gtest/gtest.h>

namespace ropewalk::trace {
namespace {

// Two streams of one context, and launches on them: number n has the orders 10 n and 10 n + 1.
class Story {
 public:
  Story() {
    snapshot.code = 700;
    snapshot.is_fault = true;
    snapshot.call = "cuCtxSynchronize";
    snapshot.context = 1;
    snapshot.streams = {{1, 0xa0}, {1, 0xb0}};
    process.keep = 32;
  }
  Story& launch(u32 stream) {
    TracedLaunch launch;
    launch.number = snapshot.launches.size() + 1;
    launch.order = launch.number * 10;
    launch.returned = launch.order + 1;
    launch.stream = stream;
    snapshot.launches.push_back(launch);
    return *this;
  }
  // The numbers of the suspects.
  std::vector<u64> suspects() const {
    std::vector<u64> out;
    for (const u32 n : suspects_of(snapshot, process).launches) out.push_back(snapshot.launches[n].number);
    return out;
  }

  Snapshot snapshot;
  TracedProcess process;
};

using Numbers = std::vector<u64>;

TEST(Suspects, AreAllThatNothingShowedToBeComplete) {
  Story story;
  story.launch(0).launch(1).launch(0);
  EXPECT_EQ(story.suspects(), (Numbers{1, 2, 3}));
  EXPECT_FALSE(suspects_of(story.snapshot, story.process).is_exact());
}

TEST(Suspects, AStreamThatWasWaitedForIsComplete) {
  Story story;
  story.launch(0).launch(1).launch(0);
  story.snapshot.streams[0].done = 25;
  EXPECT_EQ(story.suspects(), (Numbers{2, 3}));
  story.snapshot.streams[1].done = 25;
  EXPECT_EQ(story.suspects(), (Numbers{3}));
  EXPECT_TRUE(suspects_of(story.snapshot, story.process).is_exact());
}

TEST(Suspects, ALaunchThatHadNotReturnedWhenTheWaitingBeganMayHaveComeLater) {
  Story story;
  story.launch(0);
  story.snapshot.launches[0].returned = 15;
  story.snapshot.streams[0].done = 12;
  EXPECT_EQ(story.suspects(), (Numbers{1}));
  story.snapshot.streams[0].done = 16;
  EXPECT_EQ(story.suspects(), Numbers{});
}

TEST(Suspects, WhatAStreamWaitedForIsComplete) {
  Story story;
  story.launch(0).launch(1).launch(0);
  // Stream 1 waits at 15 for what stream 0 had at 12, and is done up to 25.
  story.snapshot.waits = {{1, 15, 0, 12}};
  story.snapshot.streams[1].done = 25;
  EXPECT_EQ(story.suspects(), (Numbers{3}));
  // Without a launch behind the wait nothing is known of the first stream.
  story.snapshot.waits = {{1, 22, 0, 12}};
  EXPECT_EQ(story.suspects(), (Numbers{1, 3}));
}

TEST(Suspects, WaitsFollowFromEachOther) {
  Story story;
  story.snapshot.streams.push_back({1, 0xc0});
  story.launch(0).launch(1).launch(2);
  story.snapshot.waits = {{1, 15, 0, 12}, {2, 25, 1, 22}};
  story.snapshot.streams[2].done = 35;
  EXPECT_EQ(story.suspects(), Numbers{});
}

TEST(Suspects, TheDefaultStreamAndBlockingStreamsWaitForEachOther) {
  Story story;
  story.snapshot.streams = {{1, 0}, {1, 0xb0}, {1, 0xc0, 0, true}};
  story.launch(1).launch(2).launch(0);
  // A copy to the host on the default stream was complete: so are blocking streams, and not the one that does not
  // block.
  story.snapshot.streams[0].done_operation = 40;
  EXPECT_EQ(story.suspects(), (Numbers{2}));
  // A launch on a blocking stream that is complete waited for the default stream.
  Story other;
  other.snapshot.streams = {{1, 0}, {1, 0xb0}};
  other.launch(0).launch(1).launch(0);
  other.snapshot.streams[1].done = 25;
  EXPECT_EQ(other.suspects(), (Numbers{3}));
}

TEST(Suspects, OtherContextsRefusedAndCapturedLaunchesAreNone) {
  Story story;
  story.snapshot.streams.push_back({2, 0xa0});
  story.launch(0).launch(2).launch(0).launch(0);
  story.snapshot.launches[2].result = 1;
  story.snapshot.launches[3].captured = true;
  EXPECT_EQ(story.suspects(), (Numbers{1}));
}

TEST(Suspects, ALaunchThatTellsOfAFaultIsNotTheFault) {
  Story story;
  story.launch(0).launch(0);
  story.snapshot.launch = 2;
  story.snapshot.launches[1].result = 700;
  EXPECT_EQ(story.suspects(), (Numbers{1}));
  // Where the device was waited for in it, it is.
  story.snapshot.by_itself = true;
  story.snapshot.streams[0].done = 12;
  EXPECT_EQ(story.suspects(), (Numbers{2}));
}

TEST(Suspects, ARefusedLaunchIsTheCall) {
  Story story;
  story.launch(0).launch(0);
  story.snapshot.is_fault = false;
  story.snapshot.code = 1;
  story.snapshot.call = "cuLaunchKernel";
  story.snapshot.launch = 2;
  EXPECT_EQ(story.suspects(), (Numbers{2}));
  EXPECT_EQ(suspects_of(story.snapshot, story.process).how, "cuLaunchKernel refused it");
}

TEST(Suspects, LaunchesThatAreNoLongerKeptAreReported) {
  Story story;
  story.launch(0);
  story.snapshot.streams[0].lost = 5;
  EXPECT_TRUE(suspects_of(story.snapshot, story.process).older_possible);
  EXPECT_FALSE(suspects_of(story.snapshot, story.process).is_exact());
  // They are complete since.
  story.snapshot.streams[0].done = 6;
  EXPECT_TRUE(suspects_of(story.snapshot, story.process).is_exact());
}

}  // namespace
}  // namespace ropewalk::trace
