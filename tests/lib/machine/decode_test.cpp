// Instructions that the decoder makes several operations of, or whose operands are not as wide as their registers: a
// few lines of PTX, run by every thread, against the same in C++.
#include <bit>

#include "lib/base/half.h"
#include "tests/lib/machine/run_lines.h"

namespace ropewalk {
namespace {

TEST(Decode, SetGivesNumbers) {
  expect_results("  set.lt.s32.s32 %r9, %r1, %r2;", [](u32 t, u32 n) { return i32(t) < i32(n) ? ~0u : 0u; });
  expect_results("  set.hs.u32.u32 %r9, %r1, %r2;", [](u32 t, u32 n) { return t >= n ? ~0u : 0u; });
  expect_results("  set.eq.f32.s32 %f1, %r1, %r2;\n  mov.b32 %r9, %f1;",
                 [](u32 t, u32 n) { return t == n ? 0x3f800000u : 0u; });
  expect_results("  setp.gt.u32 %p1, %r1, 5;\n  set.lt.and.s32.s32 %r9, %r1, %r2, %p1;",
                 [](u32 t, u32 n) { return i32(t) < i32(n) && t > 5 ? ~0u : 0u; });
  expect_results("  setp.gt.u32 %p1, %r1, 5;\n  set.ne.xor.u32.u32 %r9, %r1, %r2, !%p1;",
                 [](u32 t, u32 n) { return (t != n) != !(t > 5) ? ~0u : 0u; });
  expect_results("  set.le.u32.f16x2 %r9, %r1, %r2;", [](u32 t, u32 n) {
    const auto holds = [](u32 a, u32 b) { return f16_to_f32(u16(a)) <= f16_to_f32(u16(b)); };
    return (holds(t, n) ? 0xffffu : 0u) | (holds(0, n >> 16) ? 0xffff0000u : 0u);
  });
}

TEST(Decode, SetpGivesTwoPredicates) {
  const char* const both = "\n  selp.u32 %r3, 1, 0, %p1;\n  selp.u32 %r9, 2, 0, %p2;\n  or.b32 %r9, %r9, %r3;";
  expect_results(std::string("  setp.lt.s32 %p1|%p2, %r1, %r2;") + both,
                 [](u32 t, u32 n) { return i32(t) < i32(n) ? 1u : 2u; });
  expect_results(
      std::string("  setp.gt.u32 %p3, %r1, 9;\n  setp.lt.or.s32 %p1|%p2, %r1, %r2, %p3;") + both,
      [](u32 t, u32 n) { return (i32(t) < i32(n) || t > 9 ? 1u : 0u) | (i32(t) >= i32(n) || t > 9 ? 2u : 0u); });
  // The combined predicate may be one of the results.
  expect_results(std::string("  setp.gt.u32 %p1, %r1, 9;\n  setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p1;") + both,
                 [](u32 t, u32 n) { return t > 9             ? 0u
                                           : i32(t) < i32(n) ? 1u
                                                             : 2u; });
  expect_results(std::string("  setp.le.f16x2 %p1|%p2, %r1, %r2;") + both, [](u32 t, u32 n) {
    return (f16_to_f32(u16(t)) <= f16_to_f32(u16(n)) ? 1u : 0u) | (0.0f <= f16_to_f32(u16(n >> 16)) ? 2u : 0u);
  });
}

TEST(Decode, CarriesGoFromWordToWord) {
  // (thread * 0x01234567, number) + (number, thread) in 64 bits; the high word.
  const auto wide = [](u32 low, u32 high) { return u64(high) << 32 | low; };
  expect_results("  mul.lo.u32 %r3, %r1, 0x81234567;\n  add.cc.u32 %r4, %r3, %r2;\n  addc.u32 %r9, %r2, %r1;",
                 [&](u32 t, u32 n) { return u32((wide(t * 0x81234567u, n) + wide(n, t)) >> 32); });
  expect_results("  mul.lo.u32 %r3, %r1, 0x81234567;\n  sub.cc.u32 %r4, %r3, %r2;\n  subc.u32 %r9, %r2, %r1;",
                 [&](u32 t, u32 n) { return u32((wide(t * 0x81234567u, n) - wide(n, t)) >> 32); });
  expect_results("  mad.lo.cc.u32 %r4, %r2, %r2, %r1;\n  madc.hi.u32 %r9, %r2, %r2, %r1;",
                 [&](u32 t, u32 n) { return u32((u64(n) * n + wide(t, t)) >> 32); });
  // A sum in three words, the middle one with carry in and out.
  expect_results(
      "  add.cc.u32 %r3, %r2, %r2;\n  addc.cc.u32 %r4, %r2, -1;\n  addc.u32 %r9, %r1, 0;",
      [&](u32 t, u32 n) { return u32((((unsigned __int128)(t) << 64) + wide(n, n) + wide(n, 0xffffffffu)) >> 64); });
}

TEST(Decode, FieldsHaveFourOperands) {
  expect_results("  bfi.b32 %r9, %r2, %r1, 5, 9;",
                 [](u32 t, u32 n) { return (t & ~(0x1ffu << 5)) | (n & 0x1ffu) << 5; });
  expect_results("  and.b32 %r3, %r1, 31;\n  bfi.b32 %r9, %r2, -1, %r3, 1;",
                 [](u32 t, u32 n) { return (n & 1) ? ~0u : ~(1u << (t & 31)); });
  expect_results("  lop3.b32 %r9, %r1, %r2, 0xff00ff00, 0xca;",
                 [](u32 t, u32 n) { return (t & n) | (~t & 0xff00ff00u); });
  // With a predicate of the result and one more; the result may be given up, or be a source.
  expect_results(
      "  setp.gt.u32 %p1, %r1, 7;\n  lop3.or.b32 %r9|%p2, %r1, %r2, 3, 0x80, %p1;\n  @%p2 add.u32 %r9, %r9, 99;",
      [](u32 t, u32 n) { return (t & n & 3) || t > 7 ? (t & n & 3) + 99 : 0; });
  expect_results(
      "  setp.gt.u32 %p1, %r1, 7;\n  lop3.and.b32 _|%p2, %r1, %r2, 3, 0x80, !%p1;\n  selp.u32 %r9, %r1, 77, %p2;",
      [](u32 t, u32 n) { return (t & n & 3) && t <= 7 ? t : 77; });
  expect_results(
      "  setp.ne.u32 %p2, %r1, 0;\n  lop3.and.b32 %r2|%p2, %r2, %r1, 0, 0x3c, %p2;\n  selp.u32 %r9, %r2, 5, %p2;",
      [](u32 t, u32 n) { return t && (t ^ n) ? t ^ n : 5; });
  expect_results("  prmt.b32 %r9, %r1, %r2, 0x7610;", [](u32 t, u32 n) { return (t & 0xffff) | (n & 0xffff0000u); });
}

TEST(Decode, VectorsAreTakenApartAndPutTogether) {
  expect_results("  mov.b32 {%rs1, %rs2}, %r2;\n  mov.b32 %r9, {%rs2, %rs1};",
                 [](u32, u32 n) { return std::rotl(n, 16); });
  expect_results("  mov.b64 %rd3, {%r1, %r2};\n  mov.b64 {%rs1, _, _, %rs4}, %rd3;\n  mov.b32 %r9, {%rs1, %rs4};",
                 [](u32 t, u32 n) { return (t & 0xffff) | (n & 0xffff0000u); });
  // The parts may be written over the whole.
  expect_results("  mov.b64 %rd3, {%r1, %r2};\n  mov.b64 {%r2, %r1}, %rd3;\n  sub.s32 %r9, %r1, %r2;",
                 [](u32 t, u32 n) { return n - t; });
}

TEST(Decode, RegistersMayBeWiderThanTheirOperands) {
  expect_results("  cvt.s64.s8 %rd3, %r2;\n  shr.u64 %rd4, %rd3, 4;\n  cvt.u32.u64 %r9, %rd4;",
                 [](u32, u32 n) { return u32(u64(i64(i8(n))) >> 4); });
  expect_results("  cvt.u8.u32 %r9, %r2;", [](u32, u32 n) { return n & 0xff; });
  expect_results("  cvt.s16.s32 %r9, %r2;", [](u32, u32 n) { return u32(i32(i16(n))); });
  expect_results(
      "  cvt.u64.u32 %rd3, %r2;\n  shl.b64 %rd3, %rd3, 20;\n  shr.u64 %rd3, %rd3, 32;\n  cvt.u32.u64 %r9, %rd3;",
      [](u32, u32 n) { return u32((u64(n) << 20) >> 32); });
}

TEST(Decode, FloatsMayStandInUntypedRegisters) {
  expect_results("  cvt.rn.f32.s32 %r3, %r2;\n  fma.rn.f32 %r9, %r3, 0f3F000000, 0f3F800000;",
                 [](u32, u32 n) { return f32_to_bits(float(i32(n)) * 0.5f + 1.0f); });
  expect_results("  cvt.rn.f64.s32 %fd1, %r2;\n  mul.f64 %fd1, %fd1, 0d3FE0000000000000;\n  cvt.rzi.s32.f64 %r9, %fd1;",
                 [](u32, u32 n) { return u32(i32(n) / 2); });
}

}  // namespace
}  // namespace ropewalk
