// Basic blocks and post-dominators on graphs whose answer is known.
#include "lib/ptx/flow.h"

#include <algorithm>
#include <functional>

#include "lib/base/random.h"
#include "tests/lib/ptx/ptx_text.h"

namespace ropewalk::ptx {
namespace {

using Numbers = std::vector<u32>;

Flow flow_of_body(const std::string& body) {
  const Module module = read_entry(body);
  return flow_of(module, module.functions[0]);
}

TEST(Flow, StraightLine) {
  const Flow flow = flow_of_body("mov.b32 %r1, 0; mov.b32 %r2, 0; ret;");
  ASSERT_EQ(flow.blocks.size(), 2u);
  EXPECT_EQ(flow.blocks[0].last, 3u);
  EXPECT_EQ(flow.blocks[0].successors, Numbers{1});
  EXPECT_EQ(flow.exit, 1u);
  EXPECT_EQ(flow.post_dominator, (Numbers{1, 1}));
  EXPECT_EQ(flow.block_of, (Numbers{0, 0, 0}));
}

TEST(Flow, AnEmptyBody) {
  const Flow flow = flow_of_body("");
  ASSERT_EQ(flow.blocks.size(), 1u);
  EXPECT_EQ(flow.exit, 0u);
  EXPECT_EQ(flow.post_dominator, Numbers{0});
  EXPECT_TRUE(flow.reachable[0]);
}

TEST(Flow, Diamond) {
  const Flow flow = flow_of_body("@%p1 bra ELSE; mov.b32 %r1, 0; bra JOIN; ELSE: mov.b32 %r1, 1; JOIN: ret;");
  ASSERT_EQ(flow.blocks.size(), 5u);
  EXPECT_EQ(flow.blocks[0].successors, (Numbers{1, 2}));  // fall-through first
  EXPECT_EQ(flow.blocks[1].successors, Numbers{3});
  EXPECT_EQ(flow.blocks[2].successors, Numbers{3});
  EXPECT_EQ(flow.post_dominator, (Numbers{3, 3, 3, 4, 4}));
}

TEST(Flow, Loop) {
  const Flow flow = flow_of_body("mov.b32 %r1, 0; LOOP: add.s32 %r1, %r1, 1; @%p1 bra LOOP; ret;");
  ASSERT_EQ(flow.blocks.size(), 4u);
  EXPECT_EQ(flow.blocks[1].successors, (Numbers{2, 1}));
  EXPECT_EQ(flow.post_dominator, (Numbers{1, 2, 3, 3}));
}

TEST(Flow, NestedBranchesInALoop) {
  const Flow flow = flow_of_body(R"(
    HEAD: @%p1 bra DONE;
    @%p2 bra B;
    mov.b32 %r1, 0; @%p3 bra C;
    mov.b32 %r1, 1; bra C;
    B: mov.b32 %r1, 2;
    C: bra HEAD;
    DONE: ret;)");
  // 0 HEAD, 1 second branch, 2 third branch, 3, 4 B, 5 C, 6 DONE
  ASSERT_EQ(flow.blocks.size(), 8u);
  EXPECT_EQ(flow.post_dominator, (Numbers{6, 5, 5, 5, 5, 0, 7, 7}));
}

TEST(Flow, UnstructuredGraph) {
  // Two ways into a loop of two blocks, with a way out of each.
  const Flow flow = flow_of_body(R"(
    @%p1 bra B;
    A: @%p2 bra OUT;
    B: @%p3 bra A;
    OUT: ret;)");
  ASSERT_EQ(flow.blocks.size(), 5u);
  EXPECT_EQ(flow.post_dominator, (Numbers{3, 3, 3, 4, 4}));
}

TEST(Flow, EndlessLoopsHaveTheExit) {
  const Flow flow = flow_of_body("@%p1 bra SPIN; mov.b32 %r1, 0; ret; SPIN: mov.b32 %r1, 1; A: bra SPIN;");
  // 0, 1, 2 SPIN, 3 A
  ASSERT_EQ(flow.blocks.size(), 5u);
  EXPECT_EQ(flow.post_dominator, (Numbers{1, 4, 4, 4, 4}));
  EXPECT_TRUE(flow.reachable[3]);
}

TEST(Flow, PredicatedEnds) {
  const Flow flow = flow_of_body("@%p1 ret; @!%p2 exit; mov.b32 %r1, 0; trap; ret;");
  ASSERT_EQ(flow.blocks.size(), 5u);
  EXPECT_EQ(flow.blocks[0].successors, (Numbers{1, 4}));
  EXPECT_EQ(flow.blocks[1].successors, (Numbers{2, 4}));
  EXPECT_EQ(flow.blocks[2].successors, Numbers{4});
  EXPECT_EQ(flow.post_dominator, (Numbers{4, 4, 4, 4, 4}));
  EXPECT_FALSE(flow.reachable[3]);
  EXPECT_TRUE(flow.reachable[4]);
}

TEST(Flow, ThreadsThatLeaveAreNotWaitedFor) {
  // A switch with an arm that traps: the others meet at D.
  const Flow arms = flow_of_body(R"(
    @%p1 bra A; @%p2 bra B; mov.b32 %r1, 0; trap;
    A: mov.b32 %r1, 1; bra D;
    B: mov.b32 %r1, 2;
    D: mov.b32 %r2, 3; ret;)");
  // 0, 1, 2 the trap, 3 A, 4 B, 5 D
  ASSERT_EQ(arms.blocks.size(), 7u);
  EXPECT_EQ(arms.post_dominator[0], 5u);
  EXPECT_EQ(arms.post_dominator[1], arms.exit) << "of those that stay all go to B, and nobody waits";
  // A loop that some leave by a return: the others meet behind it.
  const Flow loop = flow_of_body(R"(
    HEAD: @%p1 bra AFTER;
    @%p2 bra OUT;
    mov.b32 %r1, 0; bra HEAD;
    AFTER: mov.b32 %r1, 1;
    OUT: ret;)");
  // 0 HEAD, 1 the branch out, 2 the body, 3 AFTER, 4 OUT
  ASSERT_EQ(loop.blocks.size(), 6u);
  EXPECT_EQ(loop.post_dominator[0], 3u);
}

TEST(Flow, LanesDoNotMeetAtAnErrorInNestedLoops) {
  const Flow flow = flow_of_body(R"(
    OUTER: mov.b32 %r1, 0;
    INNER: @%p1 bra ERROR;
    @%p2 bra INNER;
    mov.b32 %r2, 0; @%p3 bra OUTER;
    mov.b32 %r2, 1; ret;
    ERROR: mov.b32 %r2, 2; trap;)");
  // 0 OUTER, 1 INNER, 2 its end, 3 the end of OUTER, 4 the end, 5 ERROR
  ASSERT_EQ(flow.blocks.size(), 7u);
  EXPECT_EQ(flow.post_dominator[2], 3u);
  EXPECT_EQ(flow.post_dominator[3], 4u);
}

TEST(Flow, RunningOffTheEnd) {
  const Flow flow = flow_of_body("@%p1 bra END; mov.b32 %r1, 0; END:");
  ASSERT_EQ(flow.blocks.size(), 3u);
  EXPECT_EQ(flow.blocks[0].successors, (Numbers{1, 2}));
  EXPECT_EQ(flow.blocks[1].successors, Numbers{2});
}

TEST(Flow, BranchTables) {
  const Flow flow = flow_of_body(R"(
    T: .branchtargets A, B, A;
    @%p1 brx.idx %r1, T;
    mov.b32 %r1, 0;
    A: mov.b32 %r1, 1;
    B: ret;)");
  ASSERT_EQ(flow.blocks.size(), 5u);
  EXPECT_EQ(flow.blocks[0].successors, (Numbers{1, 2, 3}));
  // Who goes to B leaves there; the others meet at A.
  EXPECT_EQ(flow.post_dominator, (Numbers{2, 2, 3, 4, 4}));
}

// The definition itself: b post-dominates a when no way from a to the exit avoids b.
bool reaches_exit_without(const Flow& flow, u32 from, u32 avoided) {
  if (from == avoided) return false;
  std::vector<bool> seen(flow.blocks.size(), false);
  Numbers waiting{from};
  while (!waiting.empty()) {
    const u32 at = waiting.back();
    waiting.pop_back();
    if (at == flow.exit) return true;
    if (seen[at]) continue;
    seen[at] = true;
    for (const u32 next : flow.blocks[at].successors) {
      if (next != avoided) waiting.push_back(next);
    }
  }
  return false;
}

bool can_reach(const Flow& flow, u32 from, u32 to) {
  std::vector<bool> seen(flow.blocks.size(), false);
  std::vector<u32> open{from};
  while (!open.empty()) {
    const u32 block = open.back();
    open.pop_back();
    for (const u32 next : flow.blocks[block].successors) {
      if (next == to) return true;
      if (!seen[next]) open.push_back(next);
      seen[next] = true;
    }
  }
  return false;
}

TEST(Flow, RandomGraphsAgreeWithTheDefinition) {
  u32 without_leavers = 0;
  for (u64 seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const u64 count = 2 + random.below(14);
    std::string body;
    for (u64 i = 0; i < count; ++i) {
      body += "L" + std::to_string(i) + ": mov.b32 %r1, 0;\n";
      const u64 kind = random.below(8);
      const std::string target = "L" + std::to_string(random.below(count));
      if (kind < 4) body += "@%p1 bra " + target + ";\n";
      if (kind == 4) body += "bra " + target + ";\n";
      if (kind == 5) body += "@%p1 ret;\n";
    }
    const Flow flow = flow_of_body(body);
    const u32 blocks = u32(flow.blocks.size());
    for (u32 a = 0; a < flow.exit; ++a) {
      u32 expected = flow.exit;
      if (reaches_exit_without(flow, a, blocks)) {
        // The immediate one is post-dominated by all the other post-dominators.
        for (u32 b = 0; b < blocks; ++b) {
          if (b == a || reaches_exit_without(flow, a, b) || !reaches_exit_without(flow, b, blocks)) continue;
          bool nearest = true;
          for (u32 c = 0; c < blocks; ++c) {
            if (c == a || c == b || reaches_exit_without(flow, a, c)) continue;
            nearest &= !reaches_exit_without(flow, b, c);
          }
          if (nearest) expected = b;
        }
      }
      const std::string what = "block " + std::to_string(a) + " of seed " + std::to_string(seed) + "\n" + body;
      if (expected != flow.exit || flow.post_dominator[a] == flow.exit) {
        EXPECT_EQ(flow.post_dominator[a], expected) << what;
        continue;
      }
      // Where the ways have the end alone in common, they meet where at least two of them can go.
      u32 ways = 0;
      for (const u32 next : flow.blocks[a].successors) {
        ways += next != flow.exit && (next == flow.post_dominator[a] || can_reach(flow, next, flow.post_dominator[a]));
      }
      EXPECT_GE(ways, 2u) << what;
      ++without_leavers;
    }
  }
  EXPECT_GT(without_leavers, 10u);
}

TEST(Flow, WhatIsReachedFromAnInstruction) {
  const std::string diamond = "@%p1 bra ELSE; mov.b32 %r1, 0; bra JOIN; ELSE: mov.b32 %r1, 1; JOIN: ret;";
  using Marks = std::vector<bool>;
  const Flow flow = flow_of_body(diamond);
  EXPECT_EQ(reached(flow, {1}), (Marks{false, false, true, false, true}));
  EXPECT_EQ(reached(flow, {0}, Marks{false, false, false, true, false}), (Marks{false, true, true, true, true}));
  EXPECT_EQ(reached(flow, {3}, Marks{false, false, false, false, true}), (Marks{false, false, false, false, true}));
  EXPECT_EQ(reached(flow_of_body("TOP: mov.b32 %r1, 0; @%p1 bra TOP; ret;"), {1}), (Marks{true, true, true}));
  EXPECT_EQ(reached(flow_of_body("mov.b32 %r1, 0; mov.b32 %r2, 0; ret;"), {0}, Marks{false, true, false}),
            (Marks{false, true, false}));
}

TEST(Flow, LargeFunctionsTakeLittleTime) {
  // A ladder whose every rung branches back to the top and out to the end: a bad case for quadratic methods.
  std::string body = "TOP:\n";
  for (int i = 0; i < 50000; ++i) {
    body += "L" + std::to_string(i) + ": @%p1 bra " + (i % 2 ? "TOP" : "END") + ";\n";
  }
  const Flow flow = flow_of_body(body + "END: ret;");
  EXPECT_EQ(flow.blocks.size(), 50002u);
  EXPECT_EQ(flow.post_dominator[0], 50000u);
}

}  // namespace
}  // namespace ropewalk::ptx
