// What is no PTX is refused with its line before anything runs; what is PTX that the machine does not know is not run.
#include <gtest/gtest.h>

#include "lib/base/error.h"
#include "lib/ptx/instruction_table.h"
#include "lib/ptx/read.h"
#include "tests/lib/machine/run_integers.h"

namespace ropewalk {
namespace {

Outcome outcome_of(const std::string& line, const std::string& version = "9.0", const std::string& target = "sm_90",
                   const std::string& directive = "") {
  const std::string text = ".version " + version + "\n.target " + target + R"(
.address_size 64
.global .align 16 .b8 table[64];
.visible .entry tried(.param .u64 out, .param .u32 number))" +
                           directive + R"(
{
  .reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b64 %rd<20>; .reg .f64 %fd<9>; .reg .u32 %u<9>;
  .shared .align 16 .b8 tile[64];
  mov.u32 %r1, 0;
here:
  )" + line + R"(
  ld.param.u64 %rd1, [out];
  st.global.u32 [%rd1], %r1;
  ret;
}
)";
  Launch launch = integer_launch("unknown.ptx", "tried", 1, 1, 1);
  launch.module = std::make_shared<ptx::Module>(ptx::read(text, "tried.ptx"));
  return machine::make_machine()->run(launch, {});
}

// The message of what is refused, without its location; "" where it runs.
std::string refusal_of(const std::string& line, const std::string& version = "9.0",
                       const std::string& target = "sm_90") {
  try {
    outcome_of(line, version, target);
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("tried.ptx:11:")) << message;
    return message.substr(message.find(": ") + 2);
  }
  return "";
}

TEST(Refused, TypesAndModifiersThatThereAreNot) {
  EXPECT_EQ(refusal_of("ld.global.u1e308 %r2, [%rd1];"), "\"u1e308\" is no modifier of the instruction ld");
  EXPECT_EQ(refusal_of("foo.u32 %r2, %r1;"), "PTX has no instruction \"foo\"");
  EXPECT_EQ(refusal_of("add.b32 %r2, %r1, %r1;"), "\"b32\" is no type of the instruction add");
  EXPECT_EQ(refusal_of("ld.global %r2, [%rd1];"),
            "ld.global lacks a type, expected one of b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64");
  EXPECT_EQ(refusal_of("add.u32.u32.u32 %r2, %r1, %r1;").substr(0, 34), "add.u32.u32.u32 has too many types");
  EXPECT_EQ(refusal_of("mul.u32 %r2, %r1, %r1;"), "mul.u32 lacks .lo, .hi or .wide");
  EXPECT_EQ(refusal_of("fma.f32 %f2, %f1, %f1, %f1;"), "fma.f32 lacks a rounding such as .rn");
  EXPECT_EQ(refusal_of("add.sat.u32 %r2, %r1, %r1;"),
            "add.sat.u32 is no instruction: add has no such combination of modifiers and type");
  EXPECT_NE(refusal_of("add.cc.f32 %f2, %f1, %f1;"), "");
  EXPECT_NE(refusal_of("atom.global.add.s64 %rd2, [%rd1], %rd3;"), "");
  EXPECT_NE(refusal_of("ld.shared.global.u32 %r2, [%rd1];"), "");
}

// As ptxas has it.
TEST(Refused, ConversionsWithoutTheirRoundingOrWithOneTooMany) {
  EXPECT_EQ(refusal_of("cvt.u32.f32 %r2, %f1;"), "cvt.u32.f32 lacks a rounding such as .rzi");
  EXPECT_EQ(refusal_of("cvt.f32.s32 %f2, %r1;"), "cvt.f32.s32 lacks a rounding such as .rn");
  EXPECT_EQ(refusal_of("cvt.rn.f32.f32 %f2, %f1;"),
            "cvt.rn.f32.f32 has a rounding where nothing is rounded to a shorter float");
  EXPECT_EQ(refusal_of("cvt.rni.f32.s32 %f2, %r1;"), "cvt.rni.f32.s32 lacks a rounding such as .rn");
  EXPECT_EQ(refusal_of("cvt.rzi.u64.u32 %rd2, %r1;"),
            "cvt.rzi.u64.u32 has a rounding to an integer where none is made of a float");
  for (const char* right : {"cvt.rzi.u32.f32 %r2, %f1;", "cvt.rn.f32.s32 %f2, %r1;", "cvt.rni.f32.f32 %f2, %f1;",
                            "cvt.sat.f32.f32 %f2, %f1;", "cvt.u64.u32 %rd2, %r1;"})
    EXPECT_EQ(refusal_of(right), "") << right;
}

