// Clocks, footprints, and what synchronises with what.
#include "lib/machine/order/order.h"

#include <gtest/gtest.h>

#include "lib/base/random.h"

namespace ropewalk::machine::order {
namespace {

TEST(Clock, covers_by_block_warp_and_thread) {
  Clock clock;
  clock.add_block(3, 10);
  clock.add_warp(4, 1, 7);
  clock.add_thread(5, 40, 2);
  EXPECT_TRUE(clock.covers(3, 99, 10));
  EXPECT_FALSE(clock.covers(3, 99, 11));
  EXPECT_TRUE(clock.covers(4, 33, 7));
  EXPECT_FALSE(clock.covers(4, 64, 1));  // of another warp
  EXPECT_TRUE(clock.covers(5, 40, 2));
  EXPECT_FALSE(clock.covers(5, 41, 1));
}

TEST(Clock, joins_to_the_later_of_both) {
  Clock a, b;
  a.add_thread(1, 0, 5);
  a.add_thread(1, 2, 1);
  b.add_thread(1, 0, 3);
  b.add_thread(1, 1, 4);
  a.join(b);
  EXPECT_TRUE(a.covers(1, 0, 5));
  EXPECT_TRUE(a.covers(1, 1, 4));
  EXPECT_TRUE(a.covers(1, 2, 1));
  EXPECT_FALSE(a.covers(1, 1, 5));
}

TEST(Clock, gathers_what_it_says_of_all_lanes_of_a_warp) {
  Clock whole, part, late;
  for (u32 thread = 32; thread < 40; ++thread) {  // the last warp of a block of 40 threads
    whole.add_thread(1, thread, 5);
    if (thread != 36) part.add_thread(1, thread, 5);
    late.add_thread(1, thread, thread == 36 ? 4 : 5);
  }
  for (Clock* clock : {&whole, &part, &late}) clock->gather(1, 40);
  EXPECT_TRUE(whole.covers(1, 36, 5) && part.covers(1, 39, 5) && late.covers(1, 39, 5));
  EXPECT_FALSE(whole.covers(1, 36, 6) || whole.covers(1, 31, 1) || part.covers(1, 36, 1) || late.covers(1, 36, 5));
}

// However it keeps what it knows, a clock knows what a list of all times would.
TEST(Clock, knows_what_was_added_and_joined) {
  constexpr u32 blocks = 3, threads = 72, clocks = 4;
  Random random(1);
  for (u32 round = 0; round < 200; ++round) {
    Clock clock[clocks];
    u32 known[clocks][blocks][threads] = {};
    const auto add = [&](u32 n, u32 block, u32 first, u32 last, u32 time) {
      for (u32 thread = first; thread < std::min(last, threads); ++thread)
        known[n][block][thread] = std::max(known[n][block][thread], time);
    };
    for (u32 step = 0; step < 60; ++step) {
      const u32 n = u32(random.below(clocks)), block = u32(random.below(blocks)), time = 1 + u32(random.below(3));
      const u32 warp = u32(random.below(3));
      switch (random.below(6)) {
        case 0:
          clock[n].add_block(block, time);
          add(n, block, 0, threads, time);
          break;
        case 1:
          clock[n].add_warp(block, warp, time);
          add(n, block, 32 * warp, 32 * warp + 32, time);
          break;
        case 2:
          clock[n].add_thread(block, 32 * warp % threads, time);
          add(n, block, 32 * warp % threads, 32 * warp % threads + 1, time);
          break;
        case 3:  // a fence of a warp
          for (u32 thread = 32 * warp; thread < std::min(32 * warp + 32, threads); ++thread)
            clock[n].add_thread(block, thread, time);
          add(n, block, 32 * warp, 32 * warp + 32, time);
          break;
        case 4:
          clock[n].gather(block, threads);
          break;
        default: {
          const u32 other = u32(random.below(clocks));
          clock[n].join(clock[other]);
          for (u32 b = 0; b < blocks; ++b) {
            for (u32 t = 0; t < threads; ++t) known[n][b][t] = std::max(known[n][b][t], known[other][b][t]);
          }
          break;
        }
      }
    }
    for (u32 n = 0; n < clocks; ++n) {
      for (u32 b = 0; b < blocks; ++b) {
        for (u32 t = 0; t < threads; ++t) {
          const u32 time = known[n][b][t];
          ASSERT_TRUE(time == 0 || clock[n].covers(b, t, time)) << round;
          ASSERT_FALSE(clock[n].covers(b, t, time + 1)) << round;
        }
      }
    }
  }
}

struct TwoBlocks : testing::Test {
  Order order{1, 4};
  BlockOrder one{0, 32, 4}, other{1, 32, 4};
  u32 done = one.threads[0].time;  // when thread 0 of the first block did what is to be known

