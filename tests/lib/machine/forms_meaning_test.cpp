// That each key of the tables computes what its text says, against plain arithmetic on wide integers and doubles that
// knows nothing of the lane functions (which have tests of their own, with more operands).
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "lib/base/half.h"
#include "tests/lib/machine/form_bench.h"

namespace ropewalk::machine {
namespace {

using Wide = __int128;

std::vector<std::string> words_of(const std::string& key) {
  std::vector<std::string> words;
  std::istringstream stream(key);
  for (std::string word; std::getline(stream, word, '.');) words.push_back(word);
  return words;
}
bool has(const std::vector<std::string>& words, const char* word) {
  for (const std::string& one : words) {
    if (one == word) return true;
  }
  return false;
}

// A type by its name: "s32", "f16".
struct NamedType {
  char kind;  // 'u', 's', 'b', 'f', 'h' (bf16)
  u32 bits;

  static NamedType of(const std::string& name) {
    if (name.starts_with("bf")) return {'h', u32(std::stoul(name.substr(2)))};
    return {name[0], u32(std::stoul(name.substr(1)))};
  }
  bool is_float() const { return kind == 'f' || kind == 'h'; }
  Wide integer(u64 bits_of_register) const {
    const u64 low = bits == 64 ? bits_of_register : bits_of_register & ((u64(1) << bits) - 1);
    if (kind != 's') return Wide(low);
    return bits == 64 ? Wide(i64(low)) : Wide(i64(low << (64 - bits)) >> (64 - bits));
  }
  double number(u64 pattern) const {
    if (kind == 'h') return bf16_to_f32(u16(pattern));
    if (bits == 16) return f16_to_f32(u16(pattern));
    if (bits == 32) return bits_to_f32(u32(pattern));
    return __builtin_bit_cast(double, pattern);
  }
  u64 pattern(double value) const {
    if (kind == 'h') return f64_to_bf16(value);
    if (bits == 16) return f64_to_f16(value);
    if (bits == 32) return f32_to_bits(float(value));
    return __builtin_bit_cast(u64, value);
  }
  Wide lowest() const { return kind == 's' ? -(Wide(1) << (bits - 1)) : Wide(0); }
  Wide highest() const { return (Wide(1) << (kind == 's' ? bits - 1 : bits)) - 1; }
  Wide clamped(Wide value) const { return value < lowest() ? lowest() : value > highest() ? highest() : value; }
  u64 mask() const { return bits == 64 ? ~u64(0) : (u64(1) << bits) - 1; }
};

bool holds(const std::string& relation, double a, double b) {
  const bool unordered = a != a || b != b;
  if (relation == "num") return !unordered;
  if (relation == "nan") return unordered;
  const bool with_nan = relation.size() == 3 && relation[2] == 'u';
  if (unordered) return with_nan;
  const std::string plain = relation.substr(0, 2);
  if (plain == "eq") return a == b;
  if (plain == "ne") return a != b;
  if (plain == "lt") return a < b;
  if (plain == "le") return a <= b;
  if (plain == "gt") return a > b;
  return a >= b;
}
bool holds(const std::string& relation, Wide a, Wide b) {
  if (relation == "eq") return a == b;
  if (relation == "ne") return a != b;
  if (relation == "lt" || relation == "lo") return a < b;
  if (relation == "le" || relation == "ls") return a <= b;
  if (relation == "gt" || relation == "hi") return a > b;
  return a >= b;
}

// Runs a key on random operands; `expected` gives the bits for (a, b, c), compared under `mask`.
template <class Expected>
void check_key(const std::string& key, u64 mask, Expected expected, bool nice_numbers = false,
               NamedType type = {'u', 32}) {
  const Form& form = compute_table().at(key);
  Random random(mix(key.size()) ^ mix(u64(key.back())));
  FormBench bench(form);
  for (u32 round = 0; round < 30; ++round) {
    bench.draw(random);
    for (u32 n = 0; nice_numbers && n < bench.operand_count(); ++n) {
      for (u32 lane = 0; lane < FormBench::lanes; ++lane) {
        bench.set_operand(n, lane, type.pattern(double(random.between(-24, 24)) / 8));
      }
    }
    bench.run_vector();
    for (u32 lane = 0; lane < FormBench::lanes; ++lane) {
      const u64 a = bench.operand(0, lane), b = bench.operand_count() > 1 ? bench.operand(1, lane) : 0,
                c = bench.operand_count() > 2 ? bench.operand(2, lane) : 0;
      ASSERT_EQ(bench.result(lane) & mask, expected(a, b, c) & mask)
          << key << std::hex << " of " << a << ", " << b << ", " << c;
    }
  }
}

const char* const integer_types[] = {"u16", "s16", "u32", "s32", "u64", "s64"};

TEST(FormMeaning, IntegerSumsAndExtremes) {
  for (const std::string name : integer_types) {
    const NamedType type = NamedType::of(name);
    const auto check = [&](const char* stem, auto function) {
      check_key(stem + ("." + name), type.mask(),
                [&](u64 a, u64 b, u64 c) { return u64(function(type.integer(a), type.integer(b), type.integer(c))); });
    };
    check("add", [](Wide a, Wide b, Wide) { return a + b; });
    check("sub", [](Wide a, Wide b, Wide) { return a - b; });
    check("min", [](Wide a, Wide b, Wide) { return a < b ? a : b; });
    check("max", [](Wide a, Wide b, Wide) { return a < b ? b : a; });
    check("sad", [](Wide a, Wide b, Wide c) { return c + (a < b ? b - a : a - b); });
    if (type.kind == 's') {
      check("abs", [](Wide a, Wide, Wide) { return a < 0 ? -a : a; });
      check("neg", [](Wide a, Wide, Wide) { return -a; });
    }
    // By zero all ones; the most negative number over -1 wraps.
    check("div", [](Wide a, Wide b, Wide) { return b == 0 ? Wide(-1) : a / b; });
    check("rem", [](Wide a, Wide b, Wide) { return b == 0 ? Wide(-1) : a % b; });
    check("mul.lo", [](Wide a, Wide b, Wide) { return Wide((unsigned __int128)(a) * (unsigned __int128)(b)); });
    check("mad.lo", [](Wide a, Wide b, Wide c) {
      return Wide((unsigned __int128)(a) * (unsigned __int128)(b) + (unsigned __int128)(c));
    });
  }
  const NamedType s32 = NamedType::of("s32");
  check_key("add.sat.s32", s32.mask(),
            [&](u64 a, u64 b, u64) { return u64(s32.clamped(s32.integer(a) + s32.integer(b))); });
  check_key("sub.sat.s32", s32.mask(),
            [&](u64 a, u64 b, u64) { return u64(s32.clamped(s32.integer(a) - s32.integer(b))); });
}

TEST(FormMeaning, HighAndWideProducts) {
  for (const std::string name : {"u16", "s16", "u32", "s32"}) {
    const NamedType type = NamedType::of(name);
    const auto product = [type](u64 a, u64 b) { return type.integer(a) * type.integer(b); };
    const u64 wide = type.bits == 32 ? ~u64(0) : 0xffffffffu;
    check_key("mul.wide." + name, wide, [=](u64 a, u64 b, u64) { return u64(product(a, b)); });
    check_key("mad.wide." + name, wide, [=](u64 a, u64 b, u64 c) { return u64(product(a, b)) + c; });
    check_key("mul.hi." + name, type.mask(), [=](u64 a, u64 b, u64) { return u64(product(a, b) >> type.bits); });
    check_key("mad.hi." + name, type.mask(), [=](u64 a, u64 b, u64 c) { return u64(product(a, b) >> type.bits) + c; });
  }
  check_key("mul.hi.u64", ~u64(0), [](u64 a, u64 b, u64) { return u64(((unsigned __int128)(a)*b) >> 64); });
  check_key("mul.hi.s64", ~u64(0), [](u64 a, u64 b, u64) { return u64((Wide(i64(a)) * i64(b)) >> 64); });
}

TEST(FormMeaning, LogicAndShifts) {
  for (const std::string name : {"b16", "b32", "b64"}) {
    const NamedType type = NamedType::of(name);
    check_key("and." + name, type.mask(), [](u64 a, u64 b, u64) { return a & b; });
    check_key("or." + name, type.mask(), [](u64 a, u64 b, u64) { return a | b; });
    check_key("xor." + name, type.mask(), [](u64 a, u64 b, u64) { return a ^ b; });
    check_key("not." + name, type.mask(), [](u64 a, u64, u64) { return ~a; });
    check_key("cnot." + name, type.mask(), [](u64 a, u64, u64) { return u64(a == 0); });
    check_key("shl." + name, type.mask(), [=](u64 a, u64 b, u64) { return b >= type.bits ? 0 : a << b; });
    check_key("shr." + name, type.mask(), [=](u64 a, u64 b, u64) { return b >= type.bits ? 0 : a >> b; });
    check_key("shr.u" + name.substr(1), type.mask(), [=](u64 a, u64 b, u64) { return b >= type.bits ? 0 : a >> b; });
    const NamedType with_sign{'s', type.bits};
    check_key("shr.s" + name.substr(1), type.mask(),
              [=](u64 a, u64 b, u64) { return u64(with_sign.integer(a) >> (b >= type.bits ? type.bits - 1 : b)); });
    check_key("selp." + name, type.mask(), [](u64 a, u64 b, u64 c) { return c ? a : b; });
  }
  check_key("and.pred", 0xff, [](u64 a, u64 b, u64) { return a && b ? 0xffu : 0; });
  check_key("or.pred", 0xff, [](u64 a, u64 b, u64) { return a || b ? 0xffu : 0; });
  check_key("xor.pred", 0xff, [](u64 a, u64 b, u64) { return (a != 0) != (b != 0) ? 0xffu : 0; });
  check_key("not.pred", 0xff, [](u64 a, u64, u64) { return a ? 0 : 0xffu; });
}

// Every setp of single values.
TEST(FormMeaning, Comparisons) {
  u32 keys = 0;
  for (const auto& [key, form] : compute_table()) {
    const std::vector<std::string> words = words_of(key);
    if (words[0] != "setp" || key.ends_with("x2") || has(words, "ftz")) continue;
    const NamedType type = NamedType::of(words.back());
    ++keys;
    check_key(key, 0xff, [&](u64 a, u64 b, u64) {
      const bool result = type.is_float() ? holds(words[1], type.number(a), type.number(b))
                                          : holds(words[1], type.integer(a), type.integer(b));
      return result ? 0xffu : 0;
    });
  }
  EXPECT_EQ(keys, 3 * 2 + 3 * 10 + 3 * 6 + 4 * 14u);
}

// Every cvt between integers.
TEST(FormMeaning, ConversionsOfIntegers) {
  const char* const types[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
  for (const std::string to_name : types) {
    for (const std::string from_name : types) {
      const NamedType to = NamedType::of(to_name), from = NamedType::of(from_name);
      check_key("cvt." + to_name + "." + from_name, to.mask(), [&](u64 a, u64, u64) { return u64(from.integer(a)); });
      check_key("cvt.sat." + to_name + "." + from_name, to.mask(),
                [&](u64 a, u64, u64) { return u64(to.clamped(from.integer(a))); });
    }
  }
  // 8 bits are kept in 16, extended.
  check_key("cvt.s8.s32", 0xffff, [](u64 a, u64, u64) { return u64(i64(i8(a))); });
  check_key("cvt.u8.s32", 0xffff, [](u64 a, u64, u64) { return u64(u8(a)); });
}

// Every cvt between an integer and a float, in both directions, for .rn and the .rXi.
TEST(FormMeaning, ConversionsOfIntegersAndFloats) {
  u32 keys = 0;
  for (const auto& [key, form] : compute_table()) {
    const std::vector<std::string> words = words_of(key);
    if (words[0] != "cvt" || words.size() != 4 || key.find("x2") != std::string::npos ||
        key.find("tf32") != std::string::npos)
      continue;
    const NamedType to = NamedType::of(words[2]), from = NamedType::of(words[3]);
    if (to.is_float() == from.is_float()) continue;
    if (to.is_float() && words[1] == "rn") {
      ++keys;
      check_key(key, to.mask(), [&](u64 a, u64, u64) -> u64 {
        const Wide value = from.integer(a);
        // Directly to single precision: by way of double it would be rounded twice.
        if (to.bits == 32) return f32_to_bits(from.kind == 's' ? float(i64(value)) : float(u64(value)));
        // What a double would round away is kept as a last bit that says so, or it would be rounded twice.
        const Wide size = value < 0 ? -value : value;
        const bool inexact = to.bits == 16 && size >> 53 != 0 && (value & 0x7ff) != 0;
        return to.pattern(inexact ? double((value >> 11) | 1) * 2048 : double(value));
      });
    } else if (from.is_float()) {
      ++keys;
      check_key(key, to.mask(), [&](u64 a, u64, u64) -> u64 {
        const double value = from.number(a);
        const bool highest_bit = from.bits == 64 || to.bits == 64;
        if (value != value) return highest_bit ? u64(1) << (to.bits - 1) : 0;
        const double whole = words[1] == "rni"   ? std::nearbyint(value)
                             : words[1] == "rzi" ? std::trunc(value)
                             : words[1] == "rmi" ? std::floor(value)
                                                 : std::ceil(value);
        if (whole >= 0x1p65) return u64(to.highest());
        if (whole <= -0x1p65) return u64(to.lowest());
        return u64(to.clamped(Wide(whole)));
      });
    }
  }
  EXPECT_EQ(keys, 4 * 8 + 4 * 8 * 4u);
}

// Arithmetic on numbers whose results are exact, so that every format and rounding must give them.
TEST(FormMeaning, FloatArithmeticOnNiceNumbers) {
  u32 keys = 0;
  for (const auto& [key, form] : compute_table()) {
    const std::vector<std::string> words = words_of(key);
    if (words.back().ends_with("x2") || words[0] == "cvt" || words[0][0] == '%') continue;
    if (words.back()[0] != 'f' && words.back()[0] != 'b') continue;
    if (words.back()[0] == 'b' && !words.back().starts_with("bf")) continue;
    const NamedType type = NamedType::of(words.back());
    const auto check = [&](auto function) {
      ++keys;
      check_key(
          key, type.mask(),
          [&](u64 a, u64 b, u64 c) {
            double result = function(type.number(a), type.number(b), type.number(c));
            if (has(words, "sat")) result = result > 0 ? (result < 1 ? result : 1.0) : 0.0;
            if (has(words, "relu")) result = result > 0 ? result : 0.0;
            return type.pattern(result);
          },
          true, type);
    };
    // Rounding down, an exact zero of a sum is -0.
    const bool down = has(words, "rm") && !has(words, "sat");
    if (has(words, "xorsign")) {
      const bool maximum = words[0] == "max";
      check([&](double a, double b, double) {
        const double x = std::fabs(a), y = std::fabs(b);
        return std::copysign(maximum ? std::max(x, y) : std::min(x, y),
                             std::signbit(a) != std::signbit(b) ? -1.0 : 1.0);
      });
    } else if (words[0] == "add") {
      check([&](double a, double b, double) { return a + b == 0 && down && !(a == 0 && b == 0) ? -0.0 : a + b; });
    } else if (words[0] == "sub") {
      check([&](double a, double b, double) { return a - b == 0 && down ? -0.0 : a - b; });
    } else if (words[0] == "mul") {
      check([](double a, double b, double) { return a * b; });
    } else if (words[0] == "fma") {
      check([&](double a, double b, double c) {
        const double sum = a * b + c;
        const bool positive_zeros = a * b == 0 && c == 0 && !std::signbit(a * b) && !std::signbit(c);
        return sum == 0 && down && !positive_zeros ? -0.0 : sum;
      });
    } else if (words[0] == "min") {
      check([](double a, double b, double) { return std::min(a, b); });
    } else if (words[0] == "max") {
      check([](double a, double b, double) { return std::max(a, b); });
    } else if (words[0] == "abs") {
      check([](double a, double, double) { return std::fabs(a); });
    } else if (words[0] == "neg") {
      check([](double a, double, double) { return -a; });
    } else if (words[0] == "copysign") {
      check([](double a, double b, double) { return std::copysign(b, a); });
    }
  }
  EXPECT_GT(keys, 150u);
}

TEST(FormMeaning, PairsAreTwoOfTheirSingles) {
  u32 keys = 0;
  const auto half = [](u64 bits, u32 n) { return bits >> (16 * n) & 0xffff; };
  for (const auto& [key, form] : compute_table()) {
    if (!key.ends_with("16x2") || key.starts_with("cvt") || key.starts_with("set")) continue;
    const std::string single = key.substr(0, key.size() - 2);
    if (!compute_table().count(single)) continue;
    ++keys;
    FormBench pairs(form), low(compute_table().at(single)), high(compute_table().at(single));
    Random random(keys);
    pairs.draw(random);
    for (u32 n = 0; n < pairs.operand_count(); ++n) {
      for (u32 lane = 0; lane < FormBench::lanes; ++lane) {
        low.set_operand(n, lane, half(pairs.operand(n, lane), 0));
        high.set_operand(n, lane, half(pairs.operand(n, lane), 1));
      }
    }
    pairs.run_vector();
    low.run_vector();
    high.run_vector();
    for (u32 lane = 0; lane < FormBench::lanes; ++lane) {
      ASSERT_EQ(pairs.result(lane), low.result(lane) | high.result(lane) << 16) << key;
    }
  }
  EXPECT_GT(keys, 60u);
}

// Near the function of that name: the error bounds themselves are tested with the lane functions.
TEST(FormMeaning, Approximations) {
  const auto check = [](const std::string& key, const char* type_name, double tolerance, auto function) {
    SCOPED_TRACE(key);
    const NamedType type = NamedType::of(type_name);
    FormBench bench(compute_table().at(key));
    Random random(7);
    for (u32 n = 0; n < bench.operand_count(); ++n) {
      for (u32 lane = 0; lane < FormBench::lanes; ++lane)
        bench.set_operand(n, lane, type.pattern(0.25 + 3 * random.unit()));
    }
    bench.run_vector();
    for (u32 lane = 0; lane < FormBench::lanes; ++lane) {
      const double expected = function(type.number(bench.operand(0, lane)), type.number(bench.operand(1, lane)));
      EXPECT_NEAR(type.number(bench.result(lane)), expected, tolerance * (1 + std::fabs(expected)));
    }
  };
  for (const std::string ftz : {"", ".ftz"}) {
    check("rcp.approx" + ftz + ".f32", "f32", 1e-6, [](double a, double) { return 1 / a; });
    check("sqrt.approx" + ftz + ".f32", "f32", 1e-6, [](double a, double) { return std::sqrt(a); });
    check("rsqrt.approx" + ftz + ".f32", "f32", 1e-6, [](double a, double) { return 1 / std::sqrt(a); });
    check("div.full" + ftz + ".f32", "f32", 1e-6, [](double a, double b) { return a / b; });
    check("div.approx" + ftz + ".f32", "f32", 1e-6, [](double a, double b) { return a / b; });
    check("ex2.approx" + ftz + ".f32", "f32", 1e-6, [](double a, double) { return std::exp2(a); });
    check("lg2.approx" + ftz + ".f32", "f32", 1e-6, [](double a, double) { return std::log2(a); });
    check("sin.approx" + ftz + ".f32", "f32", 1e-6, [](double a, double) { return std::sin(a); });
    check("cos.approx" + ftz + ".f32", "f32", 1e-6, [](double a, double) { return std::cos(a); });
    check("ex2.approx" + ftz + ".f16", "f16", 1e-3, [](double a, double) { return std::exp2(a); });
  }
  check("ex2.approx.ftz.bf16", "bf16", 1e-2, [](double a, double) { return std::exp2(a); });
  check("tanh.approx.f32", "f32", 1e-6, [](double a, double) { return std::tanh(a); });
  check("tanh.approx.f16", "f16", 1e-3, [](double a, double) { return std::tanh(a); });
  check("tanh.approx.bf16", "bf16", 1e-2, [](double a, double) { return std::tanh(a); });
  check("rcp.approx.ftz.f64", "f64", 1e-5, [](double a, double) { return 1 / a; });
  check("rsqrt.approx.f64", "f64", 1e-15, [](double a, double) { return 1 / std::sqrt(a); });
  check("rsqrt.approx.ftz.f64", "f64", 1e-5, [](double a, double) { return 1 / std::sqrt(a); });
}

TEST(FormMeaning, Fields) {
  const auto one = [](const std::string& key, std::vector<u64> operands) {
    FormBench bench(compute_table().at(key));
    for (u32 n = 0; n < operands.size(); ++n) bench.set_operand(n, 0, operands[n]);
    bench.run_vector();
    return bench.result(0);
  };
  EXPECT_EQ(one("bfi.b32", {0xab, 0x11111111, 8, 8}), 0x1111ab11u);
  EXPECT_EQ(one("bfi.b64", {0xab, 0x1111111111111111u, 40, 4}), 0x11111b1111111111u);
  EXPECT_EQ(one("bfe.u32", {0x12345678, 8, 8}), 0x56u);
  EXPECT_EQ(one("bfe.s32", {0x0000f000, 12, 4}), 0xffffffffu);
  EXPECT_EQ(one("lop3.b32", {0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0xe8}), 0xe8e8e8e8u);
  EXPECT_EQ(one("prmt.b32", {0x33221100, 0x77665544, 0x7250}), 0x77225500u);
  EXPECT_EQ(one("prmt.b32.b4e", {0x33221100, 0x77665544, 1}), 0x66770011u);
  EXPECT_EQ(one("shf.l.wrap.b32", {0x80000000, 1, 33}), 3u);
  EXPECT_EQ(one("shf.r.clamp.b32", {1, 0x80000000, 33}), 0x80000000u);
  EXPECT_EQ(one("popc.b64", {0xf0f0f0f0f0f0f0f0u}), 32u);
  EXPECT_EQ(one("clz.b32", {1}), 31u);
  EXPECT_EQ(one("brev.b32", {1}), 0x80000000u);
  EXPECT_EQ(one("bfind.u32", {0x100}), 8u);
  EXPECT_EQ(one("bfind.shiftamt.u32", {0x100}), 23u);
  EXPECT_EQ(one("fns.b32", {0xaaaaaaaa, 3, 2}), 5u);
  EXPECT_EQ(one("dp4a.u32.s32", {0x01020304, 0xffffffff, 20}), 10u);
  EXPECT_EQ(one("set.le.u32.f16x2", {0x3c004000, 0x3c003c00}), 0xffff0000u);
  EXPECT_EQ(one("setp.le.f16x2", {0x3c004000, 0x3c003c00}), 0xff00u);
  EXPECT_EQ(one("cvt.rn.bf16x2.f32", {0x3f800000, 0x40000000}), 0x3f804000u);
  EXPECT_EQ(one("cvt.rn.relu.bf16x2.f32", {0xbf800000, 0x40000000}), 0x00004000u);
  EXPECT_EQ(one("cvt.rna.tf32.f32", {0x3f801000}), 0x3f802000u);
  EXPECT_EQ(one("cvt.rn.satfinite.e4m3x2.f32", {0x3f800000, 0x40000000}), 0x3840u);
  EXPECT_EQ(one("slct.b32.s32", {1, 2, 0x80000000}), 2u);
  EXPECT_EQ(one("testp.infinite.f32", {0xff800000}), 0xffu);
}

TEST(FormMeaning, WhatTheDecoderUses) {
  const u64 all = ~u64(0);
  check_key("%move.u64", all, [](u64 a, u64, u64) { return a; });
  check_key("%pack.u16", all, [](u64 a, u64 b, u64) { return a | b << 16; });
  check_key("%pack.u32", all, [](u64 a, u64 b, u64) { return a | b << 32; });
  check_key("%unpack.u64.u16", all, [](u64 a, u64 b, u64) { return a >> (b & 63) & 0xffff; });
  check_key("%unpack.u64.u32", all, [](u64 a, u64 b, u64) { return a >> (b & 63) & 0xffffffffu; });
  check_key("%unpack.u32.u16", all, [](u64 a, u64 b, u64) { return a >> (b & 31) & 0xffff; });
  check_key("%resize.s16.s64", all, [](u64 a, u64, u64) { return u64(i64(i16(a))); });
  check_key("%resize.s32.s64", all, [](u64 a, u64, u64) { return u64(i64(i32(a))); });
  check_key("%resize.u32.u64", all, [](u64 a, u64, u64) { return a; });
  check_key("%resize.u64.u32", all, [](u64 a, u64, u64) { return a & 0xffffffffu; });
  check_key("%resize.s16.s32", all, [](u64 a, u64, u64) { return u64(u32(i32(i16(a)))); });
  for (const u32 bits : {32u, 64u}) {
    const std::string width = ".u" + std::to_string(bits);
    const u64 mask = bits == 64 ? all : 0xffffffffu;
    FormBench carry(compute_table().at("%carry.add" + width)), sum(compute_table().at("%add.carry" + width));
    Random random(bits);
    carry.draw(random);
    for (u32 lane = 0; lane < FormBench::lanes; ++lane) carry.set_operand(2, lane, random.below(2));
    for (u32 n = 0; n < 3; ++n) {
      for (u32 lane = 0; lane < FormBench::lanes; ++lane) sum.set_operand(n, lane, carry.operand(n, lane));
    }
    sum.run_vector();
    carry.run_vector();
    for (u32 lane = 0; lane < FormBench::lanes; ++lane) {
      const Wide a = Wide(carry.operand(0, lane)), b = Wide(carry.operand(1, lane)), in = Wide(carry.operand(2, lane));
      EXPECT_EQ(sum.result(lane), u64(a + b + in) & mask);
      EXPECT_EQ(carry.result(lane), u64((a + b + in) >> bits));
    }
  }
}

}  // namespace
}  // namespace ropewalk::machine