TEST(Refused, ConstantsOfAnotherSize) {
  EXPECT_EQ(refusal_of("mov.b32 %r2, 1.5;"), "operand 2 of mov.b32 is not a register or constant of type b32");
  EXPECT_NE(refusal_of("xor.b32 %r2, %r1, 1.5;"), "");
  EXPECT_NE(refusal_of("st.global.b32 [%rd1], 1.5;"), "");
  for (const char* right : {"mov.b32 %r2, 0f3FC00000;", "mov.f32 %f2, 1.5;", "mov.b64 %rd2, 1.5;",
                            "and.b32 %r2, %r1, 0f3FC00000;", "st.global.b32 [%rd1], 0f3FC00000;"})
    EXPECT_EQ(refusal_of(right), "") << right;
}

TEST(Refused, ConstantAddressesOutsideOfLocalMemory) {
  EXPECT_EQ(refusal_of("ld.global.u32 %r2, [0];"),
            "operand 2 of ld.global.u32 is not an address with a register or a variable: only .local memory has "
            "constant ones");
  EXPECT_NE(refusal_of("st.shared.u32 [16], %r1;"), "");
  EXPECT_NE(refusal_of("ld.u32 %r2, [4096];"), "");
  EXPECT_NE(refusal_of("red.global.add.u32 [0], 1;"), "");
  for (const char* const wrong :
       {"mbarrier.init.shared.b64 [16], 1;", "mbarrier.test_wait.shared.b64 %p1, [16], %rd2;",
        "cp.async.mbarrier.arrive.shared.b64 [16];", "cp.async.ca.shared.global [%r1], [16], 4;",
        "cp.async.bulk.prefetch.L2.global [16], 16;", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [16];",
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [16], {%r1};", "prefetch.global.L1 [16];", "prefetchu.L1 [16];",
        "applypriority.global.L2::evict_normal [16], 128;", "discard.global.L2 [128], 128;"})
    EXPECT_NE(refusal_of(wrong).find("only .local memory has constant ones"), std::string::npos) << wrong;
  for (const char* const right : {"ld.local.u32 %r2, [0];", "prefetch.local.L1 [16];"})
    EXPECT_EQ(refusal_of(right), "") << right;
}

TEST(Refused, BarriersThatThereAreNot) {
  EXPECT_EQ(refusal_of("bar.sync 16;"), "there is no barrier 16, expected 0 to 15");
  EXPECT_EQ(refusal_of("bar.sync 0, 33;"), "33 threads are no whole warps, expected a multiple of 32");
  EXPECT_NE(refusal_of("bar.arrive 1, 48;"), "");
  EXPECT_NE(refusal_of("bar.red.popc.u32 %r2, 17, %p1;"), "");
  EXPECT_NE(refusal_of("bar.red.popc.u32 %r2, 1, 31, %p1;"), "");
  for (const char* right : {"bar.sync 15;", "bar.sync 1, 64;", "bar.red.popc.u32 %r2, 1, %p1;", "bar.warp.sync 33;"})
    EXPECT_EQ(refusal_of(right), "") << right;
}

