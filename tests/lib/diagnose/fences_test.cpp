// Signals that order nothing: what a fence or a scope lacks is named, with what would do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/lib/diagnose/races_of.h"

namespace ropewalk::diagnose {
namespace {

// Of a kernel on x, which has so many zeros, in blocks of one thread. The body begins in line 6 of the PTX; of_kernel:
// what the kernel says of itself.
std::vector<Cause> causes_of(const std::string& body, i64 words, u32 blocks, const std::string& of_kernel = "",
                             const std::string& file = "k.cu") {
  const std::string ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x) )" +
                          of_kernel + R"( {
.reg .b32 %r<10>; .reg .b64 %rd<4>; .reg .pred %p<4>;
)" + body + R"(ret;
}
.file 1 ")" + file + "\"\n";
  return causes_of_races_of(launch_of(
      ptx, {{.name = "x", .dtype = Dtype::I32, .shape = {words}, .strides = {1}, .init = Fill{0}, .output = true}},
      blocks, 1));
}

struct Message {
  std::string before_signal, signal = "st.volatile.global.u32 [%rd1+4], 1;",
                             look = "ld.volatile.global.u32 %r2, [%rd1+4];", after_signal;
  std::string file = "k.cu";
};

// The first block writes x[2] and signals at x[1]; the second waits for that, and reads x[2].
std::vector<Cause> causes_of(const Message& message) {
  return causes_of(fmt::format(R"(ld.param.u64 %rd1, [x]; mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra wait;
st.global.u32 [%rd1+8], 7;
{}
{}
ret;
wait:
{}
setp.eq.u32 %p2, %r2, 0; @%p2 bra wait;
{}
ld.global.u32 %r3, [%rd1+8]; st.global.u32 [%rd1], %r3;
)",
                               message.before_signal, message.signal, message.look, message.after_signal),
                   3, 2, "", message.file);
}

// The only race's cause.
Cause cause_of(const Message& message) {
  const std::vector<Cause> causes = causes_of(message);
  EXPECT_EQ(causes.size(), 1u);
  return causes.empty() ? Cause() : causes[0];
}

TEST(Fences, NothingIsMissingWhereBothSidesHaveOne) {
  EXPECT_TRUE(causes_of({.before_signal = "membar.gl;", .after_signal = "membar.gl;"}).empty());
  EXPECT_TRUE(causes_of({.signal = "st.release.gpu.global.u32 [%rd1+4], 1;",
                         .look = "ld.acquire.gpu.global.u32 %r2, [%rd1+4];"})
                  .empty());
}

TEST(Fences, OneThatIsMissingIsNamed) {
  const Cause release = cause_of({.after_signal = "membar.gl;"});
  EXPECT_EQ(release.id, "missing-fence");
  EXPECT_EQ(
      release.text,
      "what PTX line 7 writes is read at PTX line 15, and nothing orders that: PTX line 9 signals without a release");
  EXPECT_EQ(release.evidence, std::vector<std::string>{
                                  "with st.volatile.global.u32 [%rd1+4], 1 (PTX line 9) taken for a release, nothing "
                                  "races there in any schedule that was tried"});
  EXPECT_EQ(release.advice, "put __threadfence() before PTX line 9, or use cuda::atomic_ref with memory_order_release");
  const Cause acquire = cause_of({.before_signal = "membar.gl;"});
  EXPECT_EQ(acquire.id, "missing-fence");
  EXPECT_TRUE(acquire.text.ends_with(": PTX line 12 looks for the signal without an acquire")) << acquire.text;
  EXPECT_EQ(acquire.advice, "put __threadfence() after PTX line 12, or use cuda::atomic_ref with memory_order_acquire");
}

// Triton has no fences, and memory orders by other names.
TEST(Fences, AdviceForTritonIsTritons) {
  const Message message{.before_signal = ".loc 1 3 1",
                        .look = ".loc 1 4 1\nld.volatile.global.u32 %r2, [%rd1+4];",
                        .after_signal = ".loc 1 5 1",
                        .file = "k.py"};
  EXPECT_EQ(cause_of(message).advice, "give k.py:3 sem=\"release\", and give k.py:4 sem=\"acquire\"");
}

