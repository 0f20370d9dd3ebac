// What is written reads back as the same module.
#include <filesystem>

#include "tests/lib/ptx/ptx_text.h"

namespace ropewalk::ptx {
namespace {

TEST(Write, AWholeModule) {
  const Module module = read_text(
      ".version 8.8\n.target sm_90a\n.address_size 64\n"
      R"(
.func (.param .b32 func_retval0) later(.param .b32 later_param_0);
.extern .func (.param .b32 func_retval0) vprintf(.param .b64 a, .param .b64 b);
.extern .shared .align 16 .b8 smem[];
.visible .global .align 8 .u64 table[2] = {later, generic(smem)};
.const .align 4 .f32 weights[4] = {0f3F800000, 0f40000000};
.const .align 8 .f64 wide[2][2] = {{0d3FF0000000000000}, {0d4000000000000000, 0d4008000000000000}};
.visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 s[64])
.maxntid 128, 1, 1
{
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;
  .local .align 16 .b8 depot[32];
  mov.u64 %rd1, depot;
  LOOP: .pragma "nounroll";
  @!%p1 bra LOOP;
  { .param .b32 param0; .param .b32 retval0; st.param.b32 [param0+0], %r1;
    call.uni (retval0), later, (param0); ld.param.b32 %r2, [retval0+0]; }
  //@index %r2 < 64 : x.head_dim
  wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, 1, 0, 0;
  mov.u32 %r3, %nsmid;
  mov.f32 %f1, 0fBF800000;
  mov.u64 %rd3, table+8;
  ret;
}
.func (.param .b32 func_retval0) later(.param .b32 later_param_0)
{ .reg .b32 %r<2>; ld.param.b32 %r1, [later_param_0]; st.param.b32 [func_retval0+0], %r1; ret; }
)");
  const std::string text = expect_round_trip(module);
  // A function is declared before the first that may name it.
  EXPECT_LT(text.find(".func (\n\t.param .b32 func_retval0) later"), text.find(".entry k"));
}

TEST(Write, EveryCheckedInKernelOfTheRepository) {
  u32 count = 0;
  for (const char* folder : {"kernels/ptx", "tests/data/ptx"}) {
    const std::filesystem::path path = std::filesystem::path(ROPEWALK_SOURCE_DIR) / folder;
    if (!std::filesystem::exists(path)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (entry.path().extension() != ".ptx") continue;
      SCOPED_TRACE(entry.path().filename().string());
      expect_round_trip(read_file(entry.path().string()));
      ++count;
    }
  }
  EXPECT_GE(count, 2u);
}

TEST(Write, OneInstruction) {
  const Module module = read_entry("@!%p1 st.global.v2.b16 [%rd9+-4], {%rs1, %rs2};");
  EXPECT_EQ(text_of(module, module.functions[0], module.functions[0].instructions[0]),
            "@!%p1 st.global.v2.b16 [%rd9+-4], {%rs1, %rs2}");
}

TEST(Write, UnknownSpecialsAndFloats) {
  expect_round_trip(read_entry(
      "mov.u32 %r1, %envreg7; mov.f32 %f1, -0f00000000; mov.f32 %f2, 0.1; mov.f32 %f3, 0d7FF0000000000000;"));
}

}  // namespace
}  // namespace ropewalk::ptx
