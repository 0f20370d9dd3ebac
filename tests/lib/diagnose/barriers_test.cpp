// Races in kernels that were written for it: a barrier that is missing is named, and nothing else is
// taken for one.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lib/diagnose/diagnose.h"
#include "lib/launch/launch_file.h"
#include "lib/machine/machine.h"
#include "tests/lib/diagnose/races_of.h"

namespace ropewalk::diagnose {
namespace {

// The causes of the races of a launch of tests/.
std::vector<Cause> causes_of_races_in(const std::string& path) {
  return causes_of_races_of(read_launch_file(ROPEWALK_SOURCE_DIR "/tests/" + path + ".json"));
}

// Their ids, of a launch of tests/kernels/general.
std::vector<std::string> causes_of_races(const std::string& name) {
  std::vector<std::string> ids;
  for (const Cause& cause : causes_of_races_in("kernels/general/" + name)) ids.push_back(cause.id);
  return ids;
}

TEST(Barriers, OneThatIsMissingIsNamed) {
  for (const char* name :
       {"transpose_missing_barrier", "matmul_bf16_missing_barrier", "sum_products_missing_barrier"}) {
    const std::vector<std::string> causes = causes_of_races(name);
    // Where a copy may not be complete either, a barrier alone is not to blame, and nothing is named.
    EXPECT_TRUE(std::find(causes.begin(), causes.end(), "missing-barrier") != causes.end()) << name;
    for (const std::string& cause : causes) {
      EXPECT_TRUE(cause == "missing-barrier" || cause == "missing-copy-wait" || cause.empty()) << name << ": " << cause;
    }
  }
}

// How many of these races may be one warp's alone.
u32 advised_for_warps(const std::string& path) {
  u32 count = 0;
  for (const Cause& cause : causes_of_races_in(path)) {
    EXPECT_EQ(cause.id, "missing-barrier");
    count += cause.advice.find("__syncwarp()") != std::string::npos;
  }
  return count;
}

TEST(Barriers, ThatOfAWarpIsAdvisedWhereOneWarpRaces) {
  EXPECT_EQ(advised_for_warps("data/machine/checks/swap_converged"), 1u);
  EXPECT_EQ(advised_for_warps("data/machine/checks/copy_without_barrier"), 0u);
}

// Bins in shared memory that are cleared, counted up by atomics and read, with a barrier or none between each two.
Texts causes_of_bins(const std::string& after_clearing, const std::string& after_counting) {
  const std::string ptx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
.reg .b32 %r<10>; .reg .b64 %rd<4>; .shared .align 4 .b8 bins[256];
mov.u32 %r1, %tid.x; mov.u32 %r2, bins; mad.lo.u32 %r3, %r1, 4, %r2;
st.shared.u32 [%r3], 0;
)" + after_clearing + R"(
xor.b32 %r4, %r1, 33; mad.lo.u32 %r5, %r4, 4, %r2;
atom.shared.add.u32 %r6, [%r5], 1;
)" + after_counting + R"(
ld.shared.u32 %r7, [%r3];
ld.param.u64 %rd1, [out]; mad.wide.u32 %rd2, %r1, 4, %rd1; st.global.u32 [%rd2], %r7;
ret;
})";
  const LaunchTensor out{.name = "out", .dtype = Dtype::I32, .shape = {64}, .strides = {1}, .output = true};
  return texts_of(causes_of_races_of(launch_of(ptx, {out})));
}

TEST(Barriers, OneThatIsMissingBesideAnAtomicIsNamed) {
  EXPECT_EQ(causes_of_bins("bar.sync 0;", "bar.sync 0;"), Texts());
  EXPECT_EQ(causes_of_bins("bar.sync 0;", ""),
            Texts{"missing-barrier: what PTX line 10 changes is read at PTX line 12 without a barrier between"});
  EXPECT_EQ(causes_of_bins("", "bar.sync 0;"),
            Texts{"missing-barrier: what PTX line 7 writes is changed at PTX line 10 without a barrier between"});
}

