// What PTX has around and inside its instructions: scopes, specials, calls, tables, index statements, constants.
#include <bit>

#include "tests/lib/ptx/ptx_text.h"

namespace ropewalk::ptx {
namespace {

using Kind = Operand::Kind;

TEST(Features, Header) {
  const Module module = read_text(".version 9.4\n.target sm_90a, debug, texmode_unified\n.address_size 64\n");
  EXPECT_EQ(module.version, "9.4");
  EXPECT_EQ(module.target, "sm_90a, texmode_unified");
  EXPECT_EQ(module.address_size, 64u);
  EXPECT_EQ(module.path, "test.ptx");
}

TEST(Features, RegistersAreKeptWhenNamed) {
  const Module module = read_text(header +
                                  ".entry k(){ .reg .b32 %r<4000000000>; .reg .b64 %SP, %SPL;\n"
                                  "mov.b32 %r3999999999, %r7; mov.b64 %SP, 1; }");
  const std::vector<Register>& registers = module.functions[0].registers;
  ASSERT_EQ(registers.size(), 3u);
  EXPECT_EQ(registers[0], (Register{"%r3999999999", Type::B32}));
  EXPECT_EQ(registers[1], (Register{"%r7", Type::B32}));
  EXPECT_EQ(registers[2], (Register{"%SP", Type::B64}));
}

TEST(Features, InnerRangesHideOuterRegisters) {
  const Module module = read_text(header + R"(.entry k(){ .reg .b32 %r<5>; mov.b32 %r1, 1;
    { .reg .b64 %r<3>; mov.b64 %r1, 2; mov.b32 %r4, 3; { .reg .b16 %r1; mov.b16 %r1, 4; } mov.b64 %r1, 5; }
    mov.b32 %r1, 6; })");
  EXPECT_EQ(lines_of(module), (Lines{"mov.b32 %r1, 1", "mov.b64 %r1$2, 2", "mov.b32 %r4, 3", "mov.b16 %r1$3, 4",
                                     "mov.b64 %r1$2, 5", "mov.b32 %r1, 6"}));
}

TEST(Features, InnerLabelsAnswerFirst) {
  const Module module = read_entry("L: { bra L; mov.b32 %r1, 0; L: bra OUT; } OUT: bra L;");
  const Function& function = module.functions[0];
  EXPECT_EQ(function.labels[operand_of(function, 0, 0).id].instruction, 2u);
  EXPECT_EQ(function.labels[operand_of(function, 2, 0).id].name, "OUT");
  EXPECT_EQ(function.labels[operand_of(function, 3, 0).id].instruction, 0u);
}

TEST(Features, SpecialRegisters) {
  const Module module =
      read_entry("mov.u32 %r1, %tid.x; mov.u32 %r2, %nctaid.z; mov.u64 %rd1, %clock64; mov.u32 %r3, %laneid;");
  const Function& function = module.functions[0];
  EXPECT_EQ(Special(operand_of(function, 0, 1).id), Special::TidX);
  EXPECT_EQ(Special(operand_of(function, 1, 1).id), Special::NctaidZ);
  EXPECT_EQ(Special(operand_of(function, 2, 1).id), Special::Clock64);
  EXPECT_EQ(Special(operand_of(function, 3, 1).id), Special::Laneid);
}

TEST(Features, Predicates) {
  const Module module = read_entry("@%p1 ret; @!%p1 ret; selp.b32 %r1, 1, 2, !%p2; and.pred %p3, %p1, !%p2;");
  const Function& function = module.functions[0];
  EXPECT_EQ(function.registers[function.instructions[0].predicate].name, "%p1");
  EXPECT_FALSE(function.instructions[0].predicate_negated);
  EXPECT_TRUE(function.instructions[1].predicate_negated);
  EXPECT_EQ(function.instructions[2].predicate, Instruction::no_predicate);
  EXPECT_TRUE(operand_of(function, 2, 3).negated);
  EXPECT_EQ(lines_of(module)[3], "and.pred %p3, %p1, !%p2");
}

TEST(Features, Constants) {
  const Module module = read_entry(R"(
    mov.u64 %rd1, 0xFFFFFFFFFFFFFFFFU; mov.u64 %rd1, 0b101; mov.u64 %rd1, 017; mov.s64 %rd1, -9223372036854775808;
    mov.u64 %rd1, 18446744073709551615; mov.f32 %f1, 0f3F800000; mov.f32 %f1, -0f3F800000; mov.f64 %rd1, 0dBFF0000000000000;
    mov.f64 %rd1, 1.5e-3; mov.u64 %rd1, (1 << 4) + 3 * -2; mov.u64 %rd1, 7 / 2 == 3 ? 10 : 20; mov.u32 %r1, WARP_SZ;
    mov.u64 %rd1, ~0 >> 60; mov.u64 %rd1, 0xF000000000000000 >> 60; mov.u64 %rd1, (.s64) 0xF000000000000000 >> 60;
    mov.u64 %rd1, (!5 || 2 < 3 && 1 != 1);)");
  const Function& function = module.functions[0];
  const std::vector<i64> expected = {-1,
                                     5,
                                     15,
                                     std::numeric_limits<i64>::min(),
                                     -1,
                                     0x3f800000,
                                     0xbf800000u,
                                     i64(0xbff0000000000000u),
                                     std::bit_cast<i64>(1.5e-3),
                                     10,
                                     10,
                                     32,
                                     -1,
                                     15,
                                     -1,
                                     0};
  ASSERT_EQ(function.instructions.size(), expected.size());
  for (u32 i = 0; i < expected.size(); ++i) EXPECT_EQ(operand_of(function, i, 1).value, expected[i]) << i;
  EXPECT_EQ(operand_of(function, 5, 1).kind, Kind::Float32);
  EXPECT_EQ(operand_of(function, 8, 1).kind, Kind::Float);
  expect_round_trip(module);
}

TEST(Features, AddressForms) {
  const Module module =
      read_text(header + ".extern .shared .align 16 .b8 global_smem[];\n.entry k(){" + registers +
                "ld.shared.b32 %r1, [global_smem+6656]; ld.b32 %r1, [global_smem]; ld.b32 %r1, [1024];\n"
                "ld.b32 %r1, [%rd1-4]; ld.b32 %r1, [%rd1 + 4*8]; mov.b64 %rd1, global_smem+64; }");
  const Function& function = module.functions[0];
  EXPECT_EQ(lines_of(module),
            (Lines{"ld.shared.b32 %r1, [global_smem+6656]", "ld.b32 %r1, [global_smem]", "ld.b32 %r1, [1024]",
                   "ld.b32 %r1, [%rd1+-4]", "ld.b32 %r1, [%rd1+32]", "mov.b64 %rd1, global_smem+64"}));
  const Operand& address = operand_of(function, 0, 1);
  EXPECT_EQ(address.value, 6656);
  EXPECT_EQ(function.operands[address.first].kind, Kind::Variable);
  EXPECT_EQ(function.operands[address.first].id, 0u);
  EXPECT_EQ(operand_of(function, 2, 1).count, 0u);
}

TEST(Features, VariablesThatComeAfterAFunctionKeepTheNumbering) {
  const Module module =
      read_text(header + ".global .b32 a;\n.entry k(.param .b32 p){" + registers +
                ".shared .b32 s; mov.b64 %rd1, s; mov.b64 %rd2, a; ld.param.b32 %r1, [p]; }\n.global .b32 b;\n");
  const Function& function = module.functions[0];
  ASSERT_EQ(module.variables.size(), 2u);
  EXPECT_EQ(operand_of(function, 0, 1).id, 3u);  // a, b, then p, s
  EXPECT_EQ(operand_of(function, 1, 1).id, 0u);
  EXPECT_EQ(function.operands[operand_of(function, 2, 1).first].id, 2u);
}

TEST(Features, Calls) {
  const Module module = read_text(header + R"(
    .func (.param .b32 func_retval0) f(.param .b32 f_param_0, .param .b64 f_param_1);
    .extern .func __assertfail(.param .b64 a) .noreturn;
    .func (.param .b32 func_retval0) f(.param .b32 f_param_0, .param .b64 f_param_1)
    { .reg .f32 %f<3>; ld.param.f32 %f1, [f_param_0]; st.param.f32 [func_retval0+0], %f1; ret; }
    .visible .entry k() {)" + registers +
                                  R"(
    { .reg .b32 temp_param_reg; .param .b32 param0; .param .b64 param1; .param .b32 retval0;
      call.uni (retval0),
        f,
        (
        param0,
        param1
        ); ld.param.b32 %r1, [retval0+0]; }
    { .param .b32 param0; .param .b32 retval0; call.uni __assertfail, (param0); call __assertfail; 
      prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]);
      call (retval0), %rd1, (param0, 5), prototype_0; }
    targets: .calltargets f, __assertfail; call %rd2, targets; })");
  ASSERT_EQ(module.functions.size(), 3u);
  const Function& f = module.functions[0];
  EXPECT_TRUE(f.has_body);
  EXPECT_EQ(f.return_count, 1u);
  EXPECT_EQ(f.parameter_count, 2u);
  EXPECT_EQ(f.parameter(1).name, "f_param_1");
  EXPECT_FALSE(module.functions[1].has_body);
  EXPECT_EQ(module.functions[1].directives, Lines{".noreturn"});
  EXPECT_EQ(module.functions[1].linkage, "extern");
  const Function& k = module.functions[2];
  EXPECT_EQ(lines_of(module, k), (Lines{"call.uni (retval0), f, (param0, param1)", "ld.param.b32 %r1, [retval0]",
                                        "call.uni __assertfail, (param0$2)", "call __assertfail",
                                        "call (retval0$2), %rd1, (param0$2, 5), prototype_0", "call %rd2, targets"}));
  EXPECT_EQ(operand_of(k, 0, 0).kind, Kind::Vector);
  EXPECT_EQ(operand_of(k, 0, 1).kind, Kind::Function);
  EXPECT_EQ(operand_of(k, 0, 2).count, 2u);
  EXPECT_EQ(operand_of(k, 2, 0).count, 0u);
  EXPECT_EQ(k.instructions[2].operand_count, 3u);
  EXPECT_EQ(operand_of(k, 4, 1).kind, Kind::Register);
  EXPECT_EQ(k.texts[operand_of(k, 4, 3).id], "prototype_0");
  ASSERT_EQ(k.tables.size(), 2u);
  EXPECT_EQ(k.tables[0].prototype, "(.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16])");
  EXPECT_EQ(k.tables[1].functions, (std::vector<u32>{0, 1}));
  expect_round_trip(module);
}

