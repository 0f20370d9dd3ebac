// Which loads and stores are parts of a change that may be made several times.
#include "lib/ptx/repeatable_changes.h"

#include "tests/lib/ptx/ptx_text.h"

namespace ropewalk::ptx {
namespace {

// By instruction, what it is a part of: "1 or.b32 4; 3 or.b32 4; ".
std::string changes_of(const std::string& body) {
  const Module module = read_entry(body);
  const Function& function = module.functions[0];
  std::string text;
  for (const auto& [n, change] : repeatable_changes(module, function, flow_of(module, function)))
    text += std::to_string(n) + " " + std::string(change.opcode) + " " + std::to_string(change.constant) + "; ";
  return text;
}

TEST(RepeatableChanges, BitsAreSetAndBoundsAreSetByAConstant) {
  EXPECT_EQ(changes_of("ld.volatile.u32 %r1, [%rd1]; or.b32 %r2, %r1, 4; st.volatile.u32 [%rd1], %r2;"),
            "0 or.b32 4; 2 or.b32 4; ");
  EXPECT_EQ(changes_of("ld.u32 %r1, [%rd1]; mov.u32 %r2, %r1; max.s32 %r3, %r2, 7; mov.u32 %r4, %r3; "
                       "st.u32 [%rd1], %r4;"),
            "0 max.s32 7; 4 max.s32 7; ");
}

TEST(RepeatableChanges, OtherChangesAndOtherUsesOfTheValueAreNone) {
  for (const char* body : {"ld.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; st.u32 [%rd1], %r2;",
                           "ld.u32 %r1, [%rd1]; xor.b32 %r2, %r1, 1; st.u32 [%rd1], %r2;",
                           "ld.u32 %r1, [%rd1]; or.b32 %r2, %r1, %r5; st.u32 [%rd1], %r2;",
                           "ld.u32 %r1, [%rd1]; shl.b32 %r2, %r1, 1; or.b32 %r3, %r2, 1; st.u32 [%rd1], %r3;",
                           "ld.u32 %r1, [%rd1]; or.b32 %r2, %r1, 1; and.b32 %r3, %r2, 6; st.u32 [%rd1], %r3;",
                           "ld.u32 %r1, [%rd1]; or.b32 %r2, %r1, 1; st.u32 [%rd1], %r2; st.u32 [%rd2], %r1;",
                           "ld.u32 %r1, [%rd1]; or.b32 %r2, %r1, 1; st.u32 [%rd1], %r2; red.add.u32 [%rd2], %r2;"}) {
    EXPECT_EQ(changes_of(body), "") << body;
  }
}

// if (*p == 0) *p = 1;
TEST(RepeatableChanges, AConstantIsStoredWhereTheOldValueAsksForIt) {
  const std::string before = "ld.u32 %r1, [%rd1]; setp.ne.s32 %p1, %r1, 0; @%p1 bra DONE; ";
  EXPECT_EQ(changes_of(before + "mov.u32 %r2, 1; st.u32 [%rd1], %r2; DONE: ret;"), "0 st.u32 1; 4 st.u32 1; ");
  EXPECT_EQ(changes_of("ld.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0; @%p1 st.u32 [%rd1], 1; ret;"),
            "0 st.u32 1; 2 st.u32 1; ");
  EXPECT_EQ(changes_of("ld.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0; not.pred %p2, %p1; @%p2 bra DONE; bra.uni SET; "
                       "SET: mov.u32 %r2, 1; st.u32 [%rd1], %r2; bra.uni DONE; DONE: ret;"),
            "0 st.u32 1; 6 st.u32 1; ");
  // With another condition, before it and behind it.
  EXPECT_EQ(changes_of("mov.pred %p3, 0; @%p9 bra TEST; ld.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0; mov.pred %p3, "
                       "%p1; TEST: not.pred %p4, %p3; @%p4 bra DONE; st.u32 [%rd1], 1; DONE: ret;"),
            "2 st.u32 1; 7 st.u32 1; ");
  EXPECT_EQ(changes_of(before + "ld.u32 %r3, [%rd2]; setp.lt.s32 %p2, %r3, 5; @%p2 bra DONE; st.u32 [%rd1], 1; DONE: "
                                "ret;"),
            "0 st.u32 1; 6 st.u32 1; ");
}

// The store is one; what was loaded does more than to ask for it.
TEST(RepeatableChanges, WhatElseFollowsFromTheOldValueIsLeftOut) {
  const std::string before = "ld.u32 %r1, [%rd1]; setp.ne.s32 %p1, %r1, 0; @%p1 bra DONE; ";
  EXPECT_EQ(changes_of(before + "st.u32 [%rd1], 1; red.add.u32 [%rd2], 1; DONE: ret;"), "3 st.u32 1; ");
  EXPECT_EQ(changes_of(before + "st.u32 [%rd1], 1; ret; DONE: st.u32 [%rd2], %r5; ret;"), "3 st.u32 1; ");
  EXPECT_EQ(changes_of(before + "st.u32 [%rd1+4], 1; DONE: ret;"), "3 st.u32 1; ");
  EXPECT_EQ(changes_of(before + "st.u32 [%rd1], 1; DONE: st.u32 [%rd2], %r1; ret;"), "3 st.u32 1; ");
  EXPECT_EQ(changes_of(before + "st.u32 [%rd1], 1; DONE: selp.u32 %r3, 1, 2, %p1; st.u32 [%rd2], %r3; ret;"),
            "3 st.u32 1; ");
  // if (*p == 0) { *p = 1; mine = 1; }
  EXPECT_EQ(
      changes_of("mov.u32 %r3, 0; " + before + "mov.u32 %r3, 1; st.u32 [%rd1], 1; DONE: st.u32 [%rd2], %r3; ret;"),
      "5 st.u32 1; ");
  // while (*p == 0); *p = 1;
  EXPECT_EQ(changes_of("LOOP: ld.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0; @%p1 bra LOOP; st.u32 [%rd1], 1; ret;"),
            "3 st.u32 1; ");
}

}  // namespace
}  // namespace ropewalk::ptx
