// What the address of a bad access was computed from is said where that is one thing, and right.
#include "lib/machine/index_sources.h"

#include <algorithm>

#include "tests/lib/machine/run_values.h"

namespace ropewalk {
namespace {

// table[8 t] is t, table[8 t + 1] is 0, but for two threads.
constexpr u32 with_slot = 2, with_shift = 3;
constexpr i32 bad_slot = 100000, bad_shift = -7;

// What is said of the one bad address, "" where nothing is. The body has table[8 t] in %r4, table[8 t + 1] in %r5, and
// the start of `out`, which has 128 words, in %rd20.
std::string said_of(const std::string& body) {
  Launch launch = value_launch("  ld.param.u64 %rd20, [out];\n" + body);
  auto words = std::make_shared<Array>(Array::zeros(Dtype::I32, {value_threads * 8}));
  auto* const table = reinterpret_cast<i32*>(words->bytes.data());
  for (u32 thread = 0; thread < value_threads; ++thread) {
    table[8 * thread] = thread == with_slot ? bad_slot : i32(thread);
    table[8 * thread + 1] = thread == with_shift ? bad_shift : 0;
  }
  launch.tensors[1].name = "table";
  launch.tensors[1].init = Given{words, ""};
  RunOptions options;
  options.checks = parse_checks("bounds");
  const Outcome outcome = machine::make_machine()->run(launch, options);
  EXPECT_EQ(outcome.findings.size(), 1u);
  for (const Finding& finding : outcome.findings) {
    for (const std::string& line : finding.evidence) {
      if (line.starts_with("the address is computed from ")) return line.substr(29);
    }
  }
  return "";
}

constexpr const char* store_at_r11 = R"(
  mul.wide.s32 %rd21, %r11, 4;
  add.s64 %rd22, %rd20, %rd21;
  st.global.u32 [%rd22], %r1;
)";

TEST(IndexSources, AreNumbersThatWereLoaded) {
  EXPECT_EQ(said_of(std::string("mov.u32 %r11, %r4;") + store_at_r11), "table[16], which is 100000");
  EXPECT_EQ(said_of(std::string("mad.lo.s32 %r11, %r5, 100, %r1;") + store_at_r11),
            "table[25], which is -7 (4294967289 without a sign)");
  EXPECT_EQ(said_of(std::string("ld.global.s32 %r20, [%rd8+4];\n mad.lo.s32 %r11, %r20, 100, %r1;") + store_at_r11),
            "table[25], which is -7");
  EXPECT_EQ(said_of(std::string("ld.global.u16 %rs5, [%rd8+4];\n cvt.u32.u16 %r11, %rs5;") + store_at_r11),
            "table + 100 (2 bytes), which is 65529");
  EXPECT_EQ(said_of(std::string("add.s32 %r11, %r4, %r5;") + store_at_r11),
            "table[16], which is 100000, and from table[17], which is 0");
  // 64 bits, and an address that goes on from there in a loop.
  EXPECT_EQ(said_of(R"(
  mul.wide.s32 %rd21, %r4, 4;
  add.s64 %rd22, %rd20, %rd21;
  mov.u32 %r12, 0;
again:
  st.global.u32 [%rd22], %r1;
  add.s64 %rd22, %rd22, 4;
  add.u32 %r12, %r12, 1;
  setp.lt.u32 %p1, %r12, 2;
  @%p1 bra again;
)"),
            "table[16], which is 100000");
}

// What a load under a mask leaves where that is false, was put there before it.
TEST(IndexSources, AreNumbersOfLoadsWithADefault) {
  const std::string load = "mov.u32 %r11, 0;\n @%p1 ld.global.u32 %r11, [%rd8];";
  EXPECT_EQ(said_of("setp.lt.u32 %p1, %r1, 64;\n" + load + store_at_r11), "table[16], which is 100000");
  EXPECT_EQ(said_of("mov.u32 %r11, 0;\n ld.global.u32 %r11, [%rd8];" + std::string(store_at_r11)),
            "table[16], which is 100000");
  // The default itself is the bad number.
  EXPECT_EQ(said_of("setp.ne.u32 %p1, %r1, 2;\n mov.u32 %r11, 7000;\n @%p1 ld.global.u32 %r11, [%rd8];" +
                    std::string(store_at_r11)),
            "");
}

TEST(IndexSources, AreKnownWhereThreadsWaitForEachOther) {
  EXPECT_EQ(said_of(std::string("ld.volatile.global.u32 %r20, [%rd8+8];\n and.b32 %r21, %r20, 0;\n"
                                "add.u32 %r11, %r4, %r21;") +
                    store_at_r11),
            "table[16], which is 100000, and from table[18], which is 0");
}

// What is loaded last is not what was kept.
TEST(IndexSources, AreNoneOfWhatMayHaveBeenLoadedBefore) {
  EXPECT_EQ(said_of(std::string(R"(
  mov.u32 %r11, 0;
  mov.u32 %r12, 0;
again:
  ld.global.u32 %r20, [%rd8];
  setp.eq.u32 %p1, %r12, 1;
  @%p1 bra enough;
  mov.u32 %r11, %r20;
  add.u32 %r12, %r12, 1;
  add.s64 %rd8, %rd8, 4;
  bra again;
enough:
)") + store_at_r11),
            "");
}

TEST(IndexSources, AreNoneOfWhatOnlyDecides) {
  EXPECT_EQ(said_of(std::string("setp.gt.s32 %p1, %r4, 1000;\n selp.b32 %r11, 5000, %r1, %p1;") + store_at_r11), "");
  EXPECT_EQ(said_of(std::string("add.s32 %r11, %r1, 100;") + store_at_r11), "");
}

// A 64-bit division takes one of two ways, as its operands are.
TEST(IndexSources, AreTheSameOnEachOfSeveralWays) {
  const std::string first = R"(
  cvt.s64.s32 %rd21, %r4;
  and.b64 %rd23, %rd21, -4294967296;
  setp.eq.s64 %p1, %rd23, 0;
  @%p1 bra narrow;
  div.s64 %rd24, %rd21, 2;
  bra both;
narrow:
  div.u32 %r12, %r4, 2;
  cvt.u64.u32 %rd24, %r12;
both:
)";
  const std::string last = R"(
  shl.b64 %rd25, %rd24, 2;
  add.s64 %rd22, %rd20, %rd25;
  st.global.u32 [%rd22], %r1;
)";
  EXPECT_EQ(said_of(first + last), "table[16], which is 100000");
  // A way that makes it of something else.
  EXPECT_EQ(said_of(R"(
  setp.eq.s32 %p2, %r1, 77;
  mov.u64 %rd24, 5;
  @%p2 bra both;
)" + first + last),
            "");
}

