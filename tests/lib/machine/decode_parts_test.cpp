// Instructions on parts of registers: cvt.pack, video instructions, pairs of floats, min and max of three. Against
// plain arithmetic on wide integers, as the PTX manual writes it.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "tests/lib/machine/run_lines.h"

namespace ropewalk {
namespace {

// Two registers full of unlike bytes: %r3 of the thread and %r4 of the number.
const std::string operand_moves =
    "  mad.lo.u32 %r3, %r1, 0x9e3779b9, 0x01234567;\n  mad.lo.u32 %r4, %r2, 0x85ebca6b, 0x89abcdef;\n"
    "  xor.b32 %r5, %r3, %r4;\n";
u32 first(u32 t) { return t * 0x9e3779b9u + 0x01234567u; }
u32 second(u32 n) { return n * 0x85ebca6bu + 0x89abcdefu; }
u32 third(u32 t, u32 n) { return first(t) ^ second(n); }

// `bits` bits from bit `at` on, extended.
i64 part(u32 value, u32 at, u32 bits, bool is_signed) {
  const u64 low = bits == 32 ? value : (value >> at) & ((1u << bits) - 1);
  return is_signed ? i64(low << (64 - bits)) >> (64 - bits) : i64(low);
}
i64 clamped(i64 value, u32 bits, bool is_signed) {
  return std::clamp(value, is_signed ? -(i64(1) << (bits - 1)) : i64(0), (i64(1) << (bits - (is_signed ? 1 : 0))) - 1);
}
u32 merged(u32 into, i64 value, u32 at, u32 bits) {
  const u32 mask = bits == 32 ? ~0u : ((1u << bits) - 1) << at;
  return (into & ~mask) | (u32(u64(value)) << at & mask);
}

void expect_parts(const std::string& instruction, const std::function<u32(u32, u32, u32)>& expected) {
  expect_results(operand_moves + "  " + instruction,
                 [&](u32 t, u32 n) { return expected(first(t), second(n), third(t, n)); });
}

TEST(DecodeParts, PacksSaturatedIntegers) {
  const auto packed = [](u32 a, u32 b, u32 c, u32 bits, bool is_signed) {
    const u32 low = merged(bits < 16 ? c << (2 * bits) : 0, clamped(i32(b), bits, is_signed), 0, bits);
    return merged(low, clamped(i32(a), bits, is_signed), bits, bits);
  };
  for (const bool is_signed : {false, true}) {
    for (const u32 bits : {2u, 4u, 8u, 16u}) {
      // Numbers near the limits of each width: a and b shifted down.
      for (const u32 shift : {0u, 16u, 24u, 30u}) {
        const std::string line = fmt::format(
            "shr.s32 %r3, %r3, {0};\n  shr.s32 %r4, %r4, {0};\n  cvt.pack.sat.{1}{2}.s32{3} %r9, %r3, %r4{4};", shift,
            is_signed ? 's' : 'u', bits, bits < 16 ? ".b32" : "", bits < 16 ? ", %r5" : "");
        expect_parts(line, [&](u32 a, u32 b, u32 c) {
          return packed(u32(i32(a) >> shift), u32(i32(b) >> shift), c, bits, is_signed);
        });
      }
    }
  }
}

// Registers of 8 bits, which Triton's conversions have.
TEST(DecodeParts, MovesBytes) {
  const std::string registers = ".reg .s8 s<4>;\n  .reg .b8 t<4>;\n  ";
  const auto bytes_of = [](u32 value, std::array<u32, 4> order) {
    u32 out = 0;
    for (u32 n = 0; n < 4; ++n) out |= u32(part(value, 8 * order[n], 8, false)) << 8 * n;
    return out;
  };
  expect_parts(registers + "mov.b32 {s0, s1, s2, s3}, %r5;\n  mov.b32 %r9, {s3, s1, s0, s2};",
               [&](u32, u32, u32 value) {
                 return bytes_of(value, {3, 1, 0, 2});
               });
  for (const u32 n : {0u, 1u, 2u, 3u}) {
    expect_parts(registers + fmt::format("mov.b32 {{s0, s1, s2, s3}}, %r5;\n  cvt.s32.s8 %r9, s{};", n),
                 [&](u32, u32, u32 value) { return u32(part(value, 8 * n, 8, true)); });
  }
  expect_parts(registers +
                   "mov.b32 {_, t1, _, t3}, %r5;\n  mov.b16 %rs1, {t3, t1};\n  mov.b16 {t0, t2}, %rs1;\n"
                   "  mov.b32 %r9, {t2, t0, t1, t3};",
               [&](u32, u32, u32 value) {
                 return bytes_of(value, {1, 3, 1, 3});
               });
}

i64 video(const std::string& name, i64 a, i64 b) {
  if (name == "add") return a + b;
  if (name == "sub") return a - b;
  if (name == "absdiff") return std::abs(a - b);
  if (name == "min") return std::min(a, b);
  if (name == "max") return std::max(a, b);
  return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;  // avrg
}

TEST(DecodeParts, VideoInstructionsOnParts) {
  const auto type = [](bool is_signed) { return is_signed ? "s32" : "u32"; };
  for (const char* name : {"add", "sub", "absdiff", "min", "max"}) {
    for (u32 signs = 0; signs < 8; ++signs) {
      const bool d = signs & 1, a = signs & 2, b = signs & 4;
      for (const char* sat : {"", ".sat"}) {
        const auto limited = [&](i64 value, u32 bits) { return *sat ? clamped(value, bits, d) : value; };
        const std::string opcode = fmt::format("v{}.{}.{}.{}{}", name, type(d), type(a), type(b), sat);
        expect_parts(opcode + " %r9, %r3, %r4;", [&](u32 x, u32 y, u32) {
          return u32(limited(video(name, part(x, 0, 32, a), part(y, 0, 32, b)), 32));
        });
        expect_parts("mov.b32 %r9, 77;\n  " + opcode + " %r9.h1, %r3.b2, %r4.h1, %r5;", [&](u32 x, u32 y, u32 z) {
          return merged(z, limited(video(name, part(x, 16, 8, a), part(y, 16, 16, b)), 16), 16, 16);
        });
        expect_parts(opcode + ".add %r9, %r3.b3, %r4.h0, %r5;", [&](u32 x, u32 y, u32 z) {
          return u32(limited(video(name, part(x, 24, 8, a), part(y, 0, 16, b)), 32)) + z;
        });
        expect_parts(opcode + ".max %r9, %r3.h1, %r4.b0, %r5;", [&](u32 x, u32 y, u32 z) {
          const u32 result = u32(limited(video(name, part(x, 16, 16, a), part(y, 0, 8, b)), 32));
          return d ? u32(std::max(i32(result), i32(z))) : std::max(result, z);
        });
      }
    }
  }
  expect_parts("vset.s32.u32.lt %r9, %r3.h0, %r4.b1;",
               [](u32 x, u32 y, u32) { return u32(part(x, 0, 16, true) < part(y, 8, 8, false)); });
  expect_parts("vshl.u32.s32.u32.sat.clamp %r9, %r3.h0, %r4.b0;", [](u32 x, u32 y, u32) {
    return u32(clamped(part(x, 0, 16, true) * (i64(1) << std::min<i64>(32, part(y, 0, 8, false))), 32, false));
  });
  expect_parts("vshr.s32.s32.u32.wrap %r9, %r3, %r4.b0;",
               [](u32 x, u32 y, u32) { return u32(i32(x) >> (part(y, 0, 8, false) & 31)); });
}

TEST(DecodeParts, VideoInstructionsOnAllParts) {
  for (const u32 lanes : {2u, 4u}) {
    const u32 bits = 32 / lanes;
    for (const char* name : {"add", "sub", "absdiff", "min", "max", "avrg"}) {
      for (const bool is_signed : {false, true}) {
        const std::string types = is_signed ? ".s32.s32.s32" : ".u32.u32.u32";
        const auto lane = [&](u32 x, u32 n) { return part(x, n * bits, bits, is_signed); };
        expect_parts(fmt::format("v{}{}{}.sat %r9, %r3, %r4, %r5;", name, lanes, types), [&](u32 x, u32 y, u32 z) {
          for (u32 n = 0; n < lanes; ++n) {
            z = merged(z, clamped(video(name, lane(x, n), lane(y, n)), bits, is_signed), n * bits, bits);
          }
          return z;
        });
        expect_parts(fmt::format("v{}{}{}.add %r9, %r3, %r4, %r5;", name, lanes, types), [&](u32 x, u32 y, u32 z) {
          for (u32 n = 0; n < lanes; ++n) z += u32(video(name, lane(x, n), lane(y, n)));
          return z;
        });
      }
    }
  }
  // Lanes chosen from both operands, and a mask.
  expect_parts("vadd2.u32.u32.u32 %r9.h1, %r3.h20, %r4.h13, %r5;",
               [](u32 x, u32 y, u32 z) { return merged(z, i64(y & 0xffff) + (x >> 16), 16, 16); });
  expect_parts("vset4.u32.u32.ge %r9, %r3, %r4, %r5;", [](u32 x, u32 y, u32 z) {
    for (u32 n = 0; n < 4; ++n) z = merged(z, part(x, n * 8, 8, false) >= part(y, n * 8, 8, false), n * 8, 8);
    return z;
  });
}

TEST(DecodeParts, PairsOfFloats) {
  // Numbers with few exponents, so that sums round; the two halves differ.
  const std::string pairs =
      "  cvt.rn.f32.s32 %f1, %r3;\n  cvt.rn.f32.s32 %f2, %r4;\n  mul.f32 %f3, %f2, 0f3F000001;\n  mov.b64 %rd3, {%f1, "
      "%f2};\n"
      "  mov.b64 %rd4, {%f2, %f3};\n  mov.b64 %rd5, {%f3, %f1};\n";
  const auto result = [&](const char* line, u32 half, const std::function<float(float, float, float)>& of) {
    expect_parts(pairs + "  " + line + fmt::format("\n  mov.b64 {{%r7, %r8}}, %rd6;\n  mov.b32 %r9, %r{};", 7 + half),
                 [&](u32 x, u32 y, u32) {
                   const float a = float(i32(x)), b = float(i32(y)), c = b * std::bit_cast<float>(0x3f000001u);
                   return std::bit_cast<u32>(half ? of(b, c, a) : of(a, b, c));
                 });
  };
  for (const u32 half : {0u, 1u}) {
    result("add.rn.f32x2 %rd6, %rd3, %rd4;", half, [](float a, float b, float) { return a + b; });
    result("sub.f32x2 %rd6, %rd3, %rd4;", half, [](float a, float b, float) { return a - b; });
    result("mul.rn.f32x2 %rd6, %rd3, %rd4;", half, [](float a, float b, float) { return a * b; });
    result("fma.rn.f32x2 %rd6, %rd3, %rd4, %rd5;", half, [](float a, float b, float c) { return std::fmaf(a, b, c); });
    // Cut towards zero: the exact sum of two floats of this size is a double.
    result("add.rz.f32x2 %rd6, %rd3, %rd4;", half, [](float a, float b, float) {
      const double exact = double(a) + double(b);
      const float near = float(exact);
      return std::abs(double(near)) > std::abs(exact) ? std::nextafterf(near, 0.0f) : near;
    });
  }
}

TEST(DecodeParts, MinAndMaxOfThree) {
  const std::string floats = "  mov.b32 %f1, %r3;\n  mov.b32 %f2, %r4;\n  mov.b32 %f3, %r5;\n  ";
  const auto of = [&](const std::string& line, const std::function<float(float, float, float)>& expected) {
    expect_parts(floats + line + " %f4, %f1, %f2, %f3;\n  mov.b32 %r9, %f4;", [&](u32 x, u32 y, u32 z) {
      const float result = expected(std::bit_cast<float>(x), std::bit_cast<float>(y), std::bit_cast<float>(z));
      return std::isnan(result) ? 0x7fffffffu : std::bit_cast<u32>(result);
    });
  };
  // A number wins over NaN, also over a signalling one; -0 is less than +0.
  const auto less = [](float a, float b) { return a < b || (a == b && std::signbit(a)); };
  const auto least = [=](float a, float b) { return std::isnan(a) ? b : std::isnan(b) || less(a, b) ? a : b; };
  const auto most = [=](float a, float b) { return std::isnan(a) ? b : std::isnan(b) || less(b, a) ? a : b; };
  of("min.f32", [=](float a, float b, float c) { return least(least(a, b), c); });
  of("max.f32", [=](float a, float b, float c) { return most(most(a, b), c); });
  of("max.NaN.f32", [=](float a, float b, float c) {
    return std::isnan(a) || std::isnan(b) || std::isnan(c) ? NAN : most(most(a, b), c);
  });
  of("min.abs.f32", [=](float a, float b, float c) { return least(least(std::fabs(a), std::fabs(b)), std::fabs(c)); });
}

// Each element by itself; a register may take a result and be an operand.
TEST(DecodeParts, VectorAtomics) {
  const std::string start = R"(
  .shared .align 16 .b8 cells[1024];
  mov.u32 %r10, cells;
  shl.b32 %r11, %r1, 4;
  add.u32 %r10, %r10, %r11;
  cvt.rn.f32.u32 %f1, %r1;
  mov.f32 %f2, 0f40000000;
  mov.f32 %f3, 0f40400000;
  cvt.rn.f32.s32 %f4, %r2;
  st.shared.v4.f32 [%r10], {%f1, %f2, %f3, %f4};
  cvt.u64.u32 %rd3, %r10;
  cvta.shared.u64 %rd4, %rd3;
)";
  for (u32 n = 0; n < 4; ++n) {
    // What was there, into the operands of the others; then what was added.
    const auto value = [](u32 element, u32 t, u32 number) {
      const float all[] = {float(t), 2, 3, float(i32(number))};
      return all[element];
    };
    const std::string take = fmt::format("  mov.b32 %r9, %f{};", 4 - n);
    expect_results(start + "  atom.add.v4.f32 {%f4, %f3, %f2, %f1}, [%rd4], {%f1, %f2, %f3, %f4};\n" + take,
                   [&](u32 t, u32 number) { return std::bit_cast<u32>(value(n, t, number)); });
    const std::string read = fmt::format("  ld.shared.b32 %r9, [%r10+{}];", 4 * n);
    expect_results(start + "  red.add.v4.f32 [%rd4], {%f4, %f3, %f2, %f1};\n" + read, [&](u32 t, u32 number) {
      return std::bit_cast<u32>(value(n, t, number) + value(3 - n, t, number));
    });
    const std::string halves = fmt::format(
        "  cvt.rn.f16x2.f32 %r5, %f2, %f3;\n  st.shared.v2.b32 [%r10], {{%r5, %r5}};\n"
        "  red.add.noftz.v2.f16x2 [%rd4], {{%r5, %r5}};\n  ld.shared.b32 %r9, [%r10+{}];",
        4 * (n % 2));
    expect_results(start + halves, [](u32, u32) { return 0x44004600u; });  // 4 and 6
  }
}

TEST(DecodeParts, RoundsToBfloatUpAndDown) {
  for (const bool up : {false, true}) {
    expect_results(
        operand_moves +
            fmt::format("  mov.b32 %f1, %r5;\n  cvt.r{}.bf16.f32 %rs1, %f1;\n  cvt.u32.u16 %r9, %rs1;", up ? 'p' : 'm'),
        [&](u32 t, u32 n) {
          const u32 bits = third(t, n);
          if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fffu;
          const bool away = up != bool(bits >> 31) && (bits & 0xffffu) != 0;
          return (bits >> 16) + (away ? 1 : 0);
        });
  }
}

}  // namespace
}  // namespace ropewalk