TEST(Barriers, ARaceSaysWhoseItIs) {
  const auto message_of = [](const std::string& body, u32 blocks) {
    const std::vector<Finding> findings = machine::make_machine()->run(launch_of_body(body, blocks), {}).findings;
    return findings.empty() ? "" : findings[0].message;
  };
  const std::string begin = "cp.async.ca.shared.global [%r3], [%rd3], 4;\n", wait = "cp.async.wait_all;\n",
                    again = "cp.async.ca.shared.global [%r3], [%rd4], 4;\n", end = "ld.shared.u32 %r8, [%r3];\n";
  EXPECT_EQ(message_of(begin + wait + again + wait + end, 1), "");
  EXPECT_TRUE(message_of(begin + again + wait + end, 1).starts_with("a thread races with its own copy for tile + 0: "));
  const std::string shift = "ld.global.u32 %r8, [%rd3+4];\nst.global.u32 [%rd3], %r8;\n";
  EXPECT_TRUE(message_of(shift, 1).starts_with("two threads of a block race for x"));
  EXPECT_TRUE(message_of(shift, 3).starts_with("two threads race for x"));
}

// Lanes 32 to 63 of each block hold copies of what the others load and store in place, and store none: that they may
// load what was stored already matters to nobody. That block 1 loads what block 0 stores, where their rows overlap,
// does.
TEST(Barriers, ARaceShowsAPairThatMatters) {
  const auto pair_of = [](int row) {
    const std::string ptx = R"(.version 8.4
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x) {
.reg .pred %p1; .reg .b32 %r<9>; .reg .b64 %rd<4>;
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; and.b32 %r3, %r1, 31;
mad.lo.u32 %r4, %r2, )" + std::to_string(row) +
                            R"(, %r3;
ld.param.u64 %rd1, [x]; mad.wide.u32 %rd2, %r4, 4, %rd1;
ld.global.u32 %r5, [%rd2];
add.u32 %r6, %r5, 1;
setp.lt.u32 %p1, %r1, 32;
@%p1 st.global.u32 [%rd2], %r6;
ret;
})";
    const LaunchTensor x{
        .name = "x", .dtype = Dtype::I32, .shape = {64}, .strides = {1}, .init = Fill{7}, .output = true};
    std::vector<std::string> pairs;
    for (const Finding& race : machine::make_machine()->run(launch_of(ptx, {x}, 2), {}).findings) {
      const auto text_of = [](const ThreadId& it) { return fmt::format("{}.{}", it.block[0], it.thread[0]); };
      pairs.push_back(fmt::format("x[{}], {} and {}, {} accesses", race.access->index->at(0), text_of(*race.thread),
                                  text_of(*race.other_thread), race.occurrences.accesses));
    }
    return pairs;
  };
  EXPECT_EQ(pair_of(32), std::vector<std::string>());
  EXPECT_EQ(pair_of(28),
            (std::vector<std::string>{"x[28], 1.0 and 0.28, 4 accesses", "x[28], 0.28 and 1.0, 4 accesses"}));
}

// A tile that is filled again in the next round, while others still read it.
TEST(Barriers, OneThatIsMissingAtTheEndOfALoopIsNamed) {
  const auto loop = [](const std::string& barrier, const std::string& last) {
    return "again: st.shared.u32 [%r3], %r7;\n" + barrier + "\nld.shared.u32 %r8, [%r4];\n" + last +
           "\nadd.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 4; @%p1 bra again;\nst.global.u32 [%rd3], %r8;\n";
  };
  EXPECT_EQ(causes_of_body(loop("bar.sync 0;", "bar.sync 0;")), Texts());
  EXPECT_EQ(causes_of_body(loop("bar.sync 0;", "")),
            Texts{"missing-barrier: what PTX line 12 reads is overwritten at PTX line 10 in the next round of the loop "
                  "without a barrier between"});
  EXPECT_EQ(causes_of_body(loop("", "bar.sync 0;")),
            Texts{"missing-barrier: what PTX line 10 writes is read at PTX line 12 without a barrier between"});
  // Barriers with a number of threads may be for some of them alone.
  EXPECT_EQ(causes_of_body(loop("bar.sync 1, 64;", "")), Texts{""});
}

