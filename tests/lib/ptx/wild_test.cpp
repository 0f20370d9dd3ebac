// One test for each form that real kernels are known to contain and that trips readers.
#include "tests/lib/ptx/ptx_text.h"

namespace ropewalk::ptx {
namespace {

using Kind = Operand::Kind;

TEST(Wild, FloatsInUntypedRegisters) {
  const Module module = read_entry("fma.rn.f32 %r17, %r11, %r13, %r16;");
  EXPECT_EQ(lines_of(module), Lines{"fma.rn.f32 %r17, %r11, %r13, %r16"});
  EXPECT_EQ(module.functions[0].registers[0].type, Type::B32);
}

TEST(Wild, RegisterWiderThanTheType) {
  const Module module =
      read_entry("ld.param.s32 %rd1, [k_param_2];\n ld.global.u32 %rd12, [%rd3];\n st.local.u32 [%rd9], %rd3;");
  EXPECT_EQ(lines_of(module),
            (Lines{"ld.param.s32 %rd1, [k_param_2]", "ld.global.u32 %rd12, [%rd3]", "st.local.u32 [%rd9], %rd3"}));
  const Function& function = module.functions[0];
  EXPECT_EQ(function.registers[operand_of(function, 0, 0).id].type, Type::B64);
}

TEST(Wild, BracesAroundOneElement) {
  const Module module = read_entry("@%p2 ld.global.b16 { %rs1 }, [ %rd7 + 0 ];");
  const Function& function = module.functions[0];
  const Operand& vector = operand_of(function, 0, 0);
  ASSERT_EQ(vector.kind, Kind::Vector);
  EXPECT_EQ(vector.count, 1u);
  EXPECT_EQ(function.operands[vector.first].kind, Kind::Register);
  EXPECT_EQ(lines_of(module), Lines{"@%p2 ld.global.b16 {%rs1}, [%rd7]"});
}

TEST(Wild, Sinks) {
  const Module module =
      read_entry("mov.b32 {_, %rs1}, %r13;\n mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9], 2048;");
  const Function& function = module.functions[0];
  EXPECT_EQ(function.operands[operand_of(function, 0, 0).first].kind, Kind::Sink);
  EXPECT_EQ(operand_of(function, 1, 0).kind, Kind::Sink);
  EXPECT_EQ(lines_of(module),
            (Lines{"mov.b32 {_, %rs1}, %r13", "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9], 2048"}));
}

TEST(Wild, ReadsOfRegistersThatNobodyWrote) {
  EXPECT_EQ(lines_of(read_entry("mov.b32 %r14, {%rs1, %rs2};")), Lines{"mov.b32 %r14, {%rs1, %rs2}"});
}

TEST(Wild, CopyWithSourceSize) {
  const Module module =
      read_entry("selp.b32 %r8, %r11, 0, %p9;\n cp.async.cg.shared.global [ %r5 + 0 ], [ %rd5 + 0 ], 0x10, %r8;");
  EXPECT_EQ(lines_of(module)[1], "cp.async.cg.shared.global [%r5], [%rd5], 16, %r8");
}

TEST(Wild, AnnouncedOverReads) {
  const Module module = read_entry(
      "mov.b32 %r1, 0;\n .pragma \"used_bytes_mask 4095\";\n"
      "ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%r6+1536];");
  const Function& function = module.functions[0];
  ASSERT_EQ(function.pragmas.size(), 1u);
  EXPECT_EQ(function.pragmas[0], (Pragma{1, "used_bytes_mask 4095"}));
  EXPECT_EQ(operand_of(function, 1, 1).value, 1536);
}

TEST(Wild, ScopesThatRedeclareNamesAndLabels) {
  const Module module = read_entry(R"(
    {.reg .f16 low,high; mov.b32 {low,high}, %r1; mov.b16 %rs1, low;}
    {.reg .f16 low,high; mov.b32 {low,high}, %r2; mov.b16 %rs2, high;}
    { .reg .pred P1; LAB_WAIT: setp.eq.s32 P1, %r1, 0; @P1 bra.uni DONE; bra.uni LAB_WAIT; DONE: }
    { .reg .pred P1; LAB_WAIT: setp.eq.s32 P1, %r1, 0; @!P1 bra.uni DONE; bra.uni LAB_WAIT; DONE: }
    { .reg .b64 %tmp; mov.b64 %tmp, 0; }
    { .reg .b32 %tmp; mov.b32 %tmp, 0; })");
  EXPECT_EQ(lines_of(module), (Lines{"mov.b32 {low, high}, %r1", "mov.b16 %rs1, low", "mov.b32 {low$2, high$2}, %r2",
                                     "mov.b16 %rs2, high$2", "setp.eq.s32 P1, %r1, 0", "@P1 bra.uni DONE",
                                     "bra.uni LAB_WAIT", "setp.eq.s32 P1$2, %r1, 0", "@!P1$2 bra.uni DONE$2",
                                     "bra.uni LAB_WAIT$2", "mov.b64 %tmp, 0", "mov.b32 %tmp$2, 0"}));
  const Function& function = module.functions[0];
  ASSERT_EQ(function.labels.size(), 4u);
  EXPECT_EQ(function.labels[2].name, "LAB_WAIT$2");
  EXPECT_EQ(function.labels[2].instruction, 7u);
  expect_round_trip(module);
}

TEST(Wild, SpacingOfAnyKind) {
  const Module module =
      read_text(header + ".func f(.param .b64 a)\n;\n.entry k(){" + registers +
                "{neg.bf16 %rs5,%rs5;\n}{ cvt.f32.bf16 %f9, %rs1;}"
                "cp.async.bulk.wait_group.read 0 ;{ // callseq 0, 0\n.param .b64 param0;\n"
                "st.param.b64\t[param0+0], %rd1;\ncall.uni \n\tf, \n\t(\n\tparam0\n\t);\n} // callseq 0\n}");
  EXPECT_EQ(lines_of(module, module.functions[1]),
            (Lines{"neg.bf16 %rs5, %rs5", "cvt.f32.bf16 %f9, %rs1", "cp.async.bulk.wait_group.read 0",
                   "st.param.b64 [param0], %rd1", "call.uni f, (param0)"}));
}

TEST(Wild, ModifiersInAnyOrder) {
  const Module module = read_entry(
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];\n"
      "ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];");
  ASSERT_EQ(module.opcodes.size(), 2u);
  for (const Opcode& opcode : module.opcodes) {
    EXPECT_EQ(opcode.stem, "ldmatrix");
    for (const char* modifier : {"m8n8", "x4", "trans", "shared", "b16"}) EXPECT_TRUE(opcode.has(modifier));
    EXPECT_FALSE(opcode.has("x2"));
  }
}

TEST(Wild, TwoResults) {
  const Module module = read_entry(
      "shfl.sync.bfly.b32 %r1|%p3, %r2, %r3, %r4, %r5;\n elect.sync %r6|%p4, %r7;\n setp.lt.s32 %p1|%p2, %r1, 4;\n"
      "shfl.sync.idx.b32 %r1|_, %r2, 0, 31, -1;");
  const Function& function = module.functions[0];
  const Operand& pair = operand_of(function, 0, 0);
  ASSERT_EQ(pair.kind, Kind::Pair);
  EXPECT_EQ(pair.count, 2u);
  EXPECT_EQ(function.registers[function.operands[pair.first + 1].id].name, "%p3");
  EXPECT_EQ(lines_of(module)[2], "setp.lt.s32 %p1|%p2, %r1, 4");
  EXPECT_EQ(lines_of(module)[3], "shfl.sync.idx.b32 %r1|_, %r2, 0, 31, -1");
}

TEST(Wild, ShortInitialiser) {
  const Module module =
      read_text(header + ".global .align 1 .b8 _$_str[11] = {95, 95, 67, 85, 68, 65, 95, 70, 84, 90};\n");
  const Variable& variable = module.variables.at(0);
  EXPECT_EQ(variable.name, "_$_str");
  EXPECT_EQ(variable.bytes(), 11u);
  EXPECT_EQ(std::string(variable.initial.begin(), variable.initial.end()), "__CUDA_FTZ");
}

TEST(Wild, BitPatternConstants) {
  const Module module = read_entry(
      "mov.b16 %rs2, 16256;\n mov.b16 %rs9, 0x8000;\n mov.pred %p1, -1;\n"
      "createpolicy.fractional.L2::evict_first.b64 %rd7, 1.0;");
  const Function& function = module.functions[0];
  EXPECT_EQ(operand_of(function, 0, 1).value, 16256);
  EXPECT_EQ(operand_of(function, 1, 1).value, 0x8000);
  EXPECT_EQ(operand_of(function, 2, 1).value, -1);
  EXPECT_EQ(operand_of(function, 3, 1).kind, Kind::Float);
  EXPECT_EQ(operand_of(function, 3, 1).value, 0x3ff0000000000000);
}

TEST(Wild, NegativeOffsetOfARegisterBase) {
  const Module module =
      read_entry("mov.b64 %rd1, k_param_0;\n add.s64 %rd2, %rd1, 400;\n ld.param.u64 %rd3, [%rd2+-156];");
  const Function& function = module.functions[0];
  const Operand& symbol = operand_of(function, 0, 1);
  EXPECT_EQ(symbol.kind, Kind::Variable);
  EXPECT_EQ(symbol.id, module.variables.size() + 0);
  EXPECT_EQ(operand_of(function, 2, 1).value, -156);
  EXPECT_EQ(lines_of(module)[2], "ld.param.u64 %rd3, [%rd2+-156]");
}

TEST(Wild, Tf32Matrix) {
  const std::string line =
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
      "{%f1, %f2, %f3, %f4}";
  EXPECT_EQ(lines_of(read_entry(line + ";")), Lines{line});
}

TEST(Wild, ContractibleAndRoundedKeptApart) {
  const Module module = read_entry("mul.ftz.f32 %f1, %f2, %f3;\n mul.rn.f32 %f1, %f2, %f3;\n mul.f32 %f1, %f2, %f3;");
  ASSERT_EQ(module.opcodes.size(), 3u);
  EXPECT_TRUE(module.opcodes[0].has("ftz"));
  EXPECT_FALSE(module.opcodes[2].has("rn"));
}

TEST(Wild, PointersOfTriton) {
  const Module module = read_text(header +
                                  ".visible .entry k(\n\t.param .u64 .ptr .global .align 1 k_param_0,\n"
                                  "\t.param .u32 k_param_1\n)\n.reqntid 128\n{\n ret;\n}\n");
  const Function& function = module.functions[0];
  EXPECT_TRUE(function.parameter(0).is_pointer);
  EXPECT_EQ(function.parameter(0).pointer_space, "global");
  EXPECT_EQ(function.parameter(0).pointer_alignment, 1u);
  EXPECT_FALSE(function.parameter(1).is_pointer);
  bool required = false;
  EXPECT_EQ(function.block_threads(&required), 128u);
  EXPECT_TRUE(required);
  expect_round_trip(module);
}

TEST(Wild, AtomicWithUnusedResult) {
  EXPECT_EQ(lines_of(read_entry("atom.global.add.f32 %f9, [%rd12], %f13;")),
            Lines{"atom.global.add.f32 %f9, [%rd12], %f13"});
}

TEST(Wild, InstructionsWithoutOperandsAndUnknownOnes) {
  const Module module = read_entry(
      "griddepcontrol.wait;\n setmaxnreg.inc.sync.aligned.u32 240;\n prefetch.global.L2 [%rd1];\n brkpt;\n"
      "frobnicate.x9.b128 %r1, {%r2, %r3}, [%rd4, {%r5, %r6}], 7;\n mov.u32 %r1, %envreg3;");
  EXPECT_EQ(lines_of(module),
            (Lines{"griddepcontrol.wait", "setmaxnreg.inc.sync.aligned.u32 240", "prefetch.global.L2 [%rd1]", "brkpt",
                   "frobnicate.x9.b128 %r1, {%r2, %r3}, [%rd4, {%r5, %r6}], 7", "mov.u32 %r1, %envreg3"}));
  const Operand& special = operand_of(module.functions[0], 5, 1);
  EXPECT_EQ(special.kind, Kind::Special);
  EXPECT_EQ(Special(special.id), Special::Unknown);
}

TEST(Wild, TensorMapAddresses) {
  const Module module = read_entry(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%r1], [%rd2, {%r3, %r4, %r5}], [%r6+8], %rd7;");
  const Function& function = module.functions[0];
  const Operand& address = operand_of(function, 0, 1);
  ASSERT_EQ(address.kind, Kind::Address);
  ASSERT_EQ(address.count, 2u);
  EXPECT_EQ(function.operands[address.first].kind, Kind::Register);
  EXPECT_EQ(function.operands[address.first + 1].kind, Kind::Vector);
  EXPECT_EQ(function.operands[address.first + 1].count, 3u);
  EXPECT_TRUE(module.opcodes[0].has("mbarrier::complete_tx::bytes"));
  expect_round_trip(module);
}

TEST(Wild, LongMangledNames) {
  const std::string name = "_ZN5flash16flash_fwd_kernel" + std::string(600, 'I') + "EEv16Flash_fwd_params";
  const Module module =
      read_text(header + ".entry " + name + "(.param .align 8 .b8 " + name + "_param_0[472])\n{ret;}");
  EXPECT_EQ(module.functions[0].name, name);
  EXPECT_EQ(module.functions[0].parameter(0).bytes(), 472u);
  EXPECT_EQ(module.functions[0].linkage, "");
  EXPECT_EQ(module.entry("flash_fwd_kernel"), &module.functions[0]);
}

}  // namespace
}  // namespace ropewalk::ptx