TEST(Fences, BothThatAreMissingAreNamed) {
  const Cause both = cause_of({});
  EXPECT_EQ(both.id, "missing-fence");
  EXPECT_TRUE(both.text.ends_with(
      ": PTX line 9 signals without a release, and PTX line 12 looks for the signal without an acquire"))
      << both.text;
  EXPECT_EQ(both.advice,
            "put __threadfence() before PTX line 9, and put __threadfence() after PTX line 12, or use cuda::atomic_ref "
            "with memory_order_release and memory_order_acquire");
}

TEST(Fences, AScopeThatIsTooNarrowIsNamed) {
  const Cause fence = cause_of({.before_signal = "membar.cta;", .after_signal = "membar.gl;"});
  EXPECT_EQ(fence.id, "scope-too-narrow");
  EXPECT_TRUE(fence.text.ends_with(": PTX line 8 has block scope, but the threads are in different blocks"))
      << fence.text;
  EXPECT_EQ(fence.advice, "give PTX line 8 the scope of the device (no _block; .gpu in PTX)");
}

TEST(Fences, AClusterIsAsLargeAsTheKernelSays) {
  const std::string body = R"(ld.param.u64 %rd1, [x]; mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra wait;
st.global.u32 [%rd1+8], 7;
st.release.cluster.global.u32 [%rd1+4], 1;
ret;
wait:
ld.acquire.cluster.global.u32 %r2, [%rd1+4];
setp.eq.u32 %p2, %r2, 0; @%p2 bra wait;
ld.global.u32 %r3, [%rd1+8]; st.global.u32 [%rd1], %r3;
)";
  EXPECT_TRUE(causes_of(body, 3, 2, ".explicitcluster .reqnctapercluster 2, 1, 1").empty());
  const std::vector<Cause> of_two = causes_of(body, 3, 2);
  EXPECT_FALSE(of_two.empty());
  for (const Cause& cause : of_two) EXPECT_EQ(cause.id, "scope-too-narrow");
}

// The block that comes last adds up what all have stored; copies of a line are one.
TEST(Fences, CopiesOfALineAreOne) {
  const auto causes = [](const std::string& fence, const std::string& order) {
    const std::string add = ".loc 1 7 3\natom" + order + ".global.gpu.add.u32 %r2, [%rd1], 1;\n";
    return causes_of(R"(ld.param.u64 %rd1, [x]; mov.u32 %r1, %ctaid.x; mad.wide.u32 %rd2, %r1, 4, %rd1;
.loc 1 5 3
st.global.u32 [%rd2+4], %r1;
)" + fence + R"(
setp.lt.u32 %p1, %r1, 2; @%p1 bra other;
)" + add + R"(bra all;
other:
)" + add + R"(all:
setp.ne.u32 %p2, %r2, 3; @%p2 bra done;
)" + fence + R"(
.loc 1 9 3
ld.global.u32 %r3, [%rd1+4]; ld.global.u32 %r4, [%rd1+8]; ld.global.u32 %r5, [%rd1+12]; ld.global.u32 %r6, [%rd1+16];
add.u32 %r3, %r3, %r4; add.u32 %r5, %r5, %r6; add.u32 %r3, %r3, %r5; st.global.u32 [%rd1+20], %r3;
done:
)",
                     6, 4);
  };
  EXPECT_TRUE(causes("membar.gl;", "").empty());
  EXPECT_TRUE(causes("", ".acq_rel").empty());
  const std::vector<Cause> missing = causes("", "");
  ASSERT_FALSE(missing.empty());
  for (const Cause& cause : missing) {
    EXPECT_EQ(cause.text,
              "what k.cu:5 writes is read at k.cu:9, and nothing orders that: k.cu:7 signals without a release");
  }
}