// A warp that is a round behind: another has filled the tile and read all of it before this one fills its part. That no
// barrier stands on the way from the write to the read is to blame, whichever was run first.
TEST(Barriers, AWarpThatComesLateIsNotTakenForTheNextRound) {
  const auto loop = [](const std::string& filled, const std::string& used) {
    return "again: st.shared.u32 [%r3], %r7;\n" + filled +
           "\nld.shared.u32 %r8, [%r2]; ld.shared.u32 %r9, [%r2+128];\n" + used +
           "\nadd.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 4; @%p1 bra again;\nst.global.u32 [%rd3], %r8;\n";
  };
  const std::string barrier = "bar.sync 0;";
  const std::string use = "missing-barrier: what PTX line 10 writes is read at PTX line 12 without a barrier between";
  const std::string refill =
      "missing-barrier: what PTX line 12 reads is overwritten at PTX line 10 in the next round of the loop without a "
      "barrier between";
  for (const u32 blocks : {1, 3}) {
    EXPECT_EQ(causes_of_body(loop(barrier, barrier), blocks), Texts());
    EXPECT_EQ(causes_of_body(loop("", barrier), blocks), Texts{use});
    EXPECT_EQ(causes_of_body(loop(barrier, ""), blocks), Texts{refill});
    const Texts of_both = causes_of_body(loop("", ""), blocks);
    EXPECT_TRUE(of_both.contains(use));
    EXPECT_FALSE(of_both.contains(""));
    // Of one warp.
    const auto of_a_warp = [&](const std::string& filled, const std::string& used) {
      Launch launch = launch_of_body(loop(filled, used), blocks);
      launch.block = {32, 1, 1};
      return texts_of(causes_of_races_of(launch));
    };
    EXPECT_EQ(of_a_warp(barrier, barrier), Texts());
    EXPECT_EQ(of_a_warp(barrier, ""), Texts{refill});
    EXPECT_EQ(of_a_warp("", barrier), Texts{use});
  }
}

// In a loop that some threads go round more often than others, a barrier stands at the wrong place.
TEST(Barriers, OneIsAdvisedBeforeTheLoopOfTheReads) {
  const auto advice = [](const std::string& line_of_head, const std::string& filled_in_loop) {
    const std::string fill = ".loc 1 4 3\nst.shared.u32 [%r3], %r7;\n";
    const auto causes = causes_of_races_of(
        launch_of_body((filled_in_loop.empty() ? fill : "") + "again:\n" + filled_in_loop +
                       ".loc 1 7 5\nld.shared.u32 %r8, [%r4]; add.u32 %r7, %r7, 1;\n" + line_of_head +
                       "setp.le.u32 %p1, %r7, %r1; @%p1 bra again;\n.loc 1 9 3\nst.global.u32 [%rd3], %r8;\n"));
    EXPECT_FALSE(causes.empty());
    return causes.empty() ? "" : causes[0].advice;
  };
  EXPECT_EQ(advice(".loc 1 6 3\n", ""),
            "put __syncthreads() before the loop at k.cu:6, where all threads of the block pass");
  // The condition stands at the end.
  EXPECT_EQ(advice(".loc 1 8 3\n", ""),
            "put __syncthreads() before the loop around k.cu:7, where all threads of the block pass");
  EXPECT_EQ(
      advice(".loc 1 6 3\n", ".loc 1 4 3\nst.shared.u32 [%r3], %r7;\n"),
      "put __syncthreads() before k.cu:4, where all threads of the block pass; all of them must go round the loop "
      "equally often");
}

// Thread 63 alone writes in the if of line 6, and reads before.
TEST(Barriers, NoneIsAdvisedWhereSomeThreadsPass) {
  const auto causes = causes_of_races_of(launch_of_body(
      "st.shared.u32 [%r3], %r1; bar.sync 0;\n.loc 1 5 1\nld.volatile.shared.u32 %r8, [%r2];\n.loc 1 6 1\n"
      "setp.ne.u32 %p1, %r1, 63; @%p1 bra rest;\n.loc 1 7 1\nst.shared.u32 [%r3], %r8;\n.loc 1 8 1\n"
      "st.shared.u32 [%r2], 99;\nrest:\n.loc 1 9 1\nst.global.u32 [%rd3], %r8;\n"));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].advice, "put __syncthreads() before k.cu:6, where all threads of the block pass");
}