  bool is_known(const BlockOrder& block, u32 thread) const {
    const SharedClock& knows = block.threads[thread].knows;
    return knows && knows->covers(0, 0, done);
  }
};

TEST_F(TwoBlocks, an_acquire_of_a_release_knows_what_went_before) {
  order.write(one, 0, 64, false, Strength::Release, Scope::Device, false);
  EXPECT_FALSE(is_known(other, 5));
  order.read(other, 5, 64, false, Strength::Acquire, Scope::Device, Reader::Load);
  EXPECT_TRUE(is_known(other, 5));
  EXPECT_FALSE(is_known(other, 6));
}

TEST_F(TwoBlocks, a_relaxed_read_knows_only_after_a_fence) {
  order.fence(one, 0, 1u << 0, Scope::Device);
  order.write(one, 0, 64, false, Strength::Relaxed, Scope::Device, false);
  order.read(other, 5, 64, false, Strength::Relaxed, Scope::Device, Reader::Load);
  EXPECT_FALSE(is_known(other, 5));
  order.fence(other, 0, 1u << 5, Scope::Block);
  EXPECT_FALSE(is_known(other, 5)) << "a fence of the block reaches no other block";
  order.fence(other, 0, 1u << 5, Scope::Device);
  EXPECT_TRUE(is_known(other, 5));
}

TEST_F(TwoBlocks, nothing_is_published_by_a_write_without_release_or_fence) {
  order.write(one, 0, 64, false, Strength::Relaxed, Scope::Device, false);
  order.read(other, 5, 64, false, Strength::Acquire, Scope::Device, Reader::Load);
  EXPECT_FALSE(is_known(other, 5));
}

TEST_F(TwoBlocks, a_release_of_the_block_reaches_no_other_block) {
  order.write(one, 0, 64, false, Strength::Release, Scope::Block, false);
  order.read(other, 5, 64, false, Strength::Acquire, Scope::Device, Reader::Load);
  EXPECT_FALSE(is_known(other, 5));
  order.read(one, 7, 64, false, Strength::Acquire, Scope::Block, Reader::Load);
  EXPECT_TRUE(is_known(one, 7));
}

TEST_F(TwoBlocks, atomics_go_on_with_what_is_published_and_stores_do_not) {
  order.write(one, 0, 64, false, Strength::Release, Scope::Device, false);
  order.write(other, 3, 64, false, Strength::Relaxed, Scope::Device, true);
  order.read(other, 5, 64, false, Strength::Acquire, Scope::Device, Reader::Load);
  EXPECT_TRUE(is_known(other, 5));
  order.write(other, 3, 64, false, Strength::Relaxed, Scope::Device, false);
  order.read(other, 6, 64, false, Strength::Acquire, Scope::Device, Reader::Load);
  EXPECT_FALSE(is_known(other, 6));
}

TEST_F(TwoBlocks, barriers_hand_on_what_one_thread_knows) {
  order.write(one, 0, 64, false, Strength::Release, Scope::Device, false);
  order.read(other, 5, 64, false, Strength::Acquire, Scope::Device, Reader::Load);
  Order::meet_in_warp(other, 0, 0x60);  // lanes 5 and 6
  EXPECT_TRUE(is_known(other, 6));
  EXPECT_FALSE(is_known(other, 7));
  Order::meet(other);
  EXPECT_TRUE(is_known(other, 7));
}

TEST_F(TwoBlocks, who_only_arrives_at_a_barrier_knows_nothing_of_it) {
  Order::arrive(one, 1, 0, 0x1);
  Order::arrive(one, 1, 0, 0x2);
  Order::leave(one, 1, 0, 0x2);
  EXPECT_TRUE(is_known(one, 1));
  one.threads[0].knows = nullptr;
  EXPECT_FALSE(is_known(one, 0));
}

Footprint touch(Touch kind, u32 warp, u32 lane, u32 time, Scope scope = Scope::Device) {
  Footprint out;
  out.warp = u16(warp);
  out.lanes = 1u << lane;
  out.time = time;
  out.touch = kind;
  out.scope = scope;
  out.bytes = kind == Touch::StrongRead || kind == Touch::StrongWrite ? 4 : 0;
  out.reads = kind == Touch::WeakRead || kind == Touch::StrongRead;
  return out;
}

u32 races(Footprints& all, const Footprint& now, const Clock* known = nullptr) {
  u32 count = 0;
  all.add(0, 4, now, known, true, false, [&](const Footprint&, u32, u64) { return ++count, true; });
  return count;
}

TEST(Footprints, remember_a_plain_write_behind_an_atomic_of_the_same_thread) {
  Footprints all(4, false);
  EXPECT_EQ(races(all, touch(Touch::WeakWrite, 0, 0, 1)), 0u);
  EXPECT_EQ(races(all, touch(Touch::StrongWrite, 0, 0, 1)), 0u);
  EXPECT_EQ(races(all, touch(Touch::StrongWrite, 1, 0, 1)), 1u);
}

TEST(Footprints, let_strong_accesses_of_one_width_meet) {
  Footprints all(4, false);
  EXPECT_EQ(races(all, touch(Touch::StrongWrite, 0, 0, 1)), 0u);
  EXPECT_EQ(races(all, touch(Touch::StrongRead, 1, 0, 1)), 0u);
  Footprint wider = touch(Touch::StrongWrite, 2, 0, 1);
  wider.bytes = 8;
  EXPECT_EQ(races(all, wider), 2u);
}

TEST(Footprints, order_a_plain_write_behind_what_its_thread_observed) {
  Footprints all(4, false);
  EXPECT_EQ(races(all, touch(Touch::StrongWrite, 0, 0, 1)), 0u);
  EXPECT_EQ(races(all, touch(Touch::StrongRead, 1, 0, 1)), 0u);
  EXPECT_EQ(races(all, touch(Touch::WeakWrite, 1, 0, 1)), 0u);
  EXPECT_EQ(races(all, touch(Touch::WeakWrite, 2, 0, 1)), 1u);
}

TEST(Footprints, name_every_lane_that_is_not_ordered) {
  Footprints all(4, false);
  for (u32 lane = 0; lane < 4; ++lane) EXPECT_EQ(races(all, touch(Touch::WeakRead, 0, lane, 3)), 0u);
  Clock known;
  known.add_thread(0, 1, 3);
  EXPECT_EQ(races(all, touch(Touch::WeakWrite, 0, 2, 3), &known), 2u);  // lanes 0 and 3
}

// Whether a read by that warp races with a write that changes what it reads.
bool sees_a_change(Footprints& all, u32 warp, const Clock* known = nullptr) {
  bool changes = false;
  all.add(0, 4, touch(Touch::WeakRead, warp, 0, 9), known, true, false,
          [&](const Footprint& earlier, u32, u64) { return changes |= earlier.changes, true; });
  return changes;
}

TEST(Footprints, know_that_a_write_of_the_same_value_changes_nothing_for_who_has_written_it) {
  const auto write = [](Footprints& all, u32 warp, bool changes) {
    Footprint now = touch(Touch::WeakWrite, warp, 0, 1);
    now.changes = changes;
    all.add(0, 4, now, nullptr, changes, false, [](const Footprint&, u32, u64) { return true; });
  };
  Footprints all(4, false);
  write(all, 0, true);
  write(all, 1, false);
  write(all, 2, false);
  EXPECT_FALSE(sees_a_change(all, 0) || sees_a_change(all, 1));
  EXPECT_TRUE(sees_a_change(all, 3));
  Clock known;
  known.add_thread(0, 32, 1);
  EXPECT_FALSE(sees_a_change(all, 3, &known));
  races(all, touch(Touch::StrongWrite, 4, 0, 1));
  write(all, 2, false);
  EXPECT_TRUE(sees_a_change(all, 0)) << "there was another value in between";
  write(all, 1, true);
  write(all, 2, false);
  EXPECT_TRUE(sees_a_change(all, 0)) << "it has written another value";
  EXPECT_FALSE(sees_a_change(all, 1));
}

// However accesses are kept, they race with those with which each of a list of all of them does.
TEST(Footprints, race_with_what_a_list_of_all_accesses_says) {
  Random random(3);
  u32 raced = 0, compared = 0;
  for (u32 round = 0; round < 500; ++round) {
    const bool of_one_block = round % 3 == 0;
    Footprints all(4, of_one_block);
    std::vector<Footprint> list;
    const u32 kinds = round % 2 ? 4 : 2;  // of strong accesses alone, or of all
    for (u32 n = 0; n < 30; ++n) {
      const Touch kind =
          std::array{Touch::StrongRead, Touch::StrongWrite, Touch::WeakRead, Touch::WeakWrite}[random.below(kinds)];
      Footprint now = touch(kind, u32(random.below(3)), u32(random.below(2)), n + 1,
                            random.below(of_one_block ? 2 : 32) ? Scope::Device : Scope::Block);
      now.block = of_one_block ? 0 : random.below(2);
      now.step = u32(random.below(3));
      if (now.is_strong() && random.below(32) == 0) now.bytes = 8;
      if (kind == Touch::StrongWrite) now.reads = random.below(2);
      const bool races_here = std::ranges::any_of(list, [&](const Footprint& earlier) {
        return conflict(earlier, now) && unordered_lanes(earlier, now, nullptr);
      });
      ASSERT_EQ(races(all, now) > 0, races_here) << round << " " << n;
      raced += races_here, ++compared;
      if (kind == Touch::WeakWrite) list.clear();
      for (Footprint& earlier : list) {
        if (now.reads && now.is_strong() && earlier.touch == Touch::StrongWrite && !conflict(earlier, now))
          earlier.seen = {now.block, now.warp * 32u + u32(__builtin_ctz(now.lanes)), now.time};
      }
      list.push_back(now);
    }
  }
  EXPECT_EQ(compared, 15000u);
  EXPECT_GT(raced, 3000u);
  EXPECT_LT(raced, 13000u);
}

}  // namespace
}  // namespace ropewalk::machine::order
