// 32-bit index arithmetic that wraps: pairs of kernels, of which one brings the number back into range before it
// becomes an address and the other does not. And what nvcc makes of such indices, in
// tests/data/machine/kernels/wrapped.cu.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/lib/machine/run_values.h"

namespace ropewalk {
namespace {

struct WrapPair {
  const char* name;
  const char* faulty;
  const char* correct;
};

void PrintTo(const WrapPair& pair, std::ostream* out) { *out << pair.name; }

// %r13 is 2^32 or 3 * 2^32 and some more: 20, after it wrapped. Each of the bodies leaves an offset in %rd10 that lies
// in the known words.
constexpr const char* wrapped_product = R"(
  mov.u32 %r11, 1431655772;
  add.u32 %r12, %r1, 3;
  and.b32 %r12, %r12, 0;
  add.u32 %r12, %r12, 3;
  mul.lo.s32 %r13, %r11, %r12;
)";

const WrapPair wrap_pairs[] = {
    {"as_it_is", "mul.wide.s32 %rd10, %r13, 4;", "and.b32 %r14, %r13, 63; mul.wide.s32 %rd10, %r14, 4;"},
    {"scaled_before_it_is_widened", "shl.b32 %r14, %r13, 2; cvt.u64.u32 %rd10, %r14;",
     "shl.b32 %r14, %r13, 2; cvt.u64.u32 %rd10, %r14; and.b64 %rd10, %rd10, 252;"},
    {"aligned", "and.b32 %r14, %r13, -16; mul.wide.s32 %rd10, %r14, 4;",
     "and.b32 %r14, %r13, 48; mul.wide.s32 %rd10, %r14, 4;"},
    {"sum_and_sum_of_a_matrix_product",
     "add.s32 %r14, %r12, 2147483644; add.s32 %r16, %r14, %r14; add.s32 %r16, %r16, 20; mul.wide.s32 %rd10, %r16, 4;",
     "add.s32 %r14, %r12, 2147483644; mov.u32 %r15, 0x01010101; mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 "
     "{%r16, %r17}, {%r15}, {%r15}, {%r14, %r14}; xor.b32 %r16, %r16, 0x80000000; mul.wide.s32 %rd10, %r16, 4;"},
    {"aligned_in_64_bits", "mul.wide.s32 %rd10, %r13, 4; and.b64 %rd10, %rd10, -64;",
     "mul.wide.s32 %rd10, %r13, 4; and.b64 %rd10, %rd10, 192;"},
    {"shifted", "shl.b32 %r14, %r13, 1; mul.wide.u32 %rd10, %r14, 4;",
     "shr.u32 %r14, %r13, 2; mul.wide.u32 %rd10, %r14, 4;"},
    {"shifted_in_64_bits", "mul.wide.s32 %rd10, %r13, 4; shl.b64 %rd10, %rd10, 1;",
     "mul.wide.u32 %rd10, %r13, 4; shr.u64 %rd10, %rd10, 4; shl.b64 %rd10, %rd10, 2;"},
    {"field", "bfi.b32 %r14, %r1, %r2, 0, 0; add.s32 %r14, %r13, 0; mul.wide.s32 %rd10, %r14, 4;",
     "bfe.u32 %r14, %r13, 1, 6; mul.wide.u32 %rd10, %r14, 4;"},
    {"remainder_by_a_register",
     "mov.u32 %r15, 63; rem.u32 %r14, %r13, %r15; add.u32 %r14, %r14, %r13; mul.wide.u32 %rd10, %r14, 4;",
     "mov.u32 %r15, 63; rem.u32 %r14, %r13, %r15; mul.wide.u32 %rd10, %r14, 4;"},
    {"remainder_by_a_product",
     "mul.hi.u32 %r14, %r13, 68174085; mul.lo.s32 %r15, %r14, 0; sub.s32 %r16, %r13, 1; mul.wide.u32 %rd10, %r16, 4;",
     "mul.wide.u32 %rd11, %r13, 68174085; shr.u64 %rd11, %rd11, 32; cvt.u32.u64 %r14, %rd11; sub.s32 %r15, %r13, %r14; "
     "shr.u32 %r15, %r15, 1; "
     "add.s32 %r15, %r15, %r14; shr.u32 %r15, %r15, 5; mul.lo.s32 %r15, %r15, 63; sub.s32 %r16, %r13, %r15; "
     "mul.wide.u32 %rd10, %r16, 4;"},
    {"remainder_by_a_sum_of_products",
     "div.u32 %r14, %r12, 63; mad.lo.s32 %r16, %r14, -63, %r13; mul.wide.u32 %rd10, %r16, 4;",
     "div.u32 %r14, %r13, 63; mad.lo.s32 %r16, %r14, -63, %r13; mul.wide.u32 %rd10, %r16, 4;"},
    {"remainder_by_a_mask", "shr.s32 %r14, %r13, 31; add.s32 %r15, %r13, %r14; mul.wide.s32 %rd10, %r15, 4;",
     "shr.s32 %r14, %r13, 31; shr.u32 %r14, %r14, 26; add.s32 %r15, %r13, %r14; and.b32 %r15, %r15, -64; sub.s32 %r16, "
     "%r13, %r15; mul.wide.s32 %rd10, %r16, 4;"},
    {"remainder_in_64_bits", "cvt.s64.s32 %rd11, %r13; add.s64 %rd12, %rd11, 63; shl.b64 %rd10, %rd12, 2;",
     "cvt.s64.s32 %rd11, %r13; rem.s64 %rd12, %rd11, 63; shl.b64 %rd10, %rd12, 2;"},
    {"cut_to_16_bits", "cvt.u64.u32 %rd11, %r13; shl.b64 %rd10, %rd11, 2;",
     "cvt.u16.u32 %rs10, %r13; mul.wide.u16 %r14, %rs10, 4; cvt.u64.u32 %rd10, %r14;"},
    {"smallest", "min.s32 %r14, %r13, 40; mul.wide.s32 %rd10, %r14, 4;",
     "min.s32 %r14, %r13, 10; mul.wide.s32 %rd10, %r14, 4;"},
    {"largest", "max.s32 %r14, %r13, 7; mul.wide.s32 %rd10, %r14, 4;",
     "max.s32 %r14, %r13, 21; mul.wide.s32 %rd10, %r14, 4;"},
    {"chosen", "setp.lt.u32 %p1, %r1, 1000; selp.b32 %r14, %r13, 7, %p1; mul.wide.s32 %rd10, %r14, 4;",
     "setp.lt.u32 %p1, %r1, 1000; selp.b32 %r14, 7, %r13, %p1; mul.wide.s32 %rd10, %r14, 4;"},
    {"bits_put_in", "or.b32 %r14, %r13, 1; mul.wide.s32 %rd10, %r14, 4;",
     "or.b32 %r14, %r13, 1; and.b32 %r14, %r14, 31; mul.wide.s32 %rd10, %r14, 4;"},
    {"sign_bit_turned_over",
     "xor.b32 %r14, %r13, 0x80000000; xor.b32 %r14, %r14, 0x80000000; mul.wide.s32 %rd10, %r14, 4;",
     "mov.u32 %r14, 0x40000005; add.u32 %r14, %r14, %r14; xor.b32 %r14, %r14, 0x80000000; mul.wide.u32 %rd10, %r14, "
     "4;"},
    {"swizzled", "and.b32 %r14, %r1, 7; xor.b32 %r14, %r13, %r14; mul.wide.s32 %rd10, %r14, 4;",
     "and.b32 %r14, %r1, 7; and.b32 %r15, %r13, 127; xor.b32 %r14, %r15, %r14; mul.wide.s32 %rd10, %r14, 4;"},
    {"back_by_a_difference", "sub.s32 %r14, %r13, %r1; mul.wide.s32 %rd10, %r14, 0;",
     "mul.lo.s32 %r15, %r11, 2; sub.s32 %r14, %r13, %r15; sub.s32 %r14, %r14, %r11; mul.wide.s32 %rd10, %r14, 4;"},
    {"hash",
     "mul.lo.s32 %r14, %r13, 1664525; add.s32 %r14, %r14, 1013904223; and.b32 %r14, %r14, 127; add.s32 %r14, %r14, "
     "%r13; mul.wide.u32 %rd10, %r14, 4;",
     "shr.u32 %r14, %r13, 16; xor.b32 %r14, %r14, %r13; mul.lo.s32 %r14, %r14, -2048144789; shr.u32 %r15, %r14, 13; "
     "xor.b32 %r14, %r14, %r15; "
     "mul.lo.s32 %r14, %r14, -1028477387; mul.wide.u32 %rd11, %r14, 274877907; shr.u64 %rd11, %rd11, 38; cvt.u32.u64 "
     "%r15, %rd11; "
     "mul.lo.s32 %r15, %r15, 1000; sub.s32 %r14, %r14, %r15; and.b32 %r14, %r14, 511; mul.wide.u32 %rd10, %r14, 4;"},
    {"range_of_a_hash",
     "mul.lo.s32 %r14, %r13, -1640531527; and.b32 %r14, %r14, -4; and.b32 %r15, %r14, 0; add.s32 %r14, %r13, %r15; "
     "mul.wide.s32 %rd10, %r14, 4;",
     "mul.lo.s32 %r14, %r13, -1640531527; mul.hi.u32 %r14, %r14, 500; mul.wide.u32 %rd10, %r14, 4;"},
    {"generator_with_many_steps",
     "mov.u32 %r14, %r13; mul.lo.s32 %r14, %r14, 1664525; mul.lo.s32 %r14, %r14, 1664525; mul.lo.s32 %r14, %r14, "
     "1664525; "
     "mul.lo.s32 %r15, %r14, 0; add.s32 %r14, %r13, %r15; mul.wide.s32 %rd10, %r14, 4;",
     "mov.u32 %r14, %r13; mul.lo.s32 %r14, %r14, 1664525; mul.lo.s32 %r14, %r14, 1664525; mul.lo.s32 %r14, %r14, "
     "1664525; mul.lo.s32 %r14, %r14, 1664525; "
     "mul.lo.s32 %r14, %r14, 1664525; and.b32 %r14, %r14, 511; mul.wide.s32 %rd10, %r14, 4;"},
    {"wider_product", "mad.wide.s32 %rd10, %r13, 4, 8;", "mul.wide.s32 %rd11, %r11, %r12; and.b64 %rd10, %rd11, 508;"},
};

class WrappedValues : public testing::TestWithParam<WrapPair> {};

TEST_P(WrappedValues, matter_where_they_become_an_address) {
  const WrapPair& pair = GetParam();
  const std::string load = "\n  add.s64 %rd10, %rd4, %rd10;\n  ld.global.u8 %r9, [%rd10];\n";
  for (const bool careful_only : {false, true}) {
    RunOptions options;
    options.careful_only = careful_only;
    const std::string found = findings_of(value_launch(wrapped_product + std::string(pair.faulty) + load, 1), options);
    EXPECT_NE(found.find("index-overflow"), std::string::npos) << found;
    EXPECT_EQ(findings_of(value_launch(wrapped_product + std::string(pair.correct) + load, 1), options), "");
  }
}

// The operation is the same for numbers with and without a sign: which they are, the widening says.
TEST(WrappedNumbers, are_of_the_type_that_is_widened) {
  const auto found = [](const std::string& body) {
    return findings_of(value_launch(body + "\n  add.s64 %rd10, %rd4, %rd10;\n  ld.global.u8 %r9, [%rd10];\n", 1));
  };
  const std::string product = "mov.u32 %r11, 2200000000; mov.u32 %r12, 2; mul.lo.s32 %r13, %r11, %r12; ";
  EXPECT_NE(found(product + "cvt.u64.u32 %rd10, %r13;").find(": 4400000000 does not fit without a sign, and"),
            std::string::npos);
  EXPECT_NE(found(product + "cvt.s64.s32 %rd10, %r13;").find(": -4189934592 does not fit, and"), std::string::npos);
  const std::string difference = "mov.u32 %r11, 0x90000000; mov.u32 %r12, 0x10000001; sub.s32 %r13, %r11, %r12; ";
  EXPECT_EQ(found(difference + "cvt.u64.u32 %rd10, %r13;").find("index-overflow"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Machine, WrappedValues, testing::ValuesIn(wrap_pairs),
                         [](const auto& info) { return info.param.name; });

// Entries of wrapped.cu have the parameters (const float* table, float* out, int a, int n).
Launch compiled_launch(const std::string& entry) {
  const std::string path = std::string(ROPEWALK_SOURCE_DIR) + "/tests/data/machine/kernels/wrapped.ptx";
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  Launch launch;
  launch.module = std::make_shared<ptx::Module>(ptx::read_module(text.str(), path));
  launch.entry = entry;
  launch.grid = {4, 1, 1};
  launch.block = {64, 1, 1};
  launch.tensors.push_back({.name = "table", .dtype = Dtype::F32, .shape = {1024}, .strides = {1}});
  launch.tensors.push_back(
      {.name = "out", .dtype = Dtype::F32, .shape = {256}, .strides = {1}, .init = Uninitialized{}, .output = true});
  launch.arguments = {TensorArgument{0}, TensorArgument{1}, ScalarArgument{Dtype::I32, 123456789},
                      ScalarArgument{Dtype::I32, 1000}};
  return launch;
}

TEST(WrappedValues, are_meant_where_the_compiler_brings_them_back) {
  for (const char* entry : {"masked", "remainder_of_63", "remainder_of_a_signed_number", "remainder_of_n", "generator",
                            "murmur", "high_bits", "range_by_product", "unsigned_short", "quotient_masked", "clamped",
                            "absolute", "quotient_of_a_generator", "ring"}) {
    EXPECT_EQ(findings_of(compiled_launch(entry)), "") << entry;
  }
}

TEST(WrappedValues, are_faults_where_the_compiler_leaves_them) {
  for (const char* entry : {"product", "product_aligned", "product_at_least", "product_with_low_bits",
                            "product_swizzled", "sum_of_products"}) {
    EXPECT_NE(findings_of(compiled_launch(entry)).find("index-overflow"), std::string::npos) << entry;
  }
}

}  // namespace
}  // namespace ropewalk
