// Elements that several threads change by a load and a store.
#include <gtest/gtest.h>

#include "lib/machine/machine.h"
#include "tests/lib/diagnose/races_of.h"

namespace ropewalk::diagnose {
namespace {

const Texts updated{"missing-atomic: several threads update one element at k.cu:5 by a load and a store"};

// %r2 is where the shared array begins, %r3 a word of the thread's own there, %r4 its neighbour's.
std::string update_of(const std::string& address) {
  return ".loc 1 5 3\nld.shared.u32 %r8, [" + address + "]; add.u32 %r8, %r8, %r1;\nst.shared.u32 [" + address +
         "], %r8;\n";
}
const std::string cleared = ".loc 1 4 3\nst.shared.u32 [%r3], 0; bar.sync 0;\n";
const std::string read = "bar.sync 0;\n.loc 1 6 3\nld.shared.u32 %r8, [%r3]; st.global.u32 [%rd3], %r8;\n";

TEST(Updates, BinsThatThreadsShareLackAnAtomic) {
  const std::string bin = "and.b32 %r9, %r1, 3; mad.lo.u32 %r9, %r9, 4, %r2;\n";
  EXPECT_EQ(causes_of_body(cleared + bin + update_of("%r9") + read), updated);
  EXPECT_EQ(causes_of_body(cleared + update_of("%r3") + read), Texts());
}

// The last rows of each block are those of the next, and past the end of the tensor: a guard is what lacks.
TEST(Updates, ThreadsThatLeaveTheTensorLackNone) {
  const auto rows = [](const std::string& guard) {
    return "mad.lo.u32 %r9, %r6, 32, %r1;\nmad.wide.u32 %rd5, %r9, 4, %rd1;\n" + guard +
           ".loc 1 5 3\nld.global.u32 %r8, [%rd5+256]; add.u32 %r8, %r8, 1;\nst.global.u32 [%rd5+256], %r8;\nrest:\n";
  };
  EXPECT_EQ(causes_of_body(rows("setp.ge.u32 %p1, %r1, 32; @%p1 bra rest;\n"), 3), Texts());
  EXPECT_EQ(causes_of_body(rows(""), 3).count(*updated.begin()), 1u);
  EXPECT_EQ(causes_of_body(rows("add.u64 %rd5, %rd5, 256;\n"), 3).count(*updated.begin()), 0u);
}

TEST(Updates, OneBesideAtomicsOfOtherBlocksLacksOne) {
  const auto updates = [](const std::string& update) {
    return "or.b32 %r9, %r1, %r6; setp.ne.u32 %p1, %r9, 0; @%p1 bra others;\n.loc 1 5 3\n" + update +
           "bra all;\nothers:\n.loc 1 7 3\nred.global.add.u32 [%rd1], 1;\nall:\n";
  };
  EXPECT_EQ(
      causes_of_body(updates("ld.global.u32 %r8, [%rd1]; add.u32 %r8, %r8, 5;\nst.global.u32 [%rd1], %r8;"), 3),
      Texts{"missing-atomic: what others change by an atomic operation is updated at k.cu:5 by a load and a store"});
  EXPECT_EQ(causes_of_body(updates("red.global.add.u32 [%rd1], 5;"), 3), Texts());
}

// What holds them apart is a lock, which is given back too early here.
TEST(Updates, ThoseThatALockIsForLackNone) {
  const auto adds = [](const std::string& behind) {
    return "setp.ne.u32 %p1, %r1, 0; @%p1 bra locked;\nagain: atom.global.cas.b32 %r9, [%rd1+256], 64, 1;\n"
           "setp.ne.u32 %p2, %r9, 64; @%p2 bra again;\nmembar.gl;\nlocked: bar.sync 0; mad.wide.u32 %rd5, %r1, 4, "
           "%rd1;\n"
           ".loc 1 5 3\nld.global.u32 %r8, [%rd5]; add.u32 %r8, %r8, 1;\nst.global.u32 [%rd5], %r8;\nmembar.gl;\n" +
           behind + "@%p1 bra free;\natom.global.exch.b32 %r9, [%rd1+256], 64;\nfree:\n";
  };
  EXPECT_EQ(causes_of_body(adds("bar.sync 0;\n"), 3), Texts());
  const Texts causes = causes_of_body(adds(""), 3);
  EXPECT_FALSE(causes.empty());
  EXPECT_EQ(causes.count(*updated.begin()), 0u);
}

// Each thread has a word of its own in each of two rounds: what lacks is the barrier between them.
TEST(Updates, RoundsLackABarrier) {
  const auto rounds = [](const std::string& between) {
    return cleared + update_of("%r3") + between + "xor.b32 %r9, %r1, 33; mad.lo.u32 %r9, %r9, 4, %r2;\n" +
           ".loc 1 8 3\nld.shared.u32 %r8, [%r9]; add.u32 %r8, %r8, 1;\nst.shared.u32 [%r9], %r8;\n" + read;
  };
  EXPECT_EQ(causes_of_body(rounds("bar.sync 0;\n")), Texts());
  const Texts causes = causes_of_body(rounds(""));
  ASSERT_FALSE(causes.empty());
  for (const std::string& cause : causes) EXPECT_EQ(cause.find("missing-atomic"), std::string::npos) << cause;
}

// The causes of what is read that nobody wrote, in a kernel whose tensor was not set.
Texts causes_of_unset(const std::string& body) {
  Launch launch = launch_of_body(body);
  launch.tensors[0].init = Uninitialized{};
  std::vector<Finding> findings = machine::make_machine()->run(launch, {}).findings;
  diagnose(findings, launch);
  std::vector<Cause> causes;
  for (const Finding& finding : findings) {
    if (finding.rule == Rule::UninitializedRead) causes.push_back(finding.cause.value_or(Cause()));
  }
  return texts_of(causes);
}

TEST(Updates, WhatIsAddedToIsSetBefore) {
  const Texts unset{"unset-accumulator: k.cu:5 adds to an element of x that nobody has set"};
  const std::string line = ".loc 1 5 3\n";
  EXPECT_EQ(causes_of_unset(line + "red.global.add.u32 [%rd3], 5;\n"), unset);
  EXPECT_EQ(causes_of_unset(line + "ld.global.u32 %r8, [%rd3]; add.u32 %r8, %r8, 5;\nst.global.u32 [%rd3], %r8;\n"),
            unset);
  EXPECT_EQ(causes_of_unset("st.global.u32 [%rd3], 0;\n" + line + "red.global.add.u32 [%rd3], 5;\n"), Texts());
  // What is stored elsewhere was to be read, and what is exchanged is only looked at.
  EXPECT_EQ(causes_of_unset(line + "ld.global.u32 %r8, [%rd4]; st.global.u32 [%rd3], %r8;\n"), Texts{""});
  EXPECT_EQ(causes_of_unset(line + "atom.global.exch.b32 %r8, [%rd3], 5; st.global.u32 [%rd3], %r8;\n"), Texts{""});
}

TEST(Updates, WhatAnotherThreadWasToSetLacksABarrier) {
  const Texts causes = causes_of_body(
      ".loc 1 4 3\nsetp.ne.u32 %p1, %r1, 40; @%p1 bra add;\nst.shared.u32 [%r2], 0;\nadd:\n"
      ".loc 1 5 3\nred.shared.add.u32 [%r2], 5;\nbar.sync 0;\n.loc 1 6 3\nld.shared.u32 %r8, [%r2]; "
      "st.global.u32 [%rd3], %r8;\n");
  EXPECT_EQ(causes, Texts{"missing-barrier: what k.cu:4 writes is changed at k.cu:5 without a barrier between"});
}

}  // namespace
}  // namespace ropewalk::diagnose
