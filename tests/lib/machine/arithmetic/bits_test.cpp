// Bit instructions against loops over single bits, as the PTX manual writes them.
#include "lib/machine/arithmetic/bits.h"

#include "lib/machine/arithmetic/logic.h"
#include "lib/machine/arithmetic/permute.h"
#include "lib/machine/arithmetic/shift.h"
#include "tests/lib/machine/arithmetic/samples.h"

namespace ropewalk::machine::arithmetic {
namespace {

template <class U>
bool bit_at(U a, u32 index) {
  return (u64(a) >> index) & 1u;
}

template <class Type>
class BitsTest : public testing::Test {};
using Types = testing::Types<type::U32, type::S32, type::U64, type::S64>;
TYPED_TEST_SUITE(BitsTest, Types);

TYPED_TEST(BitsTest, CountsAndPositions) {
  using Type = TypeParam;
  using U = typename Type::Storage;
  check_one<Popc<U>>("popc", sample_count, [](U a) { return u32(__builtin_popcountll(a)); });
  check_one<Clz<U>>("clz", sample_count, [](U a) {
    u32 zeros = 0;
    while (zeros < Type::bits && !bit_at(a, Type::bits - 1 - zeros)) ++zeros;
    return zeros;
  });
  check_one<Brev<U>>("brev", sample_count, [](U a) {
    U result = 0;
    for (u32 i = 0; i < Type::bits; ++i) result |= U(bit_at(a, i)) << (Type::bits - 1 - i);
    return result;
  });
  const auto position = [](U a) {
    const bool sought = !(Type::is_signed && bit_at(a, Type::bits - 1));
    for (u32 i = Type::bits; i-- > 0;) {
      if (bit_at(a, i) == sought) return i;
    }
    return 0xffffffffu;
  };
  check_one<Bfind<Type, false>>("bfind", sample_count, position);
  check_one<Bfind<Type, true>>("bfind.shiftamt", sample_count, [&](U a) {
    return position(a) == 0xffffffffu ? 0xffffffffu : Type::bits - 1 - position(a);
  });
}

TYPED_TEST(BitsTest, Fields) {
  using Type = TypeParam;
  using U = typename Type::Storage;
  constexpr u32 top = Type::bits - 1;
  Random random(3);
  for (u32 i = 0; i < 2 * sample_count; ++i) {
    const U a = integer_sample<U>(random), b = integer_sample<U>(random);
    const u32 c = u32(random.below(4) ? random.below(Type::bits + 4) : random.bits());
    const u32 d = u32(random.below(4) ? random.below(Type::bits + 4) : random.bits());
    const u32 position = c & 0xff, length = d & 0xff;
    const u32 sign_at = position + length - 1 < top ? position + length - 1 : top;
    const bool sign = Type::is_signed && length != 0 && bit_at(a, sign_at);
    U extracted = 0, inserted = b;
    for (u32 k = 0; k <= top; ++k) {
      extracted |= U(k < length && position + k <= top ? bit_at(a, position + k) : sign) << k;
      if (k < length && position + k <= top) {
        inserted = U((inserted & ~(U(1) << (position + k))) | U(bit_at(a, k)) << (position + k));
      }
    }
    ASSERT_EQ(Bfe<Type>::apply(a, c, d), extracted) << std::hex << a << " " << c << " " << d;
    ASSERT_EQ(Bfi<U>::apply(a, b, c, d), inserted) << std::hex << a << " " << b << " " << c << " " << d;
  }
}

template <class Type>
void check_shifts() {
  using U = typename Type::Storage;
  Random random(5);
  for (u32 i = 0; i < sample_count; ++i) {
    const U a = integer_sample<U>(random);
    const u32 amount = u32(random.below(4) ? random.below(Type::bits + 3) : random.bits());
    U left = a;
    __int128 right = Type::is_signed ? __int128(typename Type::Value(a)) : __int128(a);
    for (u32 k = 0; k < amount && k < 64; ++k) left = U(left << 1), right >>= 1;
    ASSERT_EQ(Shl<Type>::apply(a, amount), left) << std::hex << a << " " << amount;
    ASSERT_EQ(Shr<Type>::apply(a, amount), U(right)) << std::hex << a << " " << amount;
  }
}
TEST(Shift, AmountsOfTheWidthOrMore) {
  check_shifts<type::U16>();
  check_shifts<type::S16>();
  check_shifts<type::U32>();
  check_shifts<type::S32>();
  check_shifts<type::U64>();
  check_shifts<type::S64>();
}

TEST(Shift, Funnel) {
  Random random(6);
  for (u32 i = 0; i < sample_count; ++i) {
    const u32 a = u32(random.bits()), b = u32(random.bits());
    const u32 amount = u32(random.below(4) ? random.below(40) : random.bits());
    const auto left = [&](u32 n) { return n == 0 ? b : n == 32 ? a : (b << n) | (a >> (32 - n)); };
    const auto right = [&](u32 n) { return n == 0 ? a : n == 32 ? b : (b << (32 - n)) | (a >> n); };
    ASSERT_EQ(ShfL<true>::apply(a, b, amount), left(amount % 32));
    ASSERT_EQ(ShfR<true>::apply(a, b, amount), right(amount % 32));
    ASSERT_EQ(ShfL<false>::apply(a, b, amount), left(amount > 32 ? 32 : amount));
    ASSERT_EQ(ShfR<false>::apply(a, b, amount), right(amount > 32 ? 32 : amount));
  }
}

TEST(Bits, MasksAndExtension) {
  Random random(8);
  for (u32 i = 0; i < sample_count; ++i) {
    const u32 a = u32(random.below(2) ? random.below(40) : random.bits());
    const u32 b = u32(random.below(2) ? random.below(40) : random.bits());
    u32 clamped_mask = 0, wrapped_mask = 0, zeros = 0, signs = 0;
    const u32 length = b > 32 ? 32 : b;
    for (u64 k = 0; k < 32; ++k) {
      if (k >= a && k < u64(a) + length) clamped_mask |= 1u << k;
      if (k >= a % 32 && k < a % 32 + b % 32) wrapped_mask |= 1u << k;
      zeros |= u32(k < length && bit_at(a, u32(k))) << k;
      signs |= u32(length != 0 && bit_at(a, u32(k < length ? k : length - 1))) << k;
    }
    ASSERT_EQ(Bmsk<false>::apply(a, b), clamped_mask) << a << " " << b;
    ASSERT_EQ(Bmsk<true>::apply(a, b), wrapped_mask) << a << " " << b;
    ASSERT_EQ((Szext<type::U32, false>::apply(a, b)), zeros) << a << " " << b;
    ASSERT_EQ((Szext<type::S32, false>::apply(a, b)), signs) << a << " " << b;
    const u32 wrapped = b % 32;
    ASSERT_EQ((Szext<type::S32, true>::apply(a, b)), wrapped ? u32(i32(a << (32 - wrapped)) >> (32 - wrapped)) : 0u);
    ASSERT_EQ((Szext<type::U32, true>::apply(a, b)), wrapped ? (a << (32 - wrapped)) >> (32 - wrapped) : 0u);
  }
}

TEST(Bits, FindNthSet) {
  Random random(9);
  for (u32 i = 0; i < sample_count; ++i) {
    const u32 mask = u32(random.bits() & random.bits()), base = u32(random.below(32));
    const i32 offset = i32(random.between(-34, 34));
    u32 expected = 0xffffffffu;
    if (offset == 0) {
      if (bit_at(mask, base)) expected = base;
    } else {
      i32 count = (offset < 0 ? -offset : offset) - 1;
      for (i32 at = i32(base); at >= 0 && at<32; at += offset> 0 ? 1 : -1) {
        if (!bit_at(mask, u32(at))) continue;
        if (count-- == 0) {
          expected = u32(at);
          break;
        }
      }
    }
    ASSERT_EQ(Fns::apply(mask, base, u32(offset)), expected) << std::hex << mask << " " << base << " " << offset;
  }
}

TEST(Logic, EveryTableOfThree) {
  Random random(10);
  for (u32 table = 0; table < 256; ++table) {
    for (u32 i = 0; i < 50; ++i) {
      const u32 a = u32(random.bits()), b = u32(random.bits()), c = u32(random.bits());
      u32 expected = 0;
      for (u32 k = 0; k < 32; ++k) {
        expected |= ((table >> (bit_at(a, k) * 4 + bit_at(b, k) * 2 + bit_at(c, k))) & 1u) << k;
      }
      ASSERT_EQ(Lop3::apply(a, b, c, table), expected);
    }
  }
  // The manual's way to make a table: the function applied to 0xf0, 0xcc, 0xaa.
  EXPECT_EQ(Lop3::apply(0x12345678u, 0x9abcdef0u, 0x0f0f0f0fu, 0xf0 & 0xcc & 0xaa),
            0x12345678u & 0x9abcdef0u & 0x0f0f0f0fu);
}

TEST(Logic, BooleanAndChoice) {
  check_two<And<u64>>("and", sample_count, [](u64 a, u64 b) { return ~(~a | ~b); });
  check_two<Or<u16>>("or", sample_count, [](u16 a, u16 b) { return u16(a + b - (a & b)); });
  check_two<Xor<u32>>("xor", sample_count, [](u32 a, u32 b) { return (a | b) - (a & b); });
  check_one<Not<u32>>("not", sample_count, [](u32 a) { return 0xffffffffu - a; });
  check_one<Not<u8>>("not.pred", 10, [](u8 a) { return u8(a ? 0 : 0xff); });
  check_one<Cnot<u64>>("cnot", sample_count, [](u64 a) { return a ? u64(0) : u64(1); });
  check_three<Selp<float>>("selp", sample_count, [](float a, float b, u8 c) { return c == 0xff ? a : b; });
}

// The bytes of b:a, for prmt.
u32 byte_at(u32 a, u32 b, u32 index) { return ((index < 4 ? a >> (8 * index) : b >> (8 * (index - 4)))) & 0xffu; }

TEST(Permute, SelectorsAndSigns) {
  check_three<Prmt>("prmt", sample_count, [](u32 a, u32 b, u32 c) {
    u32 result = 0;
    for (u32 index = 0; index < 4; ++index) {
      const u32 nibble = (c >> (4 * index)) & 15u;
      const u32 byte = byte_at(a, b, nibble & 7u);
      result |= (nibble & 8u ? (byte >= 0x80 ? 0xffu : 0u) : byte) << (8 * index);
    }
    return result;
  });
}
TEST(Permute, Modes) {
  Random random(11);
  for (u32 i = 0; i < 1000; ++i) {
    const u32 a = u32(random.bits()), b = u32(random.bits()), c = u32(random.bits()), n = c & 3;
    const auto picked = [&](auto source) {
      u32 result = 0;
      for (u32 index = 0; index < 4; ++index) result |= byte_at(a, b, source(index) & 7u) << (8 * index);
      return result;
    };
    ASSERT_EQ((PrmtMode<PermuteMode::F4e>::apply(a, b, c)), picked([&](u32 index) { return n + index; }));
    ASSERT_EQ((PrmtMode<PermuteMode::B4e>::apply(a, b, c)), picked([&](u32 index) { return n - index; }));
    ASSERT_EQ((PrmtMode<PermuteMode::Rc8>::apply(a, b, c)), picked([&](u32) { return n; }));
    ASSERT_EQ((PrmtMode<PermuteMode::Ecl>::apply(a, b, c)), picked([&](u32 index) { return index > n ? index : n; }));
    ASSERT_EQ((PrmtMode<PermuteMode::Ecr>::apply(a, b, c)), picked([&](u32 index) { return index < n ? index : n; }));
    ASSERT_EQ((PrmtMode<PermuteMode::Rc16>::apply(a, b, c)),
              picked([&](u32 index) { return (n & 1) * 2 + index % 2; }));
  }
}

}  // namespace
}  // namespace ropewalk::machine::arithmetic
