// What decides how a thread goes round, on loops in which that is plain to see.
#include "lib/machine/decode/cycles.h"

#include <gtest/gtest.h>

#include <set>

#include "lib/machine/decode/code.h"
#include "lib/ptx/read_module.h"

namespace ropewalk::machine {
namespace {

using Names = std::set<std::string>;

// The registers that decide, a set for each cycle of a body.
std::vector<Names> deciding_in(const std::string& body) {
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry tried(.param .u64 out)\n{\n"
      "  .reg .pred %p<5>;\n  .reg .b32 %r<9>;\n  .reg .b64 %rd<5>;\n" +
      body + "}\n";
  const auto module = std::make_shared<ptx::Module>(ptx::read_module(text, "tried.ptx"));
  const auto code = make_code(module, *module->entry("tried"), false);
  std::vector<Names> out;
  for (const Cycle& cycle : code->cycles) {
    Names& names = out.emplace_back();
    for (const u32 value : cycle.deciding) {
      const Value& it = code->values[value];
      if (it.source == Value::Source::Register) names.insert(code->function.registers[it.register_id].name);
    }
  }
  return out;
}

TEST(Cycles, NoneWhereNothingGoesBack) {
  EXPECT_TRUE(deciding_in("setp.eq.u32 %p1, %r1, 0; @%p1 bra end; mov.u32 %r2, 1; end: ret;").empty());
}

TEST(Cycles, WhatIsOnlyCountedDecidesNothing) {
  EXPECT_EQ(deciding_in("again: ld.volatile.u32 %r1, [%rd1]; add.u32 %r2, %r2, 1; mad.lo.u32 %r3, %r3, 5, %r2;"
                        "setp.ne.u32 %p1, %r1, 1; @%p1 bra again; st.global.u32 [%rd1], %r3;"),
            (std::vector<Names>{{"%p1", "%r1", "%rd1"}}));
}

TEST(Cycles, ABoundAndAnAddressDecide) {
  EXPECT_EQ(deciding_in("again: add.u32 %r2, %r2, %r4; setp.lt.u32 %p1, %r2, 100; @%p1 bra again;"),
            (std::vector<Names>{{"%p1", "%r2", "%r4"}}));
  EXPECT_EQ(deciding_in("again: add.u64 %rd2, %rd2, 4; add.u64 %rd3, %rd1, %rd2; ld.volatile.u32 %r1, [%rd3];"
                        "setp.ne.u32 %p1, %r1, 1; @%p1 bra again;"),
            (std::vector<Names>{{"%p1", "%r1", "%rd1", "%rd2", "%rd3"}}));
  EXPECT_EQ(deciding_in("again: add.u32 %r2, %r2, 1; st.global.u32 [%rd1], %r2; bra again;"),
            (std::vector<Names>{{"%r2", "%rd1"}}));
}

// The inner loop is a part of the outer one, which its counter ends.
TEST(Cycles, LoopsInEachOtherAreOne) {
  EXPECT_EQ(deciding_in("outer: mov.u32 %r3, 0; inner: add.u32 %r3, %r3, 1; add.u32 %r2, %r2, 1;"
                        "setp.lt.u32 %p1, %r3, 9; @%p1 bra inner; setp.lt.u32 %p2, %r2, 100; @%p2 bra outer;"),
            (std::vector<Names>{{"%p1", "%p2", "%r2", "%r3"}}));
}

// Two ways into a loop, which then has no first block.
TEST(Cycles, LoopsWithTwoEntriesAreFound) {
  EXPECT_EQ(deciding_in("@%p1 bra second; first: add.u32 %r1, %r1, 1; second: add.u32 %r2, %r2, 1;"
                        "setp.lt.u32 %p2, %r1, 9; @%p2 bra first;"),
            (std::vector<Names>{{"%p2", "%r1"}}));
}

}  // namespace
}  // namespace ropewalk::machine
