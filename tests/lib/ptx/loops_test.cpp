// Loops of bodies whose loops are known.
#include "lib/ptx/loops.h"

#include <algorithm>

#include "tests/lib/ptx/ptx_text.h"

namespace ropewalk::ptx {
namespace {

std::vector<Loop> loops_of_body(const std::string& body) {
  const Module module = read_entry(body);
  return loops_of(flow_of(module, module.functions[0]));
}

std::vector<u32> blocks_of(const Loop& loop) {
  std::vector<u32> out;
  for (u32 n = 0; n < loop.has.size(); ++n) {
    if (loop.has[n]) out.push_back(n);
  }
  return out;
}

using Numbers = std::vector<u32>;

TEST(Loops, NoneWhereNothingGoesBack) {
  EXPECT_TRUE(loops_of_body("").empty());
  EXPECT_TRUE(loops_of_body("@%p1 bra ELSE; mov.b32 %r1, 0; bra JOIN; ELSE: mov.b32 %r1, 1; JOIN: ret;").empty());
}

TEST(Loops, OneInAnother) {
  const std::vector<Loop> loops = loops_of_body(
      "mov.b32 %r1, 0; OUTER: mov.b32 %r1, 1; INNER: mov.b32 %r1, 2; @%p1 bra INNER; mov.b32 %r1, 3; @%p1 bra OUTER; "
      "ret;");
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(blocks_of(loops[0]), Numbers{2});
  EXPECT_EQ(blocks_of(loops[1]), (Numbers{1, 2, 3}));
  EXPECT_EQ(loops[1].first, 1u);
  EXPECT_EQ(loops[1].back, 3u);
}

TEST(Loops, AnArmIsOfTheLoop) {
  const std::vector<Loop> loops = loops_of_body(
      "mov.b32 %r1, 0; AGAIN: @%p1 bra ELSE; mov.b32 %r1, 1; bra JOIN; ELSE: mov.b32 %r1, 2; JOIN: @%p1 bra AGAIN; "
      "ret;");
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(blocks_of(loops[0]), (Numbers{1, 2, 3, 4}));
}

// What is entered at two places is no loop of this kind.
TEST(Loops, NoneWithTwoEntries) {
  EXPECT_TRUE(loops_of_body("@%p1 bra B; A: mov.b32 %r1, 1; B: mov.b32 %r1, 2; @%p1 bra A; ret;").empty());
}

}  // namespace
}  // namespace ropewalk::ptx
