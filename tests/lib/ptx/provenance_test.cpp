// Which parameter an address was derived from.
#include "lib/ptx/provenance.h"

#include "tests/lib/ptx/ptx_text.h"

namespace ropewalk::ptx {
namespace {

// The origins of the memory instructions whose opcode is "ld.global..." or "st.global..." or starts with `stem`.
std::vector<Origin> origins_of(const Module& module, const std::string& stem) {
  const Function& function = module.functions.at(0);
  const std::vector<Origin> all = address_origins(module, function);
  EXPECT_EQ(all.size(), function.instructions.size());
  std::vector<Origin> found;
  for (u32 i = 0; i < all.size(); ++i) {
    if (module.opcode(function.instructions[i]).text.starts_with(stem)) found.push_back(all[i]);
  }
  return found;
}

std::vector<Origin> origins_in(const std::string& body, const std::string& stem = "ld.global") {
  return origins_of(read_entry(body), stem);
}

void expect_origin(const Origin& origin, i32 parameter, i32 offset) {
  EXPECT_EQ(origin.parameter, parameter);
  if (parameter >= 0) {
    EXPECT_EQ(origin.offset, offset);
  }
}

TEST(Provenance, AsNvccWritesIt) {
  const auto origins = origins_in(R"(
    ld.param.u64 %rd1, [k_param_0]; ld.param.u64 %rd2, [k_param_1]; ld.param.u32 %r1, [k_param_2];
    cvta.to.global.u64 %rd3, %rd1; mul.wide.s32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4; ld.global.f32 %f1, [%rd5];
    cvta.to.global.u64 %rd6, %rd2; add.s64 %rd7, %rd4, %rd6; ld.global.f32 %f2, [%rd7+16];)");
  ASSERT_EQ(origins.size(), 2u);
  expect_origin(origins[0], 0, 0);
  expect_origin(origins[1], 1, 0);
}

TEST(Provenance, AsTritonWritesIt) {
  const Module module =
      read_text(header + R"(.visible .entry k(.param .u64 .ptr .global .align 1 a, .param .u64 .ptr .global .align 1 b)
    { .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<3>; .reg .b16 %rs<3>;
    ld.param.b64 %rd1, [a]; ld.param.b64 %rd2, [b]; mov.u32 %r1, %tid.x;
    mad.wide.s32 %rd3, %r1, 2, %rd1; @%p1 ld.global.b16 { %rs1 }, [ %rd3 + 0 ];
    shl.b64 %rd4, %rd2, 1; add.s64 %rd5, %rd2, %rd4; @%p1 st.global.b16 [ %rd5 + 0 ], { %rs1 };
    cp.async.cg.shared.global [ %r1 + 0 ], [ %rd3 + 0 ], 0x10, %r2; })");
  expect_origin(origins_of(module, "ld.global")[0], 0, 0);
  expect_origin(origins_of(module, "st.global")[0], 1, 0);
  expect_origin(origins_of(module, "cp.async")[0], 0, 0);
}

TEST(Provenance, PointersInsideAStruct) {
  const Module module = read_text(header + R"(.visible .entry k(.param .align 8 .b8 params[472], .param .u32 n)
    { .reg .b64 %rd<20>; .reg .f32 %f<9>;
    mov.b64 %rd1, params; add.s64 %rd2, %rd1, 400; ld.param.u64 %rd3, [%rd2+-156];
    ld.param.u64 %rd4, [params+8]; ld.param.v2.u64 {%rd5, %rd6}, [params+112]; ld.param.u64 %rd12, [params+24];
    cvta.to.global.u64 %rd7, %rd3; ld.global.f32 %f1, [%rd7+4];
    ld.global.f32 %f1, [%rd4]; ld.global.f32 %f1, [%rd6];
    cvta.param.u64 %rd8, %rd1; ld.u64 %rd9, [%rd8+16]; ld.global.f32 %f1, [%rd9];
    sub.s64 %rd10, %rd2, 300; ld.param.b64 %rd11, [%rd10]; add.s64 %rd11, %rd11, %rd12; ld.global.f32 %f1, [%rd11]; })");
  const auto origins = origins_of(module, "ld.global");
  ASSERT_EQ(origins.size(), 5u);
  expect_origin(origins[0], 0, 244);
  expect_origin(origins[1], 0, 8);
  expect_origin(origins[2], 0, 120);
  expect_origin(origins[3], 0, 16);
  expect_origin(origins[4], Origin::ambiguous, 0);  // a sum of two numbers of 64 bits, neither surely a pointer
}

TEST(Provenance, SumsOfAPointerAndANumberOf64Bits) {
  const auto origins = origins_in(R"(
    ld.param.u64 %rd1, [k_param_0]; ld.param.u64 %rd2, [k_param_1];
    add.s64 %rd3, %rd2, 8; cvta.to.global.u64 %rd4, %rd1; add.s64 %rd5, %rd3, %rd4; ld.global.f32 %f1, [%rd5];
    sub.s64 %rd6, %rd4, %rd2; ld.global.f32 %f1, [%rd6]; and.b64 %rd7, %rd4, -16; or.b64 %rd7, %rd7, 4;
    ld.global.f32 %f1, [%rd7]; shl.b64 %rd8, %rd1, 2; ld.global.f32 %f1, [%rd8];)");
  ASSERT_EQ(origins.size(), 4u);
  for (int i = 0; i < 3; ++i) expect_origin(origins[u64(i)], 0, 0);
  expect_origin(origins[3], Origin::unknown, 0);
}

TEST(Provenance, SelectionsAndJoins) {
  const auto origins = origins_in(R"(
    ld.param.u64 %rd1, [k_param_0]; ld.param.u64 %rd2, [k_param_1];
    add.s64 %rd3, %rd1, 64; selp.b64 %rd4, %rd1, %rd3, %p1; ld.global.f32 %f1, [%rd4];
    selp.b64 %rd5, %rd1, %rd2, %p1; ld.global.f32 %f1, [%rd5];
    selp.b64 %rd6, %rd1, 0, %p1; ld.global.f32 %f1, [%rd6];
    @%p1 bra L; mov.u64 %rd7, %rd1; bra M; L: mov.u64 %rd7, %rd2; M: ld.global.f32 %f1, [%rd7];)");
  ASSERT_EQ(origins.size(), 4u);
  expect_origin(origins[0], 0, 0);
  expect_origin(origins[1], Origin::ambiguous, 0);
  expect_origin(origins[2], 0, 0);
  expect_origin(origins[3], Origin::ambiguous, 0);
}

TEST(Provenance, SelectionsWithinOneStruct) {
  const Module module = read_text(header + R"(.visible .entry k(.param .align 8 .b8 a[64], .param .align 8 .b8 b[16]) {
    .reg .b64 %rd<16>; .reg .f32 %f<2>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [a+8]; ld.param.u64 %rd3, [a+16]; ld.param.u64 %rd4, [b];
    selp.b64 %rd5, %rd1, %rd2, %p1; selp.b64 %rd5, %rd5, %rd3, %p1; cvta.to.global.u64 %rd6, %rd5;
    add.s64 %rd7, %rd6, %rd4; ld.global.f32 %f1, [%rd7];
    ld.param.u64 %rd15, [b+8]; selp.b64 %rd8, %rd5, %rd15, %p1; ld.global.f32 %f1, [%rd8];
    mov.b64 %rd9, a; add.s64 %rd10, %rd9, 8; selp.b64 %rd11, %rd9, %rd10, %p1; ld.param.u64 %rd12, [%rd11];
    cvta.to.global.u64 %rd13, %rd12; ld.global.u64 %rd14, [%rd13]; ld.global.f32 %f1, [%rd14]; })");
  const auto origins = origins_of(module, "ld.global");
  ASSERT_EQ(origins.size(), 4u);
  expect_origin(origins[0], Origin::ambiguous, 0);
  EXPECT_EQ(origins[0].within, 0);  // b's number is added to it
  expect_origin(origins[1], Origin::ambiguous, 0);
  EXPECT_EQ(origins[1].within, Origin::unknown);
  expect_origin(origins[2], Origin::ambiguous, 0);
  EXPECT_EQ(origins[2].within, 0);                // one pointer or the other, by its address
  EXPECT_EQ(origins[3].within, Origin::unknown);  // what they point to may hold any pointer
}

TEST(Provenance, ARegisterUsedTwice) {
  // One register for two pointers, one after the other; the second time also under a predicate.
  const auto origins = origins_in(R"(
    ld.param.u64 %rd1, [k_param_0]; ld.global.f32 %f1, [%rd1];
    ld.param.u64 %rd1, [k_param_1]; ld.global.f32 %f1, [%rd1];
    @%p1 ld.param.u64 %rd1, [k_param_0]; ld.global.f32 %f1, [%rd1];
    ld.global.u64 %rd1, [%rd1]; ld.global.f32 %f1, [%rd1];)");
  ASSERT_EQ(origins.size(), 5u);
  expect_origin(origins[0], 0, 0);
  expect_origin(origins[1], 1, 0);
  expect_origin(origins[2], Origin::ambiguous, 0);
  expect_origin(origins[4], Origin::unknown, 0);
}

TEST(Provenance, Loops) {
  const auto origins = origins_in(R"(
    ld.param.u64 %rd1, [k_param_0]; ld.param.u64 %rd2, [k_param_1]; cvta.to.global.u64 %rd3, %rd1;
    LOOP: ld.global.f32 %f1, [%rd3]; add.s64 %rd3, %rd3, 4; @%p1 bra LOOP;
    mov.u64 %rd4, %rd1; mov.u64 %rd5, %rd2;
    SWAP: ld.global.f32 %f1, [%rd4]; mov.u64 %rd6, %rd4; mov.u64 %rd4, %rd5; mov.u64 %rd5, %rd6; @%p1 bra SWAP;)");
  ASSERT_EQ(origins.size(), 2u);
  expect_origin(origins[0], 0, 0);
  expect_origin(origins[1], Origin::ambiguous, 0);
}

TEST(Provenance, HalvesOfAPointer) {
  const auto origins = origins_in(
      "ld.param.u64 %rd1, [k_param_0]; mov.b64 {%r1, %r2}, %rd1; mov.b64 %rd2, {%r1, %r2}; ld.global.f32 %f1, [%rd2];");
  expect_origin(origins.at(0), 0, 0);
}

TEST(Provenance, WhatIsUnknown) {
  const Module module = read_text(header + R"(.visible .entry k(.param .u64 a) { .reg .b64 %rd<9>; .reg .b32 %r<3>;
    .shared .b32 s; ld.param.u64 %rd1, [a]; ld.global.u64 %rd2, [%rd1]; ld.global.u32 %r1, [%rd2];
    mov.u64 %rd3, s; st.shared.u32 [%rd3], %r1; st.shared.u32 [s], %r1; ld.global.u32 %r1, [%rd4]; })");
  const auto loads = origins_of(module, "ld.global");
  expect_origin(loads[0], 0, 0);
  expect_origin(loads[1], Origin::unknown, 0);
  expect_origin(loads[2], Origin::unknown, 0);
  for (const Origin& origin : origins_of(module, "st.shared")) expect_origin(origin, Origin::unknown, 0);
}