TEST(Features, BranchTables) {
  const Module module = read_entry(R"(
    $L_table: .branchtargets $L_a, $L_b,
       $L_a;
    @%p1 brx.idx %r1, $L_table;
    $L_a: mov.b32 %r1, 0;
    $L_b: ret;)");
  const Function& function = module.functions[0];
  ASSERT_EQ(function.tables.size(), 1u);
  EXPECT_EQ(function.tables[0].labels, (std::vector<u32>{0, 1, 0}));
  EXPECT_EQ(function.texts[operand_of(function, 0, 1).id], "$L_table");
  EXPECT_EQ(function.labels[1].instruction, 2u);
  expect_round_trip(module);
}

TEST(Features, IndexStatements) {
  const Module module = read_entry(
      "// begin inline asm\n\t//@index %r12 < %r6 : x.head_dim\n// end inline asm\n"
      "//@index 5 < %r6 : q \r\n //@indexed is a comment\n @%p1 ret;");
  const Function& function = module.functions[0];
  ASSERT_EQ(function.instructions.size(), 3u);
  EXPECT_EQ(module.opcode(function.instructions[0]).stem, "@index");
  EXPECT_EQ(function.instructions[0].operand_count, 3u);
  EXPECT_EQ(function.instructions[0].predicate, Instruction::no_predicate);
  EXPECT_EQ(operand_of(function, 0, 0).kind, Kind::Register);
  EXPECT_EQ(function.registers[operand_of(function, 0, 1).id].name, "%r6");
  EXPECT_EQ(function.texts[operand_of(function, 0, 2).id], "x.head_dim");
  EXPECT_EQ(operand_of(function, 1, 0).kind, Kind::Integer);
  EXPECT_EQ(operand_of(function, 1, 0).value, 5);
  EXPECT_EQ(function.texts[operand_of(function, 1, 2).id], "q");
  expect_round_trip(module);
}