TEST(Refused, ShufflesWithoutSyncSinceTheyAreGone) {
  const char* const shuffle = "shfl.idx.b32 %r2, %r1, 0, 31;";
  EXPECT_EQ(refusal_of(shuffle), "shfl.idx.b32 without .sync does not exist on sm_70 and newer since PTX 6.4");
  EXPECT_NE(refusal_of("vote.all.pred %p2, %p1;"), "");
  EXPECT_EQ(refusal_of(shuffle, "6.3", "sm_70"), "");
  EXPECT_EQ(refusal_of(shuffle, "8.0", "sm_60"), "");
}

TEST(Refused, AChoiceThatIsNotMadeOrIsMadeTwice) {
  EXPECT_EQ(refusal_of("shfl.sync.b32 %r2, %r1, 1, 31, -1;"),
            "shfl.sync.b32 names none of up down bfly idx, expected one");
  EXPECT_EQ(refusal_of("shfl.sync.up.down.b32 %r2, %r1, 1, 31, -1;"),
            "shfl.sync.up.down.b32 names several of up down bfly idx, expected one");
  EXPECT_EQ(refusal_of("bar.red.popc.and.u32 %r2, 0, %p1;"),
            "bar.red.popc.and.u32 names several of popc and or, expected one");
  EXPECT_EQ(refusal_of("bar.sync.popc 0;"), "bar.sync.popc has an operation, which .red alone has");
  for (const char* line :
       {"vote.sync.b32 %r2, %p1, -1;", "vote.sync.all.any.pred %p1, %p1, -1;", "vote.sync.ballot.pred %p1, %p1, -1;",
        "vote.sync.all.b32 %r2, %p1, -1;", "match.sync.b32 %r2, %r1, -1;", "match.any.all.sync.b32 %r2, %r1, -1;",
        "redux.sync.add.min.u32 %r2, %r1, -1;", "atom.global.add.min.u32 %r2, [%rd1], %r1;",
        "atom.global.u32 %r2, [%rd1], %r1;", "red.global.and.xor.b32 [%rd1], %r1;", "barrier.sync.arrive 0, 32;",
        "bar.red.u32 %r2, 0, %p1;", "bar.red.popc.pred %p1, 0, %p1;", "redux.sync.add.f32 %f2, %f1, -1;",
        "redux.sync.and.f32 %f2, %f1, -1;", "redux.sync.max.abs.s32 %r2, %r1, -1;"}) {
    EXPECT_NE(refusal_of(line), "") << line;
  }
  for (const char* line : {"shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;", "vote.sync.uni.pred %p1, %p1, -1;",
                           "vote.sync.ballot.b32 %r2, %p1, -1;", "match.all.sync.b32 %r2|%p1, %r1, -1;",
                           "redux.sync.max.s32 %r2, %r1, -1;", "redux.sync.min.abs.NaN.f32 %f2, %f1, -1;",
                           "bar.red.popc.u32 %r2, 0, %p1;", "bar.red.or.pred %p1, 0, %p1;",
                           "barrier.cta.red.and.aligned.pred %p1, 0, %p1;", "barrier.sync 0;", "bar.warp.sync -1;"}) {
    EXPECT_EQ(refusal_of(line), "");
  }
}

// PTX of the first GPUs, as ptxas takes it for those of today.
TEST(Refused, ARoundingOfMadIsNotOfTheFirstTargets) {
  EXPECT_NE(outcome_of("mad.f32 %f2, %f1, %f1, %f1;", "1.4", "sm_10, map_f64_to_f32").kind, OutcomeKind::NotRun);
  EXPECT_EQ(refusal_of("mad.f32 %f2, %f1, %f1, %f1;"), "mad.f32 lacks a rounding such as .rn");
}