TEST(Provenance, CopiesOutOfSharedMemory) {
  const auto origins = origins_in(
      "ld.param.u64 %rd1, [k_param_0]; cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16;\n"
      "prefetch.global.L2 [%rd1]; red.global.add.f32 [%rd1], %f1; atom.global.add.f32 %f2, [%rd1], %f1;",
      "");
  for (u32 i = 1; i < 5; ++i) expect_origin(origins.at(i), 0, 0);
}

TEST(Provenance, LargeFunctionsTakeLittleTime) {
  // Copies in an order that makes naive rounds quadratic, and many registers that stay ambiguous.
  std::string body = ".reg .b64 %c<20001>;\nld.param.u64 %rd1, [k_param_0]; ld.param.u64 %rd2, [k_param_1];\nL:\n";
  for (int i = 20000; i > 0; --i)
    body += "mov.u64 %c" + std::to_string(i) + ", %c" + std::to_string(i - 1) + ";\n@%p1 bra L;\n";
  body += "mov.u64 %c0, %rd1; @%p1 bra L; mov.u64 %c0, %rd2; @%p1 bra L; ld.global.f32 %f1, [%c20000];";
  expect_origin(origins_in(body).at(0), Origin::ambiguous, 0);
}

}  // namespace
}  // namespace ropewalk::ptx