// The advice for the races of a body, each once.
Texts advice_for(const std::string& body, u32 blocks = 1) {
  Texts texts;
  for (const Cause& cause : causes_of_races_of(launch_of_body(body, blocks))) texts.insert(cause.advice);
  return texts;
}

// Two halves of the tile: one is filled while the other is read. Line 5 reads it, 4 fills it, in the if of line 3, and
// 2 fills the first.
std::string two_tiles(const std::string& before_loop, const std::string& begin, const std::string& filled,
                      const std::string& end) {
  return "and.b32 %r1, %r1, 31; mad.lo.u32 %r3, %r1, 4, %r2; mov.u32 %r5, %tid.x; shr.u32 %r5, %r5, 5;\n"
         "mad.lo.u32 %r3, %r5, 64, %r3; mov.u32 %r6, 0; mov.u32 %r9, 0;\n"
         "setp.ge.u32 %p2, %r1, 16; @%p2 bra all;\n.loc 1 2 1\nst.shared.u32 [%r3], %r7;\nall:\n" +
         before_loop + "\nagain:\n" + begin +
         "\nxor.b32 %r8, %r6, 128; add.u32 %r5, %r3, %r8;\n.loc 1 3 1\n@%p2 bra read;\n.loc 1 4 1\nst.shared.u32 "
         "[%r5], "
         "%r7;\nread:\n" +
         filled + "\n.loc 1 5 1\nadd.u32 %r5, %r2, %r6; ld.shared.u32 %r8, [%r5+64]; add.u32 %r9, %r9, %r8;\n" + end +
         "\nxor.b32 %r6, %r6, 128; add.u32 %r7, %r7, 1; .loc 1 6 1\nsetp.lt.u32 %p1, %r7, 4; @%p1 bra again;\n"
         "st.global.u32 [%rd3], %r9;\n";
}

TEST(Barriers, OneThatEndsSeveralRacesIsAdvised) {
  const std::string barrier = "bar.sync 0;";
  for (const u32 blocks : {1, 3}) {
    EXPECT_EQ(advice_for(two_tiles(barrier, "", "", barrier), blocks), Texts());
    EXPECT_EQ(advice_for(two_tiles(barrier, barrier, "", ""), blocks), Texts());
    // Who reads a tile that is filled in the next round, and who reads what the round before filled, lack the same. Not
    // all threads fill.
    EXPECT_EQ(
        advice_for(two_tiles(barrier, "", "", ""), blocks),
        Texts{"put __syncthreads() before k.cu:3 or at the end of the loop around k.cu:4, where all threads of the "
              "block pass"});
  }
}

// A tile that is filled, and filled again, with no barrier at all.
TEST(Barriers, TwoAreAdvisedWhereOneIsNotEnough) {
  const auto loop = [](const std::string& filled, const std::string& used) {
    return "again:\n.loc 1 3 1\nst.shared.u32 [%r3], %r7;\n" + filled + "\n.loc 1 5 1\nld.shared.u32 %r8, [%r4];\n" +
           used + "\nadd.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 4; @%p1 bra again;\nst.global.u32 [%rd3], %r8;\n";
  };
  const std::string barrier = "bar.sync 0;";
  const std::string rest = ", where all threads of the block pass";
  EXPECT_EQ(advice_for(loop(barrier, barrier)), Texts());
  EXPECT_EQ(advice_for(loop("", barrier)), Texts{"put __syncthreads() before k.cu:5" + rest});
  EXPECT_EQ(advice_for(loop(barrier, "")),
            Texts{"put __syncthreads() before k.cu:3 or at the end of the loop around k.cu:3" + rest});
  EXPECT_EQ(advice_for(loop("", "")), Texts{"put __syncthreads() before k.cu:3, and another one before k.cu:5" + rest});
}