TEST(Refused, OperandsThatDoNotFit) {
  EXPECT_EQ(refusal_of("add.u32 %r2, %r1;"), "add.u32 has 2 operands, expected 3");
  EXPECT_EQ(refusal_of("add.u32 %r2, %r1, %r1, %r1;"), "add.u32 has 4 operands, expected 3");
  EXPECT_EQ(refusal_of("add.u32 %rd2, %r1, %r1;"), "operand 1 of add.u32 is not a register of type u32");
  EXPECT_EQ(refusal_of("add.u32 %r2, %f1, 1;"), "operand 2 of add.u32 is not a register or constant of type u32");
  EXPECT_EQ(refusal_of("add.f32 %f2, %f1, 1;"), "operand 3 of add.f32 is not a register or constant of type f32");
  EXPECT_EQ(refusal_of("add.f32 %f2, %f1, %u1;"), "operand 3 of add.f32 is not a register or constant of type f32");
  EXPECT_EQ(refusal_of("mov.u32 %r2, %tidx;"), "\"%tidx\" is no register here and no special register");
  EXPECT_EQ(refusal_of("add.u32 %r2, %r1, tile;"), "operand 3 of add.u32 is not a register or constant of type u32");
  EXPECT_EQ(refusal_of("add.u32 5, %r1, %r1;"), "operand 1 of add.u32 is not a register of type u32");
  EXPECT_EQ(refusal_of("selp.b32 %r2, %r1, %r1, %r1;"), "operand 4 of selp.b32 is not a predicate");
  EXPECT_EQ(refusal_of("setp.lt.s32 %r2, %r1, %r1;"),
            "operand 1 of setp.lt.s32 is not a predicate, or two with '|' between them");
  EXPECT_EQ(refusal_of("@%r1 add.u32 %r2, %r1, %r1;"), "the predicate %r1 is no register of type .pred");
  EXPECT_EQ(refusal_of("ld.global.v4.u32 {%r1, %r2, %r3}, [%rd1];"),
            "operand 1 of ld.global.v4.u32 is not a vector of 4");
  EXPECT_EQ(refusal_of("ld.global.u32 %r2, %rd1;"), "operand 2 of ld.global.u32 is not an address in brackets");
  EXPECT_EQ(refusal_of("ld.global.u32 %r2, [tile];"),
            "operand 2 of ld.global.u32 is not in global memory: tile is in shared memory");
  EXPECT_EQ(refusal_of("ld.global.u32 %rs2, [%rd1];"), "operand 1 of ld.global.u32 is not a register for u32");
  EXPECT_EQ(refusal_of("mov.b64 %rd2, {%r1, %r1, %r1};"), "operand 2 of mov.b64 is not a vector of 2 or 4 parts");
  EXPECT_EQ(refusal_of("mov.b64 %rd2, {%r1, %rs1};"),
            "operand 2 of mov.b64 is not a vector of registers of 32 bits each");
  EXPECT_EQ(refusal_of("mov.b64 %rd2, {};"), "operand 2 of mov.b64 is not a vector of 2 or 4 parts");
  EXPECT_EQ(refusal_of("brx.idx %r1, here;"), "operand 2 of brx.idx is not a table of labels");
  EXPECT_EQ(refusal_of("vadd4.u32.u32.u32.sat %r2, %r1, 7, 0;"),
            "operand 3 of vadd4.u32.u32.u32.sat is not a register");
  EXPECT_EQ(refusal_of("vset2.u32.u32.lt %r2, %r1, %r1, 0;"), "operand 4 of vset2.u32.u32.lt is not a register");
  EXPECT_EQ(refusal_of("vmax2.s32.s32.s32 %r2, %r1, %r1;"), "vmax2.s32.s32.s32 has 3 operands, expected 4");
  EXPECT_EQ(refusal_of("bar.sync;"), "bar.sync has 0 operands, expected 1 or more");
  EXPECT_EQ(refusal_of("shl.b32 %r2, %r1, %rs1;"), "operand 3 of shl.b32 is not an integer of 32 bits");
}

