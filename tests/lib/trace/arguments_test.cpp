// What the words of a launch's arguments mean, by the memory that was known.
#include "lib/trace/arguments.h"

#include <gtest/gtest.h>

#include <cstring>

#include "lib/ptx/read.h"

namespace ropewalk::trace {
namespace {

constexpr u64 base = 0x7f0000000000;

TracedLaunch launch_with(const std::vector<u64>& words, u64 order) {
  TracedLaunch launch;
  launch.kernel = "k";
  launch.number = 1;
  launch.order = order;
  launch.bytes.resize(words.size() * 8);
  std::memcpy(launch.bytes.data(), words.data(), launch.bytes.size());
  for (u32 n = 0; n < words.size(); ++n) launch.parameters.push_back({n * 8, 8});
  return launch;
}

TEST(Arguments, AddressesAreFoundInLiveAndFreedMemory) {
  Snapshot snapshot;
  snapshot.allocations = {{base, 256, "device", "cuMemAlloc_v2", "", 1, 0},
                          {base + 4096, 256, "device", "cuMemAlloc_v2", "cuMemFree_v2", 2, 5},
                          {base + 8192, 256, "device", "cuMemAlloc_v2", "cuMemFree_v2", 3, 20}};
  const auto words =
      argument_words(launch_with({base + 16, base + 4100, base + 8192, base + 256, 7, 0}, 10), snapshot, nullptr);
  ASSERT_EQ(words.size(), 6u);
  EXPECT_EQ(words[0].state, PointerState::Live);
  EXPECT_EQ(words[0].into, 16u);
  EXPECT_EQ(words[1].state, PointerState::Freed);
  EXPECT_EQ(words[1].into, 4u);
  EXPECT_EQ(words[2].state, PointerState::Live);  // given back after the launch
  EXPECT_TRUE(words[2].freed_later);
  EXPECT_FALSE(words[0].freed_later);
  EXPECT_EQ(words[3].state, PointerState::Nowhere);  // one past the end
  EXPECT_EQ(words[4].state, PointerState::NoPointer);
  EXPECT_EQ(words[5].state, PointerState::NoPointer);  // without PTX a zero is a number
}

TEST(Arguments, MemoryThatWasGivenOutAgainIsLive) {
  Snapshot snapshot;
  snapshot.allocations = {{base, 256, "device", "cuMemAlloc_v2", "cuMemFree_v2", 1, 2},
                          {base, 128, "device", "cuMemAlloc_v2", "", 3, 0}};
  const auto words = argument_words(launch_with({base + 64}, 10), snapshot, nullptr);
  EXPECT_EQ(words[0].state, PointerState::Live);
  EXPECT_EQ(words[0].memory.bytes, 128u);
  // Before it was given out again, it was freed memory.
  EXPECT_EQ(argument_words(launch_with({base + 64}, 2), snapshot, nullptr)[0].memory.bytes, 256u);
}

TEST(Arguments, WithThePtxItIsKnownWhatIsAnAddress) {
  const ptx::Module module = ptx::read(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 "
      "n)\n{\n"
      ".reg .b64 %rd<4>;\n.reg .b32 %r<2>;\nld.param.u64 %rd1, [a];\nld.global.u32 %r1, [%rd1];\nld.param.u64 %rd2, "
      "[b];\n"
      "st.global.u32 [%rd2], %r1;\nret;\n}\n",
      "k.ptx");
  const auto words = argument_words(launch_with({0, 0x1000, 0x1000}, 10), Snapshot{}, &module);
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(words[0].state, PointerState::Null);
  EXPECT_EQ(words[1].state, PointerState::Nowhere);
  EXPECT_EQ(words[2].state, PointerState::NoPointer);
}

TEST(Arguments, PointersInsideAStructAreFound) {
  Snapshot snapshot;
  snapshot.allocations = {{base, 256, "device", "cuMemAlloc_v2", "", 1, 0}};
  TracedLaunch launch = launch_with({1, base + 8, 2}, 10);
  launch.parameters = {{0, 24}};
  const auto words = argument_words(launch, snapshot, nullptr);
  ASSERT_EQ(words.size(), 1u);
  EXPECT_EQ(words[0].offset, 8u);
  EXPECT_EQ(words[0].into, 8u);
}

}  // namespace
}  // namespace ropewalk::trace
