// Every instruction set gives the same bits: a report does not depend on the processor.
#include "tests/lib/machine/arithmetic/same_bits.h"

#include <gtest/gtest.h>

namespace ropewalk::machine::arithmetic {
namespace {

void compare(const Hashes& expected, const Hashes& got) {
  ASSERT_EQ(expected.count, got.count);
  for (u32 i = 0; i < got.count; ++i) EXPECT_EQ(expected.values[i], got.values[i]) << expected.names[i];
}

TEST(SameBits, X86_64_v3) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP() << "this processor has no AVX2";
  compare(hashes_baseline(), hashes_v3());
}
TEST(SameBits, X86_64_v4) {
  if (!__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512vl")) {
    GTEST_SKIP() << "this processor has no AVX-512";
  }
  compare(hashes_baseline(), hashes_v4());
}

}  // namespace
}  // namespace ropewalk::machine::arithmetic
