// Extended-precision arithmetic: add.cc, sub.cc and mad.cc set a flag, addc, subc and madc take it, whoever set it.
//
// What ptxas (13.0, sm_80) makes of them is in the table: one flag, which IADD3 and IMAD set and IADD3.X and
// IMAD.X take; a - b is a + ~b + 1, and a - b with the flag is a + ~b + flag.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "lib/base/random.h"
#include "tests/lib/machine/run_values.h"

namespace ropewalk {
namespace {

using Wide = unsigned __int128;

struct Instruction {
  const char* stem;
  const char* part;     // of mad: .lo or .hi
  const char* machine;  // code for the instruction and its flag, of ptxas for 32 bits
};
constexpr Instruction setters[] = {{"add.cc", "", "IADD3 d, P0, a, b, RZ"},
                                   {"sub.cc", "", "IADD3 d, P0, a, -b, RZ"},
                                   {"mad", ".lo.cc", "IMAD p, a, b, RZ; IADD3 d, P0, p, c, RZ"},
                                   {"mad", ".hi.cc", "IMAD.HI.U32 d, P0, a, b, c"},
                                   {"addc.cc", "", "IADD3.X d, P0, a, b, RZ, P0"},
                                   {"subc.cc", "", "IADD3.X d, P0, a, ~b, RZ, P0"},
                                   {"madc", ".lo.cc", "IMAD.X d, P0, a, b, c, P0"},
                                   {"madc", ".hi.cc", "IMAD.HI.U32 p, a, b; IADD3.X d, P0, p, c, RZ, P0"}};
constexpr Instruction takers[] = {{"addc", "", "IADD3.X d, a, b, RZ, P0"},
                                  {"subc", "", "IADD3.X d, a, ~b, RZ, P0"},
                                  {"madc", ".lo", "IMAD.X d, a, b, c, P0"},
                                  {"madc", ".hi", "IMAD.HI.U32 p, a, b; IADD3.X d, p, c, RZ, P0"}};

// What the machine code gives: the addition of two words and the flag.
u64 run(const Instruction& instruction, u32 bits, const u64 (&operands)[3], u64& flag) {
  const u64 mask = bits == 64 ? ~u64(0) : 0xffffffffu;
  const std::string code = instruction.machine;
  const bool takes_flag = code.find(".X") != std::string::npos, is_product = code.find("IMAD") != std::string::npos;
  u64 a = operands[0], b = operands[1], in = takes_flag ? flag : 0;
  if (is_product) {
    const Wide product = Wide(a) * b;
    a = code.find("HI") == std::string::npos ? u64(product) & mask : u64(product >> bits) & mask;
    b = operands[2];
  }
  if (code.find("~b") != std::string::npos) b = ~b & mask;
  if (code.find("-b") != std::string::npos) {
    b = ~b & mask;
    in = 1;
  }
  const Wide sum = Wide(a) + b + in;
  flag = u64(sum >> bits) & 1;
  return u64(sum) & mask;
}

// The PTX of an instruction with destination and operands, each "%r20" or "%rd20".
std::string text_of(const Instruction& instruction, u32 bits, const std::string& d, const std::string& a,
                    const std::string& b, const std::string& c) {
  const bool is_mad = instruction.stem[0] == 'm';
  return fmt::format("{}{}.u{} {}, {}, {}{};\n", instruction.stem, instruction.part, bits, d, a, b,
                     is_mad ? ", " + c : "");
}

const u64 interesting[] = {0,
                           1,
                           2,
                           5,
                           0x7fffffff,
                           0x80000000,
                           0xfffffffe,
                           0xffffffff,
                           0x100000000,
                           0x7fffffffffffffff,
                           0x8000000000000000,
                           0xfffffffffffffffe,
                           0xffffffffffffffff};

// start sets the flag by an addition of constants, first takes and sets it, second takes it.
void check(const Instruction& first, const Instruction& second, u32 bits) {
  const std::string r = bits == 64 ? "%rd" : "%r";
  std::string body;
  std::vector<u64> expected;
  Random random(bits + u64(first.machine[6]) * 3 + u64(second.machine[6]));
  const u32 cases = 24;
  const u64 mask = bits == 64 ? ~u64(0) : 0xffffffffu;
  body += "  mov.u32 %r11, 0;\n";
  for (u32 n = 0; n < cases; ++n) {
    u64 operands[3], others[3];
    for (u64& operand : operands) operand = interesting[random.below(std::size(interesting))] & mask;
    for (u64& operand : others) operand = interesting[random.below(std::size(interesting))] & mask;
    u64 flag = n % 2;
    // Constants go through memory, so that nothing is folded: registers are as good here.
    for (u32 i = 0; i < 3; ++i) {
      body += fmt::format("  mov.u{} {}{}, {};\n  mov.u{} {}{}, {};\n", bits, r, 20 + i, i64(operands[i]), bits, r,
                          23 + i, i64(others[i]));
    }
    body += fmt::format("  mov.u32 %r12, {};\n  add.cc.u32 %r12, %r12, -1;\n", flag ? 1 : 0);
    body += "  " + text_of(first, bits, r + "26", r + "20", r + "21", r + "22");
    body += "  " + text_of(second, bits, r + "27", r + "23", r + "24", r + "25");
    const u64 result = run(first, bits, operands, flag);
    expected.push_back(result);
    expected.push_back(run(second, bits, others, flag));
    // The n-th thread stores the n-th case.
    body += fmt::format("  setp.eq.u32 %p1, %r1, {};\n", 2 * n);
    const std::string halves = bits == 64 ? "mov.b64 {{%r9, %r10}}, %rd{};" : "mov.b32 %r9, %r{};";
    body +=
        "  @%p1 " + fmt::format(fmt::runtime(halves), 26) + fmt::format("\n  setp.eq.u32 %p1, %r1, {};\n", 2 * n + 1);
    body += "  @%p1 " + fmt::format(fmt::runtime(halves), 27) + "\n";
  }
  const Launch launch = value_launch(body, 1);
  const Outcome outcome = machine::make_machine()->run(launch, {});
  ASSERT_EQ(outcome.kind, OutcomeKind::Agreed) << outcome.reason;
  for (std::size_t n = 0; n < expected.size(); ++n) {
    u64 got = 0;
    std::memcpy(&got, outcome.tensors[2].bytes + 8 * n, 8);
    ASSERT_EQ(got, expected[n]) << first.stem << first.part << " then " << second.stem << second.part << ".u" << bits
                                << ", case " << n / 2;
  }
}

TEST(Carry, is_what_the_machine_code_makes_of_every_pair) {
  for (const u32 bits : {32u, 64u}) {
    for (const Instruction& first : setters) {
      for (const Instruction& second : takers) check(first, second, bits);
    }
  }
}

// Signed and unsigned are the same but for the high part of a product.
TEST(Carry, of_a_signed_product_is_that_of_the_sum) {
  const Launch launch = value_launch(R"(
  mov.u32 %r20, -3;
  mov.u32 %r21, 5;
  mov.u32 %r22, 1;
  mad.hi.cc.s32 %r9, %r20, %r21, %r22;
  addc.u32 %r10, 0, 0;
)",
                                     1);
  const Outcome outcome = machine::make_machine()->run(launch, {});
  u32 got[2];
  std::memcpy(got, outcome.tensors[2].bytes, 8);
  EXPECT_EQ(got[0], 0u);  // -1 + 1
  EXPECT_EQ(got[1], 1u);
}

// nvcc's division of 128 bits: sub.cc, subc.cc and then addc of what it borrowed.
TEST(Carry, divides_as_the_compiler_wants_it) {
  const std::string path = std::string(ROPEWALK_SOURCE_DIR) + "/tests/data/machine/kernels/wide_division.ptx";
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  constexpr u32 threads = 128;
  Launch launch;
  launch.module = std::make_shared<ptx::Module>(ptx::read_module(text.str(), path));
  launch.entry = "divide_wide";
  launch.grid = {1, 1, 1};
  launch.block = {threads, 1, 1};
  const auto numbers = std::make_shared<Array>(Array::zeros(Dtype::I64, {threads, 4}));
  Random random(128);
  for (u32 n = 0; n < threads; ++n) {
    u64 words[4];
    for (u64& word : words) word = random.bits() >> random.below(64);
    if (n % 3 == 0) words[1] = 0;  // a dividend or a divisor of 64 bits
    if (n % 4 < 2) words[3] = 0;
    if (n == 5) words[0] = words[1] = ~u64(0);
    if (words[2] == 0 && words[3] == 0) words[2] = 1;
    std::memcpy(numbers->bytes.data() + 32 * n, words, 32);
  }
  launch.tensors.push_back(
      {.name = "numbers", .dtype = Dtype::I64, .shape = {threads, 4}, .strides = {4, 1}, .init = Given{numbers, ""}});
  launch.tensors.push_back({.name = "out",
                            .dtype = Dtype::I64,
                            .shape = {threads, 4},
                            .strides = {4, 1},
                            .init = Uninitialized{},
                            .output = true});
  launch.arguments = {TensorArgument{0}, TensorArgument{1}};
  const Outcome outcome = machine::make_machine()->run(launch, {});
  ASSERT_EQ(outcome.kind, OutcomeKind::Agreed) << outcome.reason;
  for (u32 n = 0; n < threads; ++n) {
    Wide given[2], got[2];
    std::memcpy(given, numbers->bytes.data() + 32 * n, 32);
    std::memcpy(got, outcome.tensors[1].bytes + 32 * n, 32);
    EXPECT_TRUE(got[0] == given[0] / given[1]) << "quotient " << n;
    EXPECT_TRUE(got[1] == given[0] % given[1]) << "remainder " << n;
  }
}

}  // namespace
}  // namespace ropewalk
