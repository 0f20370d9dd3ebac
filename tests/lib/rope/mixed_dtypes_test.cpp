// cos and sin in tensors of different dtypes.
#include <gtest/gtest.h>

#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

// The outcome of a table of this theta, judged by the formula of 10000.
std::string cause_of(Dtype cos, Dtype sin, double theta_of_sin = 1e4) {
  DumpWriter writer("t.safetensors");
  for (const bool is_cos : {true, false}) {
    RopeFormula formula = plain_formula();
    if (!is_cos) formula.theta = theta_of_sin;
    const FloatTable table = float_table({formula, 1024}, 1024);
    writer.add_tensor(is_cos ? "cos" : "sin", is_cos ? cos : sin, {1024, 32}, is_cos ? table.cosine : table.sine);
  }
  return only_cause(check_dumps({writer.finish()}, config_for(plain_formula()), 1));
}

TEST(MixedDtypes, EachFunctionHasTheBoundOfItsOwn) {
  const Dtype dtypes[] = {Dtype::F32, Dtype::F16, Dtype::BF16};
  for (const Dtype cos : dtypes) {
    for (const Dtype sin : dtypes) EXPECT_EQ(cause_of(cos, sin), "") << name_of(cos) << " and " << name_of(sin);
  }
  // What bf16 would hide.
  EXPECT_NE(cause_of(Dtype::BF16, Dtype::F32, 10000.05), "");
  EXPECT_NE(cause_of(Dtype::BF16, Dtype::F16, 10005), "");
}

}  // namespace
}  // namespace ropewalk::rope::testing
