// Which bits of a result are known: against all values that the unknown bits may have.
#include "lib/machine/known_bits.h"

#include <gtest/gtest.h>

#include <functional>

namespace ropewalk::machine {
namespace {

constexpr u32 bits = 4;
constexpr u64 all = bits_mask(bits);

i64 as_signed(u64 value, u32 width = bits) { return i64(value << (64 - width)) >> (64 - width); }

using Domain = std::function<KnownBits(KnownBits, KnownBits)>;
using Concrete = std::function<u64(u64, u64)>;  // ~0: there is no result

// Counts bits claimed to be unknown, and those that are, over all operands of four bits. None that is may be missing.
void compare(const Domain& domain, const Concrete& concrete, u64& claimed, u64& truly) {
  for (u64 mask_a = 0; mask_a <= all; ++mask_a) {
    for (u64 mask_b = 0; mask_b <= all; ++mask_b) {
      for (u64 value_a = 0; value_a <= all; ++value_a) {
        for (u64 value_b = 0; value_b <= all; ++value_b) {
          u64 ones = 0, zeros = 0;
          bool has_none = false;
          for (u64 some_a = mask_a;; some_a = (some_a - 1) & mask_a) {
            for (u64 some_b = mask_b;; some_b = (some_b - 1) & mask_b) {
              const u64 result = concrete((value_a & ~mask_a) | some_a, (value_b & ~mask_b) | some_b);
              has_none |= result == ~u64(0);
              ones |= result;
              zeros |= ~result;
              if (some_b == 0) break;
            }
            if (some_a == 0) break;
          }
          if (has_none) continue;
          const KnownBits got = domain({value_a, mask_a}, {value_b, mask_b});
          const u64 differing = ones & zeros;
          ASSERT_EQ(differing & ~got.unknown, 0u)
              << value_a << " unknown " << mask_a << ", " << value_b << " unknown " << mask_b;
          claimed += u64(__builtin_popcountll(got.unknown));
          truly += u64(__builtin_popcountll(differing));
        }
      }
    }
  }
}

// `most`: how many bits are claimed to be unknown at most for 100 that are.
void expect_sound(const Domain& domain, const Concrete& concrete, u64 most) {
  u64 claimed = 0, truly = 0;
  compare(domain, concrete, claimed, truly);
  EXPECT_GT(truly, 1000u);
  EXPECT_LE(100 * claimed, most * truly) << claimed << " are claimed to be unknown, " << truly << " are";
}

TEST(KnownBits, logic_is_exact) {
  for (const u8 table : {0xc0, 0xfc, 0x3c}) {
    const auto at = [table](u64 a, u64 b) {
      u64 result = 0;
      for (u32 n = 0; n < bits; ++n) result |= u64(table >> (((a >> n) & 1) << 2 | ((b >> n) & 1) << 1) & 1) << n;
      return result;
    };
    expect_sound([&](KnownBits a, KnownBits b) { return logic(table, a, b, {}, bits); }, at, 100);
  }
}

TEST(KnownBits, sums_and_differences_are_exact) {
  expect_sound([](KnownBits a, KnownBits b) { return sum(a, b, {}, bits); }, [](u64 a, u64 b) { return (a + b) & all; },
               100);
  expect_sound([](KnownBits a, KnownBits b) { return difference(a, b, bits); },
               [](u64 a, u64 b) { return (a - b) & all; }, 100);
  expect_sound(
      [](KnownBits a, KnownBits b) {
        KnownBits carry;
        sum(a, b, {1, 0}, bits, &carry);
        return carry;
      },
      [](u64 a, u64 b) { return (a + b + 1) >> bits; }, 100);
}

TEST(KnownBits, a_carry_that_is_not_known_goes_into_the_sum) {
  for (u64 a = 0; a <= all; ++a) {
    const KnownBits got = sum({a, 0}, {}, {0, 1}, bits);
    EXPECT_EQ(got.unknown, a ^ ((a + 1) & all));
  }
}

TEST(KnownBits, products_miss_nothing) {
  expect_sound([](KnownBits a, KnownBits b) { return product(a, b, bits); }, [](u64 a, u64 b) { return (a * b) & all; },
               115);
  expect_sound([](KnownBits a, KnownBits b) { return high_product(a, b, bits, false); },
               [](u64 a, u64 b) { return a * b >> bits; }, 130);
  expect_sound([](KnownBits a, KnownBits b) { return high_product(a, b, bits, true); },
               [](u64 a, u64 b) { return u64(as_signed(a) * as_signed(b) >> bits) & all; }, 150);
}

TEST(KnownBits, quotients_and_remainders_miss_nothing) {
  expect_sound([](KnownBits a, KnownBits b) { return quotient(a, b, bits, false); },
               [](u64 a, u64 b) { return b ? a / b : ~u64(0); }, 130);
  expect_sound([](KnownBits a, KnownBits b) { return remainder(a, b, bits, false); },
               [](u64 a, u64 b) { return b ? a % b : ~u64(0); }, 130);
  const auto is_defined = [](i64 a, i64 b) { return b != 0 && !(a == -8 && b == -1); };
  expect_sound([](KnownBits a, KnownBits b) { return quotient(a, b, bits, true); },
               [&](u64 a, u64 b) {
                 const i64 x = as_signed(a), y = as_signed(b);
                 return is_defined(x, y) ? u64(x / y) & all : ~u64(0);
               },
               200);
  expect_sound([](KnownBits a, KnownBits b) { return remainder(a, b, bits, true); },
               [&](u64 a, u64 b) {
                 const i64 x = as_signed(a), y = as_signed(b);
                 return is_defined(x, y) ? u64(x % y) & all : ~u64(0);
               },
               250);
}

TEST(KnownBits, the_least_and_the_greatest_miss_nothing) {
  for (const bool is_signed : {false, true}) {
    const auto less = [=](u64 a, u64 b) { return is_signed ? as_signed(a) < as_signed(b) : a < b; };
    expect_sound([=](KnownBits a, KnownBits b) { return least(a, b, bits, is_signed); },
                 [=](u64 a, u64 b) { return less(a, b) ? a : b; }, 110);
    expect_sound([=](KnownBits a, KnownBits b) { return greatest(a, b, bits, is_signed); },
                 [=](u64 a, u64 b) { return less(a, b) ? b : a; }, 110);
  }
}

TEST(KnownBits, of_a_choice_that_is_not_known_equal_bits_are) {
  const KnownBits got = chosen({0b1100, 0b0001}, {0b1010, 0}, {1, 1});
  EXPECT_EQ(got.unknown, 0b0111u);
  EXPECT_EQ(chosen({0b1100, 0b0001}, {0b1010, 0}, {1, 0}).unknown, 1u);
  EXPECT_EQ(chosen({0b1100, 0b0001}, {0b1010, 0}, {0, 0}).unknown, 0u);
}

TEST(KnownBits, are_extended_as_their_numbers_are) {
  EXPECT_EQ(extended({0x80, 0x80}, 8, true).unknown, ~u64(0x7f));
  EXPECT_EQ(extended({0x80, 0x80}, 8, false).unknown, 0x80u);
  EXPECT_EQ(extended({0x80, 0x40}, 8, true).value, ~u64(0x7f));
}

}  // namespace
}  // namespace ropewalk::machine
