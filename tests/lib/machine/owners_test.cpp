// What the owners of chunks call proven is compared with a record of every byte.
#include "lib/machine/owners.h"

#include <gtest/gtest.h>

#include <map>

#include "lib/base/random.h"

namespace ropewalk::machine {
namespace {

constexpr u64 bytes = 1024;

// Every byte's accesses: two by different threads, one of them a write, are a race.
struct EveryByte {
  struct Touch {
    u64 thread;
    bool write;
  };
  std::vector<std::vector<Touch>> touches = std::vector<std::vector<Touch>>(bytes);

  void add(const Claim& it) {
    for (u32 lane = 0; lane < it.lanes; ++lane) {
      const u64 first = it.first + (it.repeated ? 0 : u64(lane) * it.width);
      for (u64 byte = first; byte < first + it.width; ++byte)
        touches[byte].push_back({it.block * 1024 + it.thread + lane, it.write});
    }
  }
  bool raced() const {
    for (const auto& here : touches) {
      for (const Touch& a : here) {
        for (const Touch& b : here) {
          if (a.thread != b.thread && (a.write || b.write)) return true;
        }
      }
    }
    return false;
  }
};

Claim random_claim(u64 seed, u64 n) {
  const auto draw = [&](u64 what, u64 below) { return random_bits(seed, n * 8 + what) % below; };
  Claim it;
  it.width = 1u << draw(0, 5);
  it.lanes = 1u << draw(1, 6);
  it.repeated = draw(2, 8) == 0;
  it.thread = u32(draw(3, 4)) * 32;
  it.block = draw(4, 2);
  it.write = draw(5, 2) == 0;
  it.first = draw(6, bytes - u64(it.lanes) * it.width + 1);
  if (draw(7, 4)) it.first -= it.first % it.width;
  return it;
}

class Chunks : public testing::TestWithParam<u32> {};
INSTANTIATE_TEST_SUITE_P(Owners, Chunks, testing::Values(1, 2, 3, owner::large_shift));

TEST_P(Chunks, never_miss_a_race) {
  u32 proven = 0;
  for (u64 seed = 0; seed < 10000; ++seed) {
    u64 chunks[bytes / 2 + 1] = {};
    EveryByte every;
    bool needs_rerun = false;
    const u64 accesses = 2 + seed % 4;
    for (u64 n = 0; n < accesses; ++n) {
      const Claim it = random_claim(seed, n);
      every.add(it);
      needs_rerun |= !owner::claim(chunks, GetParam(), it);
    }
    if (!needs_rerun) ++proven;
    ASSERT_TRUE(needs_rerun || !every.raced()) << "seed " << seed;
  }
  EXPECT_GT(proven, 1000u);  // or the property would say nothing
}

TEST(Owners, are_proven_for_work_in_place) {
  u64 chunks[64] = {};
  for (u64 block = 0; block < 4; ++block) {
    for (const bool write : {false, true}) {
      for (u32 warp = 0; warp < 4; ++warp) {
        EXPECT_TRUE(
            owner::claim(chunks, owner::large_shift, {block, warp * 32, 32, block * 512 + warp * 128, 4, write}));
      }
    }
  }
  EXPECT_FALSE(owner::claim(chunks, owner::large_shift, {1, 1, 32, 512, 4, false}));  // the neighbour's
}

TEST(Owners, are_proven_where_each_thread_walks_its_own_row) {
  u64 chunks[32] = {};
  for (const bool write : {false, true}) {
    for (u64 column = 0; column < 16; ++column) {
      for (u32 thread = 0; thread < 32; ++thread) {
        EXPECT_TRUE(owner::claim(chunks, owner::large_shift, {3, thread, 1, thread * 64 + column * 4, 4, write}));
      }
    }
  }
  EXPECT_TRUE(owner::claim(chunks, owner::large_shift, {3, 5, 1, 5 * 64 + 16, 16, true}));
  EXPECT_FALSE(owner::claim(chunks, owner::large_shift, {3, 6, 1, 5 * 64, 4, false}));   // the neighbour
  EXPECT_FALSE(owner::claim(chunks, owner::large_shift, {4, 7, 1, 7 * 64, 4, false}));   // of another block
  EXPECT_FALSE(owner::claim(chunks, owner::large_shift, {3, 8, 32, 8 * 64, 4, false}));  // and others beside it
  Claim noncoherent{3, 9, 1, 9 * 64, 4};
  noncoherent.noncoherent = true;
  EXPECT_FALSE(owner::claim(chunks, owner::large_shift, noncoherent));
}

TEST(Owners, let_many_read_what_nobody_writes) {
  u64 chunks[4] = {};
  EXPECT_TRUE(owner::claim(chunks, owner::large_shift, {0, 0, 32, 0, 4, false}));
  EXPECT_TRUE(owner::claim(chunks, owner::large_shift, {7, 32, 32, 0, 4, false, true}));
  EXPECT_TRUE(owner::claim(chunks, owner::large_shift, {3, 5, 1, 64, 8, false}));
  EXPECT_FALSE(owner::claim(chunks, owner::large_shift, {0, 0, 32, 0, 4, true}));
}

}  // namespace
}  // namespace ropewalk::machine