TEST(Refused, WhatTheMachineDoesNotKnowIsNotRun) {
  for (const char* line :
       {"fma.rn.oob.f16 %rs1, %rs1, %rs1, %rs1;", "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tile, {%f1, %f2}];",
        "mov.b128 %r1, %r1;", "add.f32.f16 %f1, %rs1, %f2;",
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r2], %r1, [%r3];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r2], %r1, [%r3];"}) {
    try {
      const Outcome outcome = outcome_of(line);
      EXPECT_EQ(outcome.kind, OutcomeKind::NotRun) << line;
      EXPECT_NE(outcome.reason.find("tried.ptx:11"), std::string::npos) << outcome.reason;
    } catch (const InputError& error) {
      EXPECT_STREQ(line, "mov.b128 %r1, %r1;") << error.what();
    }
  }
  // In a version that is newer than the rules a word may be PTX.
  EXPECT_EQ(outcome_of("ld.global.newer.u32 %r2, [%rd1];", "9.4").kind, OutcomeKind::Found);
  EXPECT_EQ(outcome_of("brandnew.u32 %r2, %r1;", "9.4").kind, OutcomeKind::NotRun);
}

TEST(Refused, BlocksThatAskWhereInAClusterTheyAreAreNotRun) {
  const auto outcome = [](const char* line, const char* blocks) {
    return outcome_of(line, "9.0", "sm_90", std::string(" .reqnctapercluster ") + blocks);
  };
  EXPECT_EQ(outcome("mov.u32 %r1, %cluster_ctarank;", "2, 1, 1").reason,
            "clusters of 2 blocks (.reqnctapercluster) are not supported");
  EXPECT_EQ(outcome("mov.u32 %r1, %cluster_ctarank;", "1, 1, 1").reason, "");
  EXPECT_EQ(outcome("mov.u32 %r1, %ctaid.x;", "2, 1, 1").reason, "");
}

TEST(Refused, OpcodesThatTheTableDoesNotKnowAreNotRun) {
  u32 count = 0;
  for (const ptx::InstructionRow& row : ptx::table::rows) {
    if (row.is_known() || row.stem.empty()) continue;
    const Outcome outcome = outcome_of(std::string(row.stem) + ".some;");
    EXPECT_EQ(outcome.kind, OutcomeKind::NotRun) << row.stem;
    EXPECT_NE(outcome.reason.find(std::string(row.stem) + ".some"), std::string::npos) << outcome.reason;
    ++count;
  }
  EXPECT_GT(count, 10u);
}

// Forms of matrix products that are PTX and not known: the instruction is named.
TEST(Refused, OtherMatrixProductsAreNotRun) {
  for (const char* line :
       {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1, %r1, %r1}, "
        "{%r1, %r1, %r1, %r1}, {%f1, %f2, %f3, %f4}, %r1, 0x0;",
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%r2, %r3}, {%r1}, {%r1}, {%r2, %r3};",
        "mma.sync.aligned.m16n8k4.row.col.rz.f64.f64.f64.f64 {%fd1, %fd2, %fd3, %fd4}, {%fd1, %fd2}, {%fd1}, "
        "{%fd1, %fd2, %fd3, %fd4};",
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e2m1.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1, %r1, %r1}, "
        "{%r1, %r1}, {%f1, %f2, %f3, %f4};",
        "wgmma.commit_group.sync.aligned;", "tcgen05.wait::ld.sync.aligned;"}) {
    const Outcome outcome = outcome_of(line);
    const std::string opcode = std::string(line).substr(0, std::string(line).find_first_of(" ;"));
    const char* const what = opcode.starts_with("mma") ? "the machine does not know this form of mma: "
                                                       : "the machine does not know the instruction ";
    EXPECT_EQ(outcome.kind, OutcomeKind::NotRun) << line;
    EXPECT_NE(outcome.reason.find(what + opcode), std::string::npos) << outcome.reason;
    EXPECT_NE(outcome.reason.find("tried.ptx:11"), std::string::npos) << outcome.reason;
  }
}

TEST(Refused, SizesThatNoGpuHas) {
  EXPECT_THROW(outcome_of(".local .b8 far[1099511627776];"), InputError);
  EXPECT_THROW(outcome_of(".shared .b8 far[1099511627776];"), InputError);
}

}  // namespace
}  // namespace ropewalk