TEST(Features, IndexStatementBehindAPosition) {
  const Module module = read_entry(".loc 1 10 5\n//@index %r1 < %r2 : x\nL:\n//@index %r1 < %r2 : y\nret;");
  EXPECT_EQ(lines_of(module), (Lines{"//@index %r1 < %r2 : x", "//@index %r1 < %r2 : y", "ret"}));
}

TEST(Features, FunctionDirectivesOfAnyKind) {
  const Module module = read_text(header + R"(.visible .entry k()
    .maxntid 128, 1, 1
    .minnctapersm 2
    .maxnreg 64 .explicitcluster .reqnctapercluster 2, 1, 1
    .somethingnew "text", 4
    .pragma "nounroll";
    { ret; })");
  EXPECT_EQ(module.functions[0].directives,
            (Lines{".maxntid 128, 1, 1", ".minnctapersm 2", ".maxnreg 64", ".explicitcluster",
                   ".reqnctapercluster 2, 1, 1", ".somethingnew \"text\", 4", ".pragma \"nounroll\""}));
  bool required = true;
  EXPECT_EQ(module.functions[0].block_threads(&required), 128u);
  EXPECT_FALSE(required);
  expect_round_trip(module);
}

TEST(Features, Aliases) {
  const Module module = read_text(header + ".func f() { ret; }\n.visible .func g();\n.alias g, f;\n");
  EXPECT_EQ(module.functions[1].alias, "f");
  EXPECT_FALSE(module.functions[1].has_body);
  expect_round_trip(module);
}

