#include "reference/rounding.h"

#include <gtest/gtest.h>

#include "lib/base/half.h"
#include "lib/base/numbers.h"
#include "lib/base/random.h"

namespace ropewalk::reference {
namespace {

double round_trip(double value, Dtype dtype) {
  double out = 0;
  u8 bytes[8];
  store_from_double(bytes, dtype, value);
  out = load_as_double(bytes, dtype);
  return out;
}

TEST(Rounding, is_the_half_unit_that_the_ground_floor_knows) {
  Random random(3);
  for (const Dtype dtype : {Dtype::F32, Dtype::F16, Dtype::BF16}) {
    const Rounding rounding = Rounding::of(dtype);
    for (int n = 0; n < 20000; ++n) {
      const double magnitude = std::ldexp(1 + random.unit(), int(random.between(-160, dtype == Dtype::F16 ? 14 : 126)));
      ASSERT_EQ(rounding.error(magnitude), rounding_error(magnitude, dtype)) << magnitude << name_of(dtype);
    }
  }
}

TEST(Rounding, no_value_is_rounded_further) {
  Random random(4);
  for (const Dtype dtype : {Dtype::F32, Dtype::F16, Dtype::BF16}) {
    const Rounding rounding = Rounding::of(dtype);
    for (int n = 0; n < 20000; ++n) {
      const double value = std::ldexp(1 + random.unit(), int(random.between(-40, 14)));
      ASSERT_LE(std::abs(round_trip(value, dtype) - value), rounding.error(value)) << value;
    }
  }
}

TEST(Rounding, overflow_is_where_rounding_gives_infinity) {
  for (const Dtype dtype : {Dtype::F32, Dtype::F16, Dtype::BF16}) {
    const double overflow = Rounding::of(dtype).overflow;
    EXPECT_TRUE(std::isinf(round_trip(overflow, dtype))) << name_of(dtype);
    EXPECT_FALSE(std::isinf(round_trip(std::nextafter(overflow, 0), dtype))) << name_of(dtype);
  }
}

}  // namespace
}  // namespace ropewalk::reference