// What nobody had written when it was read, because nobody waited for the write.
TEST(Barriers, AReadThatCameTooEarlyLacksTheSame) {
  const Launch launch = launch_of_body("");
  const auto with_barrier_at = [](Rule rule, u64 ptx_line) {
    Finding finding;
    finding.rule = rule;
    finding.tried_barriers.push_back({TriedBarrier::Where::Before, {}, std::nullopt});
    finding.tried_barriers.back().location.ptx_line = ptx_line;
    return finding;
  };
  Finding race = with_barrier_at(Rule::SharedRace, 9);
  race.cause.emplace();
  race.cause->id = "missing-barrier";
  race.cause->evidence = {"", ""};
  std::vector<Finding> reads{with_barrier_at(Rule::UninitializedRead, 9), with_barrier_at(Rule::UninitializedRead, 8),
                             with_barrier_at(Rule::UninitializedRead, 9)};
  reads[2].tried_barriers.clear();
  diagnose_stored(reads, {race}, launch);
  ASSERT_TRUE(reads[0].cause);
  EXPECT_EQ(reads[0].cause->id, "missing-barrier");
  EXPECT_FALSE(reads[1].cause || reads[2].cause);
}

TEST(Barriers, OneThatIsMissingForGlobalMemoryIsNamed) {
  const auto exchange = [](const std::string& barrier) {
    return "ld.global.u32 %r8, [%rd4];\n" + barrier + "\nst.global.u32 [%rd3], %r8;\n";
  };
  for (const u32 blocks : {1, 3}) {
    EXPECT_EQ(causes_of_body(exchange("bar.sync 0;"), blocks), Texts());
    EXPECT_EQ(causes_of_body(exchange(""), blocks),
              Texts{"missing-barrier: what PTX line 10 reads is overwritten at PTX line 12 without a barrier between"});
  }
  EXPECT_EQ(causes_of_body("ld.global.u32 %r8, [%rd1];\nadd.u32 %r8, %r8, %r1;\nst.global.u32 [%rd1], %r8;\n"),
            Texts{""});
  // Two pointers to the same memory, of which the caller may have meant another.
  EXPECT_EQ(causes_of_body("ld.param.u64 %rd5, [y]; mad.wide.u32 %rd5, %r1, 4, %rd5;\n"
                           "ld.global.u32 %r8, [%rd4];\nst.global.u32 [%rd5], %r8;\n"),
            Texts{""});
  // The neighbour of a block's last thread is in another block, for which no barrier does.
  const std::string shift = "ld.global.u32 %r8, [%rd3+4];\nst.global.u32 [%rd3], %r8;\n";
  EXPECT_EQ(causes_of_body(shift, 3), Texts{""});
  EXPECT_EQ(causes_of_body(shift, 1).count(""), 0u);
}

// Two threads load an element and store it again, as an unrolled loop does it, by statements of their own: no barrier
// would help them. Where each stores in another place than it loads, one does.
TEST(Barriers, UpdatesOfOneElementByTwoThreadsLackAnAtomic) {
  const auto statements = [](const std::string& loads, const std::string& stores) {
    return "and.b32 %r9, %r1, 31; mad.wide.u32 %rd5, %r9, 4, %rd2;\nadd.s64 %rd6, %rd5, 4;\n"
           "and.b32 %r9, %r1, 1; setp.eq.u32 %p1, %r9, 0; @%p1 bra second;\n"
           ".loc 1 5 3\nld.global.u32 %r8, [%rd5]; add.u32 %r8, %r8, %r1;\n.loc 1 6 3\nst.global.u32 [%rd5], %r8;\n"
           "second:\n.loc 1 5 3\nld.global.u32 %r8, [" +
           loads + "]; add.u32 %r8, %r8, %r1;\n.loc 1 6 3\nst.global.u32 [" + stores + "], %r8;\n";
  };
  const Texts updated{"missing-atomic: several threads update one element at k.cu:6 by a load and a store"};
  for (const u32 blocks : {1, 3}) EXPECT_EQ(causes_of_body(statements("%rd6", "%rd6"), blocks), updated);
  const std::string shift = "ld.global.u32 %r8, [%rd4];\n.loc 1 6 3\nst.global.u32 [%rd3], %r8;\n";
  EXPECT_EQ(causes_of_body(".loc 1 5 3\n" + shift),
            Texts{"missing-barrier: what k.cu:5 reads is overwritten at k.cu:6 without a barrier between"});
}

