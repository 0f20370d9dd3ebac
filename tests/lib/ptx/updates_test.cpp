// Which stores put back what was loaded from the same address.
#include "lib/ptx/updates.h"

#include "tests/lib/ptx/ptx_text.h"

namespace ropewalk::ptx {
namespace {

// The distance from the load to the store that ends a body; 0: it puts nothing back.
u32 steps_of_update(const std::string& body) {
  const Module module = read_entry(body);
  const Function& function = module.functions[0];
  const u32 store = u32(function.instructions.size()) - 1;
  const std::optional<u32> load = load_of_update(module, function, flow_of(module, function), store);
  return load ? store - *load : 0;
}

TEST(Updates, AStoreOfWhatWasAddedToIsOne) {
  EXPECT_EQ(steps_of_update("ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; st.global.u32 [%rd1], %r2;"), 2u);
  EXPECT_EQ(steps_of_update("ld.volatile.u32 %r1, [%rd1+8]; rem.u32 %r1, %r1, 7; st.volatile.u32 [%rd1+8], %r1;"), 2u);
  EXPECT_EQ(steps_of_update("@%p1 ld.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; @%p1 st.u32 [%rd1], %r2;"), 2u);
  EXPECT_EQ(steps_of_update("ld.global.f32 %f1, [%rd1]; fma.rn.f32 %f2, %f3, %f4, %f1; st.global.f32 [%rd1], %f2;"),
            2u);
  EXPECT_EQ(steps_of_update("@%p1 ld.global.v2.b32 {%r1, %r2}, [%rd1+0]; add.f32 %r3, %r2, %r5; @%p1 st.global.v2.b32 "
                            "[%rd1+0], {%r4, %r3};"),
            2u);
}

TEST(Updates, AStoreElsewhereOrOfSomethingElseIsNone) {
  for (const char* body : {"ld.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; st.u32 [%rd1+4], %r2;",
                           "ld.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; st.u32 [%rd2], %r2;",
                           "ld.u32 %r1, [%rd1]; add.u64 %rd1, %rd1, 4; st.u32 [%rd1], %r1;",
                           "ld.u32 %r1, [%rd1]; add.u32 %r2, %r3, 1; st.u32 [%rd1], %r2;",
                           "ld.shared.u32 %r1, [%rd1]; st.global.u32 [%rd1], %r1;",
                           "ld.u16 %rs1, [%rd1]; cvt.u32.u16 %r1, %rs1; st.u32 [%rd1], %r1;",
                           "ld.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; @%p1 st.u32 [%rd1], %r2;"}) {
    EXPECT_EQ(steps_of_update(body), 0u) << body;
  }
}

// A thread turns or scales what is its own, and one that has looked at what it loaded may know that it is.
TEST(Updates, ProductsAndWhatABranchLookedAtAreNone) {
  for (const char* body :
       {"ld.f32 %f1, [%rd1]; mul.f32 %f2, %f1, %f3; st.f32 [%rd1], %f2;",
        "ld.f32 %f1, [%rd1]; fma.rn.f32 %f2, %f1, %f3, %f4; st.f32 [%rd1], %f2;",
        "ld.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra NEXT; NEXT: add.u32 %r2, %r1, 1; st.u32 [%rd1], %r2;"}) {
    EXPECT_EQ(steps_of_update(body), 0u) << body;
  }
}

// The numbers of the instructions that may lose an update, of the stores of a body.
std::string parts_of(const std::string& body) {
  const Module module = read_entry(body);
  const Function& function = module.functions[0];
  std::vector<u32> stores;
  for (u32 n = 0; n < function.instructions.size(); ++n) {
    if (module.opcode(function.instructions[n]).stem == "st") stores.push_back(n);
  }
  std::string text;
  for (const u32 n : parts_of_updates(module, function, flow_of(module, function), stores))
    text += std::to_string(n) + " ";
  return text;
}

TEST(Updates, ALoadIsAPartUnlessABranchHasLookedAtIt) {
  EXPECT_EQ(parts_of("ld.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; st.u32 [%rd1], %r2;"), "0 2 ");
  EXPECT_EQ(parts_of("ld.u32 %r1, [%rd1]; setp.gt.s32 %p1, %r1, 9; @%p1 bra DONE; add.u32 %r2, %r1, 1; st.u32 [%rd1], "
                     "%r2; DONE: ret;"),
            "4 ");
  // A loop whose first load stands before it.
  EXPECT_EQ(parts_of("ld.u32 %r1, [%rd1]; mov.u32 %r3, %r1; LOOP: add.u32 %r2, %r3, 1; st.u32 [%rd1], %r2; ld.u32 "
                     "%r4, [%rd1]; mov.u32 %r3, %r4; setp.lt.s32 %p1, %r4, 9; @%p1 bra LOOP; ret;"),
            "3 ");
}

TEST(Updates, WhatIsNotLoadedOnAllWaysIsNone) {
  for (const char* body :
       {"mov.u32 %r3, 0; @%p2 bra SET; ld.u32 %r3, [%rd1]; SET: add.u32 %r2, %r3, 1; st.u32 [%rd1], %r2;",
        "ld.u32 %r1, [%rd1]; @%p1 bra DONE; add.u32 %r2, %r1, 1; st.u32 [%rd1+4], %r2; DONE: ret;",
        "ld.u32 %r1, [%rd1]; @%p1 bra DONE; add.u64 %rd1, %rd1, 4; add.u64 %rd1, %rd1, 4; st.u32 [%rd1], %r1; DONE: "
        "ret;",
        "ld.u32 %r1, [%rd1]; @%p1 bra DONE; or.b32 %r2, %r1, 1; st.u32 [%rd1], %r2; DONE: ret;"}) {
    EXPECT_EQ(parts_of(body), "") << body;
  }
}

}  // namespace
}  // namespace ropewalk::ptx
