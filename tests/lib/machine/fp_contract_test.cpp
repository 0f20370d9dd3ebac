// --fp-contract: which products are fused with which sums (what ptxas 13.0 does, see lib/machine/decode/fp_contract.h),
// and that fusing rounds once, against the host's fma.
#include <bit>
#include <cmath>

#include "lib/base/half.h"
#include "tests/lib/machine/run_lines.h"

namespace ropewalk {
namespace {

// %f1, %f2, %f3: numbers whose products need more than 24 bits.
const std::string operands =
    "  mad.lo.u32 %r3, %r1, 0x9e3779b9, 0x01234567;\n  mad.lo.u32 %r4, %r2, 0x85ebca6b, 0x89abcdef;\n"
    "  cvt.rn.f32.s32 %f1, %r3;\n  cvt.rn.f32.s32 %f2, %r4;\n  mul.rn.f32 %f3, %f1, %f2;\n  mul.rn.f32 %f3, %f3, "
    "0fBF7FFFF0;\n";

struct Three {
  float a, b, c;
};
Three numbers(u32 t, u32 n) {
  const float a = float(i32(t * 0x9e3779b9u + 0x01234567u)), b = float(i32(n * 0x85ebca6bu + 0x89abcdefu));
  return {a, b, a * b * std::bit_cast<float>(0xbf7ffff0u)};
}
using Of = std::function<float(const Three&)>;

// With --fp-contract the lines give `fused`, without `apart`, and the two differ somewhere (or, where they are the same
// function, nothing is fused).
void expect_contraction(const std::string& lines, const Of& fused, const Of& apart) {
  u32 differences = 0;
  for (const i32 number : {1, 7, 31, -20, 0x12345678}) {
    RunOptions contract;
    contract.fp_contract = true;
    const std::string body = operands + lines + "\n  mov.b32 %r9, %f9;";
    const std::vector<i32> with = results_of(body, number, contract), without = results_of(body, number);
    for (u32 thread = 0; thread < 64; ++thread) {
      const Three three = numbers(thread, u32(number));
      ASSERT_EQ(std::bit_cast<float>(with[thread]), fused(three)) << lines;
      ASSERT_EQ(std::bit_cast<float>(without[thread]), apart(three)) << lines;
      differences += with[thread] != without[thread];
    }
  }
  const Three some = numbers(3, 7);
  EXPECT_EQ(differences > 0, fused(some) != apart(some)) << lines;
}
void expect_apart(const std::string& lines, const Of& apart) { expect_contraction(lines, apart, apart); }

TEST(FpContract, FusesProductsIntoSums) {
  expect_contraction(
      "  mul.f32 %f4, %f1, %f2;\n  add.f32 %f9, %f4, %f3;", [](const Three& x) { return std::fmaf(x.a, x.b, x.c); },
      [](const Three& x) { return x.a * x.b + x.c; });
  expect_contraction(
      "  mul.f32 %f4, %f1, %f2;\n  add.f32 %f9, %f3, %f4;", [](const Three& x) { return std::fmaf(x.a, x.b, x.c); },
      [](const Three& x) { return x.a * x.b + x.c; });
  expect_contraction(
      "  neg.f32 %f3, %f3;\n  mul.f32 %f4, %f1, %f2;\n  sub.f32 %f9, %f4, %f3;",
      [](const Three& x) { return std::fmaf(x.a, x.b, x.c); }, [](const Three& x) { return x.a * x.b + x.c; });
  expect_contraction(
      "  neg.f32 %f3, %f3;\n  mul.f32 %f4, %f1, %f2;\n  sub.f32 %f9, %f3, %f4;",
      [](const Three& x) { return std::fmaf(-x.a, x.b, -x.c); }, [](const Three& x) { return -x.c - x.a * x.b; });
}

TEST(FpContract, FusesAllUsesOrNone) {
  const Of apart = [](const Three& x) { return (x.a * x.b + x.c) - (x.a * x.b + x.c * 0.5f); };
  expect_contraction(
      "  mul.rn.f32 %f5, %f3, 0f3F000000;\n  mul.f32 %f4, %f1, %f2;\n  add.f32 %f6, %f4, %f3;\n"
      "  add.f32 %f7, %f4, %f5;\n  sub.rn.f32 %f9, %f6, %f7;",
      [](const Three& x) { return std::fmaf(x.a, x.b, x.c) - std::fmaf(x.a, x.b, x.c * 0.5f); }, apart);
  // One use is a store, a move, a comparison: the product is needed as it is.
  expect_apart("  mul.f32 %f4, %f1, %f2;\n  mov.f32 %f5, %f4;\n  add.f32 %f9, %f4, %f3;",
               [](const Three& x) { return x.a * x.b + x.c; });
  expect_apart("  mul.f32 %f4, %f1, %f2;\n  add.f32 %f9, %f4, %f4;", [](const Three& x) { return x.a * x.b * 2; });
}

TEST(FpContract, FusesTheFirstOfTwoProducts) {
  expect_contraction(
      "  mul.rn.f32 %f5, %f1, 0f3F800001;\n  mul.f32 %f4, %f1, %f2;\n  mul.f32 %f6, %f5, %f2;\n"
      "  sub.f32 %f9, %f4, %f6;",
      [](const Three& x) { return std::fmaf(x.a, x.b, -(x.a * std::bit_cast<float>(0x3f800001u) * x.b)); },
      [](const Three& x) { return x.a * x.b - x.a * std::bit_cast<float>(0x3f800001u) * x.b; });
}

TEST(FpContract, KeepsApartWhatIsRounded) {
  const Of apart = [](const Three& x) { return x.a * x.b + x.c; };
  expect_apart("  mul.rn.f32 %f4, %f1, %f2;\n  add.f32 %f9, %f4, %f3;", apart);
  expect_apart("  mul.f32 %f4, %f1, %f2;\n  add.rn.f32 %f9, %f4, %f3;", apart);
  expect_apart("  mul.ftz.f32 %f4, %f1, %f2;\n  add.f32 %f9, %f4, %f3;", apart);
  // Another block, a predicated product, a factor that changes.
  expect_apart("  mul.f32 %f4, %f1, %f2;\n  bra next;\nnext:\n  add.f32 %f9, %f4, %f3;", apart);
  expect_apart(
      "  setp.ge.s32 %p1, %r1, 0;\n  mov.f32 %f4, 0f00000000;\n  @%p1 mul.f32 %f4, %f1, %f2;\n  add.f32 %f9, %f4, %f3;",
      apart);
  expect_apart("  mul.f32 %f4, %f1, %f2;\n  mov.f32 %f1, 0f00000000;\n  add.f32 %f9, %f4, %f3;", apart);
}

TEST(FpContract, PredicatedSumsAndLoops) {
  const Of fused = [](const Three& x) { return std::fmaf(x.a, x.b, x.c); };
  const Of apart = [](const Three& x) { return x.a * x.b + x.c; };
  expect_contraction(
      "  setp.ge.s32 %p1, %r1, 0;\n  mov.f32 %f9, 0f00000000;\n  mul.f32 %f4, %f1, %f2;\n"
      "  @%p1 add.f32 %f9, %f4, %f3;",
      fused, apart);
  // A register that is written again: each product is one of its own.
  expect_contraction("  mul.f32 %f4, %f1, %f2;\n  add.f32 %f4, %f4, %f3;\n  mov.f32 %f9, %f4;", fused, apart);
}

TEST(FpContract, FusesEveryType) {
  RunOptions contract;
  contract.fp_contract = true;
  for (const i32 number : {3, 77, 1234}) {
    const auto with = [&](const std::string& lines) { return results_of(lines, number, contract); };
    const std::vector<i32> doubles = with(
        "  add.s32 %r3, %r1, %r2;\n  cvt.rn.f64.s32 %fd1, %r3;\n  rcp.rn.f64 %fd2, %fd1;\n  neg.f64 %fd3, %fd1;\n"
        "  mul.rn.f64 %fd3, %fd3, %fd2;\n  mul.f64 %fd4, %fd1, %fd2;\n  add.f64 %fd4, %fd4, %fd3;\n  mov.b64 %rd3, "
        "%fd4;\n"
        "  mov.b64 {%r8, %r9}, %rd3;");
    const std::vector<i32> halves = with(
        "  add.s32 %r3, %r1, %r2;\n  cvt.rn.f16.s32 %rs1, %r3;\n  rcp.approx.f32 %f1, 0f40400000;\n  cvt.rn.f16.f32 "
        "%rs2, %f1;\n"
        "  mul.rn.f16 %rs3, %rs1, %rs2;\n  mul.f16 %rs4, %rs1, %rs2;\n  sub.f16 %rs4, %rs4, %rs3;\n  cvt.u32.u16 %r9, "
        "%rs4;");
    for (u32 thread = 0; thread < 64; ++thread) {
      const double x = double(i32(thread) + number), y = 1 / x;
      EXPECT_EQ(u32(doubles[thread]), u32(std::bit_cast<u64>(std::fma(x, y, -(x * y))) >> 32));
      const float a = f16_to_f32(f32_to_f16(float(i32(thread) + number))), b = f16_to_f32(f32_to_f16(1 / 3.0f));
      EXPECT_EQ(u32(halves[thread]), f32_to_f16(float(double(a) * b - f16_to_f32(f32_to_f16(a * b)))));
    }
  }
}

}  // namespace
}  // namespace ropewalk