// One thread clears the word that another gives its value.
TEST(Barriers, OneThatIsMissingBehindAStoreThatClearsIsNamed) {
  const auto stores = [](const std::string& first, const std::string& barrier, const std::string& second) {
    return "mov.u32 %r9, 0; add.u32 %r7, %r1, 5;\nst.shared.u32 [%r4], " + first + ";\n" + barrier +
           "\nst.shared.u32 [%r3], " + second + ";\nbar.sync 0; ld.shared.u32 %r8, [%r3]; st.global.u32 [%rd3], %r8;\n";
  };
  const std::string cleared =
      "missing-barrier: what PTX line 11 writes is overwritten at PTX line 13 without a barrier between";
  for (const char* zero : {"0", "%r9"}) {
    EXPECT_EQ(causes_of_body(stores(zero, "bar.sync 0;", "%r7")), Texts());
    for (const u32 blocks : {1, 3}) EXPECT_EQ(causes_of_body(stores(zero, "", "%r7"), blocks), Texts{cleared});
    // What is cleared at the end may be another's by a wrong index.
    EXPECT_EQ(causes_of_body(stores("%r7", "", zero)), Texts{""});
  }
  // Two values for one word, of which neither is there before the other.
  EXPECT_EQ(causes_of_body(stores("%r7", "", "%r7")), Texts{""});
  EXPECT_EQ(causes_of_body(stores("0", "", "1")), Texts{""});
  // In global memory threads may have one word together.
  EXPECT_EQ(causes_of_body("add.u32 %r7, %r1, 5;\nst.global.u32 [%rd4], 0;\nst.global.u32 [%rd3], %r7;\n"), Texts{""});
}

// Thread 0 goes on with what it has stored; the others load it, in the arm that stands first in the PTX.
TEST(Barriers, ArmsComeInTheOrderOfTheSource) {
  const auto arms = [](const std::string& barrier) {
    return "setp.eq.u32 %p1, %r1, 0; @%p1 bra first;\n" + barrier +
           "\n.loc 1 6 3\nld.shared.u32 %r8, [%r2]; bra all;\n"
           "first:\n.loc 1 5 3\nst.shared.u32 [%r2], 7; mov.u32 %r8, 7;\n" +
           barrier + "\nall:\nst.global.u32 [%rd3], %r8;\n";
  };
  EXPECT_EQ(causes_of_body(arms("")),
            Texts{"missing-barrier: what k.cu:5 writes is read at k.cu:6 without a barrier between"});
  EXPECT_EQ(causes_of_body(arms("barrier.sync 0;")), Texts());
}

// All threads add to one word: what they lack is an atomic operation.
TEST(Barriers, AStatementThatUpdatesLacksAnAtomic) {
  const auto add = [](const std::string& first, const std::string& second) {
    return ".loc 1 5 3\nld.shared.u32 %r8, [" + first + "]; add.u32 %r8, %r8, 1;\nst.shared.u32 [" + second +
           "], %r8;\nst.global.u32 [%rd3], %r8;\n";
  };
  const std::string cleared = "st.shared.u32 [%r3], 0; bar.sync 0;\n";
  EXPECT_EQ(causes_of_body(cleared + add("%r2", "%r2")),
            Texts{"missing-atomic: several threads update one element at k.cu:5 by a load and a store"});
  EXPECT_EQ(causes_of_body(cleared + add("%r4", "%r3")),
            Texts{"missing-barrier: what k.cu:5 (PTX line 12) reads is overwritten at k.cu:5 (PTX line 13) without a "
                  "barrier between"});
}

TEST(Barriers, RacesOfAnotherKindHaveAnotherCause) {
  for (const char* name : {"histogram_plain_shared", "sum_products_missing_wait"}) {
    for (const std::string& cause : causes_of_races(name)) EXPECT_NE(cause, "missing-barrier") << name;
  }
}

}  // namespace
}  // namespace ropewalk::diagnose