// What a shuffle, an atomic or shared memory adds is not known, and of two only one decides.
TEST(IndexSources, AreNoneWhereSomethingElseHasAPart) {
  for (const char* other : {"shfl.sync.idx.b32 %r20, %r1, 2, 31, 0xffffffff;", "atom.global.add.u32 %r20, [%rd8+8], 0;",
                            "max.s32 %r20, %r5, 0;"}) {
    EXPECT_EQ(said_of(std::string(other) + "\n add.u32 %r11, %r4, %r20;" + store_at_r11), "") << other;
  }
  EXPECT_EQ(said_of(std::string("add.u32 %r20, %r1, 0;\n add.u32 %r11, %r4, %r20;") + store_at_r11),
            "table[16], which is 100000");
}

// Which of two loads it was, and which lane's, is not known.
TEST(IndexSources, AreNoneWhereThereAreSeveralWays) {
  EXPECT_EQ(said_of(std::string(R"(
  setp.gt.s32 %p1, %r4, 1000;
  mov.u32 %r11, %r5;
  @%p1 mov.u32 %r11, %r4;
)") + store_at_r11),
            "");
  EXPECT_EQ(
      said_of(std::string("shfl.sync.idx.b32 %r11, %r4, 2, 31, 0xffffffff;\n add.s32 %r11, %r11, %r1;") + store_at_r11),
      "");
}

}  // namespace
}  // namespace ropewalk