// The block that comes last adds one to what the first stored. Its other warps load that too, and do nothing with it:
// that they race with the store of the sum does not matter, whatever the signal is.
TEST(Fences, ARaceThatDoesNotMatterIsNoneInATrialEither) {
  const auto causes = [](const std::string& order, const std::string& use) {
    const std::string ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x) {
.reg .b32 %r<10>; .reg .b64 %rd<4>; .reg .pred %p<4>; .shared .align 4 .b8 ticket[4];
ld.param.u64 %rd1, [x]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0; @%p1 bra all;
mad.wide.u32 %rd2, %r1, 4, %rd1;
st.global.u32 [%rd2+4], 7;
atom)" + order + R"(.gpu.global.add.u32 %r3, [%rd1], 1;
st.shared.u32 [ticket], %r3;
all:
bar.sync 0;
ld.shared.u32 %r3, [ticket]; setp.ne.u32 %p2, %r3, 2; @%p2 bra done;
ld.global.u32 %r4, [%rd1+4]; add.u32 %r4, %r4, 1;
@!%p1 st.global.u32 [%rd1+4], %r4;
)" + use + R"(
done:
ret;
})";
    return causes_of_races_of(launch_of(
        ptx, {{.name = "x", .dtype = Dtype::I32, .shape = {70}, .strides = {1}, .init = Fill{0}, .output = true}}, 3,
        64));
  };
  EXPECT_TRUE(causes(".acq_rel", "").empty());
  const std::vector<Cause> missing = causes(".relaxed", "");
  ASSERT_FALSE(missing.empty());
  for (const Cause& cause : missing) EXPECT_EQ(cause.id, "missing-fence");
  // Where it is stored, it matters, and no fence ends that.
  const std::string use = "mad.wide.u32 %rd3, %r2, 4, %rd1; st.global.u32 [%rd3+20], %r4;";
  const std::vector<Cause> of_use = causes(".relaxed", use);
  EXPECT_TRUE(std::ranges::any_of(of_use, [](const Cause& cause) { return cause.id.empty(); }));
}

// From block to block to block: each race has the signal between its own two.
TEST(Fences, OnlyTheSignalBetweenIsNamed) {
  const std::string body = R"(ld.param.u64 %rd1, [x]; mov.u32 %r1, %ctaid.x;
setp.eq.u32 %p1, %r1, 1; @%p1 bra second; setp.eq.u32 %p1, %r1, 2; @%p1 bra third;
.loc 1 1 3
st.global.u32 [%rd1+8], 7;
.loc 1 2 3
st.volatile.global.u32 [%rd1], 1;
ret;
second:
.loc 1 3 3
ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra second;
.loc 1 4 3
ld.global.u32 %r3, [%rd1+8]; st.global.u32 [%rd1+12], %r3;
.loc 1 5 3
st.volatile.global.u32 [%rd1+4], 1;
ret;
third:
.loc 1 6 3
ld.volatile.global.u32 %r2, [%rd1+4]; setp.eq.u32 %p2, %r2, 0; @%p2 bra third;
.loc 1 7 3
ld.global.u32 %r3, [%rd1+12]; st.global.u32 [%rd1+16], %r3;
)";
  std::vector<std::string> texts;
  for (const Cause& cause : causes_of(body, 5, 3)) texts.push_back(cause.text);
  EXPECT_EQ(texts, (std::vector<std::string>{
                       "what k.cu:1 writes is read at k.cu:4, and nothing orders that: k.cu:2 signals without a "
                       "release, and k.cu:3 looks for the signal without an acquire",
                       "what k.cu:4 writes is read at k.cu:7, and nothing orders that: k.cu:5 signals without a "
                       "release, and k.cu:6 looks for the signal without an acquire"}));
}

// Both threads look at a counter that orders nothing; whoever came first, came first by chance.
TEST(Fences, AnOrderByChanceIsNone) {
  const std::string body = R"(ld.param.u64 %rd1, [x]; mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra other;
st.global.u32 [%rd1+8], 7;
atom.global.add.u32 %r2, [%rd1+4], 1; st.global.u32 [%rd1+12], %r2;
ret;
other:
atom.global.add.u32 %r2, [%rd1+4], 1; st.global.u32 [%rd1+16], %r2;
ld.global.u32 %r3, [%rd1+8]; st.global.u32 [%rd1], %r3;
)";
  const std::vector<Cause> causes = causes_of(body, 5, 2);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].id, "");
}

}  // namespace
}  // namespace ropewalk::diagnose
