// Comparisons against a table of what each operator says of less, equal, greater and unordered.
#include "lib/machine/arithmetic/compare.h"

#include <cmath>

#include "tests/lib/machine/arithmetic/samples.h"

namespace ropewalk::machine::arithmetic {
namespace {

enum Order { Less, Equal, Greater, Unordered };

// The column of the manual's table for each operator: which of less, equal, greater, unordered make it true.
struct Row {
  const char* name;
  bool truth[4];
};
constexpr Row rows[] = {
    {"eq", {false, true, false, false}}, {"ne", {true, false, true, false}},  {"lt", {true, false, false, false}},
    {"le", {true, true, false, false}},  {"gt", {false, false, true, false}}, {"ge", {false, true, true, false}},
    {"equ", {false, true, false, true}}, {"neu", {true, false, true, true}},  {"ltu", {true, false, false, true}},
    {"leu", {true, true, false, true}},  {"gtu", {false, false, true, true}}, {"geu", {false, true, true, true}},
    {"num", {true, true, true, false}},  {"nan", {false, false, false, true}}};

// The order of two stored values, by way of wider arithmetic.
template <class Type>
Order order_of(typename Type::Storage a, typename Type::Storage b, bool ftz) {
  if constexpr (Type::is_integer) {
    const __int128 x = typename Type::Value(a), y = typename Type::Value(b);
    return x < y ? Less : x > y ? Greater : Equal;
  } else {
    double x, y;
    double smallest_normal = 0x1p-126;
    if constexpr (std::is_same_v<Type, type::F16>) smallest_normal = 0x1p-14;
    x = double(Type::load(a)), y = double(Type::load(b));
    if (std::isnan(x) || std::isnan(y)) return Unordered;
    if (ftz && std::fabs(x) < smallest_normal) x = 0;
    if (ftz && std::fabs(y) < smallest_normal) y = 0;
    return std::isless(x, y) ? Less : std::isgreater(x, y) ? Greater : Equal;
  }
}

constexpr u64 compare_count = 20000;

// The forms of one operator on one type.
template <class Type>
struct Forms {
  using A = typename Type::Storage;
  u8 (*setp)(A, A);
  u32 (*set_mask)(A, A);
  float (*set_one)(A, A);
  u8 (*setp_and)(A, A, u8);
  u8 (*setp_or)(A, A, u8);
  u8 (*setp_xor_complement)(A, A, u8);
  u32 (*set_xor)(A, A, u8);
};
template <class Type, bool Ftz, Relation R>
constexpr Forms<Type> forms{&Setp<R, Type, Ftz>::apply,
                            &Set<R, type::U32, Type, Ftz>::apply,
                            &Set<R, type::F32, Type, Ftz>::apply,
                            &SetpWith<Boolean::And, R, Type, Ftz>::apply,
                            &SetpWith<Boolean::Or, R, Type, Ftz>::apply,
                            &SetpWith<Boolean::Xor, R, Type, Ftz>::Complement::apply,
                            &SetWith<Boolean::Xor, R, type::S32, Type, Ftz>::apply};

template <class Type>
void check_forms(const Row& row, bool ftz, const Forms<Type>& got) {
  Random random(47);
  for (u64 i = 0; i < compare_count; ++i) {
    const auto a = Sample<typename Type::Storage>::draw(random), b = related_sample(random, a);
    const u8 c = Sample<u8>::draw(random);
    const bool truth = row.truth[order_of<Type>(a, b, ftz)], other = c != 0;
    const bool right = got.setp(a, b) == (truth ? 0xff : 0) && got.set_mask(a, b) == (truth ? 0xffffffffu : 0u) &&
                       got.set_one(a, b) == (truth ? 1.0f : 0.0f) &&
                       got.setp_and(a, b, c) == (truth && other ? 0xff : 0) &&
                       got.setp_or(a, b, c) == (truth || other ? 0xff : 0) &&
                       got.setp_xor_complement(a, b, c) == (!truth != other ? 0xff : 0) &&
                       got.set_xor(a, b, c) == (truth != other ? 0xffffffffu : 0u);
    ASSERT_TRUE(right) << row.name << " of " << std::hex << bits_of(a) << " and " << bits_of(b) << " should be "
                       << truth;
  }
}
template <class Type, bool Ftz, u32... Index>
void check_relations(std::integer_sequence<u32, Index...>) {
  (check_forms<Type>(rows[Index], Ftz, forms<Type, Ftz, Relation(Index)>), ...);
}
template <class Type>
void check_integer() {
  check_relations<Type, false>(std::make_integer_sequence<u32, 6>());
}
template <class Type, bool Ftz>
void check_float() {
  check_relations<Type, Ftz>(std::make_integer_sequence<u32, 14>());
}

TEST(Compare, Integers16) { check_integer<type::U16>(), check_integer<type::S16>(); }
TEST(Compare, Integers32) { check_integer<type::U32>(), check_integer<type::S32>(); }
TEST(Compare, Integers64) { check_integer<type::U64>(), check_integer<type::S64>(); }
TEST(Compare, Halves) {
  check_float<type::F16, false>(), check_float<type::F16, true>(), check_float<type::BF16, false>();
}
TEST(Compare, Float32) { check_float<type::F32, false>(), check_float<type::F32, true>(); }
TEST(Compare, Float64) { check_float<type::F64, false>(); }

TEST(Compare, PairsOfHalves) {
  using type::F16;
  const auto truth = [](u32 a, u32 b, u32 shift) {
    return rows[u32(Relation::Le)].truth[order_of<F16>(u16(a >> shift), u16(b >> shift), false)];
  };
  check_two<SetHalves<Relation::Le, type::U16, F16>>("set.le.u32.f16x2", sample_count, [&](u32 a, u32 b) {
    return (truth(a, b, 0) ? 0xffffu : 0u) | (truth(a, b, 16) ? 0xffff0000u : 0u);
  });
  check_two<SetHalves<Relation::Le, F16, F16>>("set.le.f16x2.f16x2", sample_count, [&](u32 a, u32 b) {
    return (truth(a, b, 0) ? 0x3c00u : 0u) | (truth(a, b, 16) ? 0x3c000000u : 0u);
  });
  check_two<SetpHalf<Relation::Le, F16, true>>("setp.le.f16x2", sample_count,
                                               [&](u32 a, u32 b) { return truth(a, b, 16) ? 0xff : 0; });
  check_two<SetpHalf<Relation::Le, F16, false>>("setp.le.f16x2", sample_count,
                                                [&](u32 a, u32 b) { return truth(a, b, 0) ? 0xff : 0; });
  EXPECT_EQ((Set<Relation::Eq, type::BF16, type::BF16>::apply(0x4000, 0x4000)), 0x3f80);
}

TEST(Compare, ChoiceBySign) {
  check_three<SlctS32<u64>>("slct.s32", sample_count, [](u64 a, u64 b, u32 c) { return c >> 31 ? b : a; });
  check_three<SlctF32<u32, false>>("slct.f32", sample_count, [](u32 a, u32 b, float c) {
    return std::isnan(c) || (std::signbit(c) && c != 0) ? b : a;
  });
  check_three<SlctF32<u32, true>>("slct.ftz.f32", sample_count, [](u32 a, u32 b, float c) {
    return std::isnan(c) || (std::signbit(c) && c != 0 && std::fpclassify(c) != FP_SUBNORMAL) ? b : a;
  });
}

template <template <Property> class Op, class F>
void check_properties() {
  const auto category = [](F a) { return std::fpclassify(a); };
  check_one<Op<Property::Finite>>("finite", sample_count, [&](F a) { return std::isfinite(a) ? 0xff : 0; });
  check_one<Op<Property::Infinite>>("infinite", sample_count, [&](F a) { return std::isinf(a) ? 0xff : 0; });
  check_one<Op<Property::Number>>("number", sample_count, [&](F a) { return std::isnan(a) ? 0 : 0xff; });
  check_one<Op<Property::NotANumber>>("notanumber", sample_count, [&](F a) { return std::isnan(a) ? 0xff : 0; });
  check_one<Op<Property::Normal>>("normal", sample_count,
                                  [&](F a) { return std::isnormal(a) || category(a) == FP_ZERO ? 0xff : 0; });
  check_one<Op<Property::Subnormal>>("subnormal", sample_count,
                                     [&](F a) { return category(a) == FP_SUBNORMAL ? 0xff : 0; });
}
TEST(Compare, Properties) {
  check_properties<TestpF32, float>();
  check_properties<TestpF64, double>();
}

}  // namespace
}  // namespace ropewalk::machine::arithmetic
