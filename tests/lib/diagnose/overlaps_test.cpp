// Stores of two threads to one element of shared memory: what is wrong is the index, not a barrier.
#include <gtest/gtest.h>

#include <map>

#include "tests/lib/diagnose/races_of.h"

namespace ropewalk::diagnose {
namespace {

// How many races have which cause, in a kernel whose body has the thread's number in %r1, its slice of an array of
// shared memory, `stride` bytes for each of two warps, at %r3, and a value of the thread's own in %r7.
std::map<std::string, u32> causes_of(const std::string& body, u32 stride) {
  const std::string head =
      ".version 8.8\n.target sm_80\n.address_size 64\n.file 1 \"k.cu\"\n.visible .entry k(.param .u64 out) {\n"
      ".reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<4>; .shared .align 4 .b8 s[512];\n"
      "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
      "shr.u32 %r4, %r1, 5; and.b32 %r5, %r1, 31; mul.lo.u32 %r3, %r4, ";
  const std::string slice =
      "; mad.lo.u32 %r3, %r5, 4, %r3; mov.u32 %r2, s; add.u32 %r3, %r3, %r2; add.u32 %r7, %r1, 100; mov.u32 %r9, 0;\n";
  LaunchTensor out{.name = "out", .dtype = Dtype::U32, .shape = {64}, .strides = {1}};
  out.init = Fill{};
  std::map<std::string, u32> causes;
  const std::string text = head + std::to_string(stride) + slice + body + "st.global.u32 [%rd3], %r8; ret; }\n";
  for (const Cause& cause : causes_of_races_of(launch_of(text, {out}))) ++causes[cause.id];
  return causes;
}

using Causes = std::map<std::string, u32>;

// Rows of 64 elements, two a thread, that are loaded, turned and read again.
constexpr const char* turns_pairs =
    ".loc 1 2 1\nst.shared.u32 [%r3], %r7; st.shared.u32 [%r3+128], %r7;\n"
    ".loc 1 3 1\nbar.sync 0;\n"
    ".loc 1 4 1\nld.shared.u32 %r8, [%r3]; ld.shared.u32 %r9, [%r3+128];\n"
    ".loc 1 5 1\nst.shared.u32 [%r3], %r9;\n.loc 1 6 1\nst.shared.u32 [%r3+128], %r8;\n"
    ".loc 1 7 1\nbar.sync 0;\n.loc 1 8 1\nld.shared.u32 %r8, [%r3];\n";

TEST(Overlaps, SlicesOfWarpsThatAreTooCloseAreNamedForAllTheirRaces) {
  EXPECT_EQ(causes_of(turns_pairs, 256), Causes());
  const Causes causes = causes_of(turns_pairs, 192);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes.begin()->first, "overlapping-stores");
  EXPECT_GE(causes.begin()->second, 2u);
}

TEST(Overlaps, AStoreThatOneThreadWasToMakeIsNamed) {
  const std::string reads = ".loc 1 3 1\nbar.sync 0;\n.loc 1 4 1\nld.shared.u32 %r8, [s];\n";
  EXPECT_EQ(causes_of(".loc 1 2 1\nst.shared.u32 [s], %r7;\n" + reads, 128), (Causes{{"overlapping-stores", 1}}));
  EXPECT_EQ(causes_of("setp.eq.u32 %p1, %r1, 0;\n.loc 1 2 1\n@%p1 st.shared.u32 [s], %r7;\n" + reads, 128), Causes());
}

// Each round another warp stores to the elements: what lacks is the barrier between the rounds.
TEST(Overlaps, StoresOfTwoRoundsOfALoopAreNone) {
  const auto loop = [](const std::string& end) {
    return "again:\nxor.b32 %r6, %r9, %r4; and.b32 %r6, %r6, 1; mad.lo.u32 %r6, %r6, 128, %r2; mad.lo.u32 %r6, %r5, 4, "
           "%r6;\n.loc 1 2 1\nst.shared.u32 [%r6], %r7;\n" +
           end +
           "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 4; @%p1 bra again;\nbar.sync 0; ld.shared.u32 %r8, [%r3];\n";
  };
  EXPECT_EQ(causes_of(loop("bar.sync 0;\n"), 128), Causes());
  const Causes causes = causes_of(loop(""), 128);
  EXPECT_FALSE(causes.empty());
  EXPECT_FALSE(causes.contains("overlapping-stores"));
}

// A barrier that is missing elsewhere in the array keeps its own cause.
TEST(Overlaps, OtherBytesHaveACauseOfTheirOwn) {
  const std::string body =
      ".loc 1 2 1\nst.shared.u32 [s+508], %r7;\n.loc 1 3 1\nst.shared.u32 [%r3], %r7;\n"
      ".loc 1 4 1\nxor.b32 %r6, %r1, 32; mad.lo.u32 %r6, %r6, 4, %r2; ld.shared.u32 %r8, [%r6];\n"
      ".loc 1 5 1\nbar.sync 0; ld.shared.u32 %r10, [s+508]; add.u32 %r8, %r8, %r10;\n";
  EXPECT_EQ(causes_of(body, 128), (Causes{{"missing-barrier", 1}, {"overlapping-stores", 1}}));
}

}  // namespace
}  // namespace ropewalk::diagnose
