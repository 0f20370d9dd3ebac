// Overruns from one variable into the next, in shared and local memory and among parameters, and the same kernels where
// they stay inside.
#include <gtest/gtest.h>

#include "lib/ptx/read.h"
#include "tests/lib/machine/run_integers.h"

namespace ropewalk {
namespace {

struct Variables {
  const char* name;
  const char* variables;  // of the module
  const char* own;        // of the entry
  const char* body;       // leaves its result in %r9; %r1 is the thread, %r2 the number, %r3 four times their sum
  i32 inside, outside;    // numbers
  const char* array;      // that is overrun with the second; nullptr: nothing is found
  i64 byte;               // relative to it, of the first thread that does
  Rule rule = Rule::OutOfBoundsRead;
};

void PrintTo(const Variables& it, std::ostream* out) { *out << it.name; }

// Every thread of 32 fills a, b and c first, as far as they are there.
Launch launch_of(const Variables& it, i32 number) {
  const std::string text = std::string(R"(.version 8.0
.target sm_80
.address_size 64
)") + it.variables + R"(
.visible .entry tried(.param .u64 out, .param .u32 number)
{
  .reg .pred %p<5>;
  .reg .b32 %r<30>;
  .reg .b64 %rd<20>;
)" + it.own + R"(
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r2, [number];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  shl.b32 %r20, %r1, 2;
  mov.u32 %r21, a;
  add.s32 %r21, %r21, %r20;
  st.shared.u32 [%r21], %r1;
  mov.u32 %r22, b;
  add.s32 %r22, %r22, %r20;
  st.shared.u32 [%r22], %r1;
  bar.sync 0;
  add.s32 %r3, %r1, %r2;
  shl.b32 %r3, %r3, 2;
)" + it.body + R"(
  st.global.u32 [%rd1], %r9;
  ret;
}
)";
  Launch launch = integer_launch("unknown.ptx", "tried", number, 1, 32);
  launch.module = std::make_shared<ptx::Module>(ptx::read(text, "tried.ptx"));
  launch.dynamic_shared_bytes = 128;
  return launch;
}

class VariableBounds : public testing::TestWithParam<std::tuple<Variables, bool>> {};

TEST_P(VariableBounds, keep_accesses_inside) {
  const auto& [it, careful] = GetParam();
  const RunOptions options{.careful_only = careful};
  const Outcome good = machine::make_machine()->run(launch_of(it, it.inside), options);
  EXPECT_EQ(good.kind, OutcomeKind::Agreed) << (good.findings.empty() ? good.reason : good.findings[0].message);
  const Outcome bad = machine::make_machine()->run(launch_of(it, it.outside), options);
  if (!it.array) {
    EXPECT_EQ(bad.kind, OutcomeKind::Agreed) << (bad.findings.empty() ? bad.reason : bad.findings[0].message);
    return;
  }
  ASSERT_FALSE(bad.findings.empty());
  EXPECT_EQ(bad.findings[0].rule, it.rule);
  ASSERT_TRUE(bad.findings[0].access.has_value());
  EXPECT_EQ(bad.findings[0].access->tensor, it.array);
  EXPECT_EQ(bad.findings[0].access->byte_offset, it.byte) << bad.findings[0].message;
}

constexpr const char* two = ".shared .align 4 .b8 a[128]; .shared .align 4 .b8 b[128];";
constexpr const char* load_a = "mov.u32 %r4, a; add.s32 %r5, %r4, %r3; ld.shared.u32 %r9, [%r5];";

INSTANTIATE_TEST_SUITE_P(
    Machine, VariableBounds,
    testing::Combine(
        testing::Values(
            Variables{"past_the_end_of_the_first", "", two, load_a, 0, 1, "a", 128},
            Variables{"before_the_start_of_the_second", "", two,
                      "mov.u32 %r4, b; add.s32 %r5, %r4, %r3; ld.shared.u32 %r9, [%r5];", 0, -3, "b", -12},
            Variables{"of_the_module", two, "", load_a, 0, 2, "a", 128},
            Variables{"far_past_the_end", "", two, load_a, 0, 100, "a", 400},
            Variables{"into_padding", "", ".shared .align 4 .b8 a[132]; .shared .align 16 .b8 b[128];",
                      "setp.eq.u32 %p1, %r1, 31; @!%p1 mov.u32 %r3, 0; mov.u32 %r4, a; add.s32 %r5, %r4, %r3;"
                      "@%p1 st.shared.u32 [%r5], %r1; mov.u32 %r9, %r1;",
                      1, 2, "a", 132, Rule::OutOfBoundsWrite},
            Variables{"a_store", "", two,
                      "mov.u32 %r4, a; add.s32 %r5, %r4, %r3; bar.sync 0; st.shared.u32 [%r5], %r1; mov.u32 %r9, %r1;",
                      0, 1, "a", 128, Rule::OutOfBoundsWrite},
            Variables{"an_atomic", "", two,
                      "mov.u32 %r4, a; add.s32 %r5, %r4, %r3; bar.sync 0; atom.shared.add.u32 %r9, [%r5], 1;", 0, 1,
                      "a", 128, Rule::OutOfBoundsWrite},
            Variables{"a_vector", "", ".shared .align 16 .b8 a[128]; .shared .align 16 .b8 b[128];",
                      "and.b32 %r3, %r3, -8; mov.u32 %r4, a; add.s32 %r5, %r4, %r3;"
                      "ld.shared.v2.u32 {%r9, %r10}, [%r5];",
                      0, 2, "a", 128},
            Variables{"by_name_and_offset", "", two,
                      "setp.eq.u32 %p1, %r2, 0; @%p1 ld.shared.u32 %r9, [a+124]; @!%p1 ld.shared.u32 %r9, [a+128];", 0,
                      1, "a", 128},
            Variables{"a_generic_address", "", two,
                      "mov.u32 %r4, a; cvt.u64.u32 %rd4, %r4; cvta.shared.u64 %rd5, %rd4; cvt.s64.s32 %rd6, %r3;"
                      "add.s64 %rd7, %rd5, %rd6; ld.u32 %r9, [%rd7];",
                      0, 1, "a", 128},
            Variables{"a_generic_address_and_back", "", two,
                      "cvta.shared.u64 %rd5, a; cvta.to.shared.u64 %rd6, %rd5; cvt.u32.u64 %r4, %rd6;"
                      "mad.lo.s32 %r5, %r2, 4, %r4; add.s32 %r5, %r5, %r20; ld.shared.u32 %r9, [%r5];",
                      0, 1, "a", 128},
            Variables{"through_a_moved_register", "", two,
                      "mov.u32 %r4, a; mov.b32 %r6, %r4; mov.b64 %rd4, {%r6, %r1}; mov.b64 {%r7, %r8}, %rd4;"
                      "sub.s32 %r7, %r6, -4; add.s32 %r5, %r7, %r3; ld.shared.u32 %r9, [%r5+-4];",
                      0, 1, "a", 128},
            Variables{"through_a_function",
                      ".func (.param .b32 result) pick(.param .b64 p, .param .b32 at) { .reg .b32 %r<4>; .reg .b64 "
                      "%rd<3>; ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [at]; cvt.u32.u64 %r2, %rd1;"
                      "add.s32 %r2, %r2, %r1; ld.shared.u32 %r3, [%r2]; st.param.b32 [result], %r3; ret; }",
                      two,
                      "mov.u64 %rd4, a; { .param .b64 p0; st.param.b64 [p0], %rd4; .param .b32 p1; st.param.b32 [p1],"
                      "%r3; .param .b32 back; call.uni (back), pick, (p0, p1); ld.param.b32 %r9, [back]; }",
                      0, 1, "a", 128},
            Variables{"static_beside_dynamic", ".extern .shared .align 16 .b8 b[];", ".shared .align 4 .b8 a[128];",
                      load_a, 0, 1, "a", 128},
            Variables{"dynamic_beside_static", ".extern .shared .align 16 .b8 b[];", ".shared .align 4 .b8 a[128];",
                      "mov.u32 %r4, b; add.s32 %r5, %r4, %r3; ld.shared.u32 %r9, [%r5];", 0, -1, "b", -4},
            // Of another type, in another entry of the same template.
            Variables{"beside_dynamic_of_another_entry",
                      ".extern .shared .align 8 .b8 others[]; .extern .shared .align 4 .b8 b[];",
                      ".shared .align 4 .b8 a[128];",
                      "mov.u32 %r4, b; add.s32 %r5, %r4, %r3; ld.shared.u32 %r9, [%r5];", 0, -1, "b", -4},
            Variables{"swizzled", "", two,
                      "xor.b32 %r6, %r20, 64; add.s32 %r6, %r6, %r2; mov.u32 %r4, a; or.b32 %r5, %r4, %r6;"
                      "ld.shared.u32 %r9, [%r5];",
                      0, 128, "a", 192},
            Variables{"a_local_array", two, ".local .align 4 .b8 x[256]; .local .align 4 .b8 y[256];",
                      "mov.u32 %r4, x; st.local.u32 [%r4+252], %r1; mov.u32 %r5, y; st.local.u32 [%r5], %r1;"
                      "shl.b32 %r6, %r2, 2; add.s32 %r7, %r5, %r6; ld.local.u32 %r9, [%r7];",
                      0, -1, "y", -4},
            Variables{"a_parameter", two, "",
                      "mov.b64 %rd5, number; mul.wide.s32 %rd6, %r2, 4; add.s64 %rd5, %rd5, %rd6;"
                      "ld.param.u32 %r9, [%rd5];",
                      0, -1, "number", -4},
            Variables{
                "a_parameter_by_a_generic_address", two, "",
                "mov.b64 %rd5, number; cvta.param.u64 %rd5, %rd5; cvt.s64.s32 %rd6, %r3; sub.s64 %rd5, %rd5, %rd6;"
                "cvt.u64.u32 %rd6, %r20; add.s64 %rd5, %rd5, %rd6; ld.u32 %r9, [%rd5];",
                0, 1, "number", -4}),
        testing::Bool()),
    [](const auto& info) {
      return std::string(std::get<0>(info.param).name) + (std::get<1>(info.param) ? "_carefully" : "");
    });

INSTANTIATE_TEST_SUITE_P(
    Silent, VariableBounds,
    testing::Combine(
        testing::Values(
            Variables{"either_of_two", "", two,
                      "setp.eq.u32 %p1, %r2, 0; mov.u32 %r4, a; mov.u32 %r6, b; selp.b32 %r5, %r4, %r6, %p1;"
                      "add.s32 %r5, %r5, %r20; ld.shared.u32 %r9, [%r5];",
                      0, 1, nullptr, 0},
            Variables{"two_buffers_in_turn", "", two,
                      "mov.u32 %r4, a; mov.u32 %r5, b; mov.u32 %r6, 0; again: add.s32 %r7, %r4, %r20;"
                      "ld.shared.u32 %r9, [%r7]; mov.u32 %r8, %r4; mov.u32 %r4, %r5; mov.u32 %r5, %r8;"
                      "add.s32 %r6, %r6, 1; setp.le.s32 %p1, %r6, %r2; @%p1 bra again;",
                      0, 3, nullptr, 0},
            Variables{"names_of_the_same_dynamic_memory",
                      ".extern .shared .align 16 .b8 a[]; .extern .shared .align 16 .b8 b[];", "",
                      "mov.u32 %r4, b; add.s32 %r5, %r4, %r20; ld.shared.u32 %r9, [%r5];", 0, 1, nullptr, 0},
            Variables{"the_distance_of_two_arrays", "", two,
                      "mov.u32 %r4, a; mov.u32 %r5, b; sub.s32 %r6, %r5, %r4; add.s32 %r7, %r21, %r6;"
                      "ld.shared.u32 %r9, [%r7];",
                      0, 1, nullptr, 0},
            Variables{"an_address_out_of_memory", "",
                      ".shared .align 8 .b8 a[128]; .shared .align 8 .b8 b[128];"
                      ".local .align 8 .b8 kept[16];",
                      "mov.u32 %r4, a; st.local.u32 [kept], %r4; ld.local.u32 %r5, [kept]; add.s32 %r5, %r5, %r3;"
                      "ld.shared.u32 %r9, [%r5];",
                      0, 1, nullptr, 0}),
        testing::Bool()),
    [](const auto& info) {
      return std::string(std::get<0>(info.param).name) + (std::get<1>(info.param) ? "_carefully" : "");
    });

// Variables of the module that only another entry uses take no room.
TEST(SharedVariables, OfAnotherEntryAreNotNamed) {
  Launch launch = integer_launch("unknown.ptx", "tried", 0, 1, 64);
  launch.module = std::make_shared<ptx::Module>(ptx::read(R"(.version 8.0
.target sm_80
.address_size 64
.shared .align 4 .b8 others[256];
.shared .align 4 .b8 own[256];
.visible .entry other(.param .u64 out, .param .u32 number)
{
  st.shared.u32 [others], 0;
  ret;
}
.visible .entry tried(.param .u64 out, .param .u32 number)
{
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, own;
  add.s32 %r4, %r3, %r2;
  st.shared.u32 [%r4], %r1;
  xor.b32 %r5, %r2, 128;
  add.s32 %r6, %r3, %r5;
  ld.shared.u32 %r7, [%r6];
  st.global.u32 [%rd1], %r7;
  ret;
}
)",
                                                          "tried.ptx"));
  const Outcome raced = machine::make_machine()->run(launch, {});
  ASSERT_EQ(raced.findings.size(), 1u);
  EXPECT_EQ(raced.findings[0].rule, Rule::SharedRace);
  ASSERT_TRUE(raced.findings[0].access);
  EXPECT_EQ(raced.findings[0].access->tensor, "own");
}

}  // namespace
}  // namespace ropewalk