TEST(Features, CommentsAnywhere) {
  const Module module =
      read_text("/* a\n b */ " + header + ".entry /* x */ k ( // y\n ) { ret /* z */ ; // end\n }\n// last");
  EXPECT_EQ(lines_of(module), Lines{"ret"});
}

TEST(Features, SpaceInsideAnOpcode) {
  const Module module =
      read_entry("add .s32 %r1, %r2, 1; ld.global .v2\n.b32 {%r1, %r2}, [%rd1]; @%p1 add .s32 %r1, %r2, 1;");
  EXPECT_EQ(lines_of(module),
            (Lines{"add.s32 %r1, %r2, 1", "ld.global.v2.b32 {%r1, %r2}, [%rd1]", "@%p1 add.s32 %r1, %r2, 1"}));
  EXPECT_EQ(module.opcodes.size(), 2u);
}

TEST(Features, VectorRegistersAndSelectors) {
  const Module module = read_entry(
      ".reg .v2 .b32 %v; mov.b32 %v.x, 1; ld.v2.b32 %v, [%rd1]; vadd.s32.u32.u32 %r1, %r2.b0, %r3.h1, %v.y;");
  EXPECT_EQ(lines_of(module),
            (Lines{"mov.b32 %v$x, 1", "ld.v2.b32 {%v$x, %v$y}, [%rd1]", "vadd.s32.u32.u32 %r1, %r2.b0, %r3.h1, %v$y"}));
  expect_round_trip(module);
}

TEST(Features, LineAndColumnOfInstructions) {
  const Module module = read_text(header + ".entry k()\n{\n.reg .pred %p;\n  ret;\n\tL: @!%p exit; trap;\n}\n");
  const Function& function = module.functions[0];
  EXPECT_EQ(function.line, 4u);
  EXPECT_EQ(function.instructions[0].line, 7u);
  EXPECT_EQ(function.instructions[0].column, 3u);
  EXPECT_EQ(function.instructions[1].line, 8u);
  EXPECT_EQ(function.instructions[1].column, 10u);
  EXPECT_EQ(function.instructions[2].column, 16u);
}

}  // namespace
}  // namespace ropewalk::ptx
