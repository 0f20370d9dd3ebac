#include "lib/problem/rotary.h"

#include <gtest/gtest.h>

#include "lib/base/error.h"
#include "lib/base/random.h"
#include "lib/families/families.h"
#include "lib/problem/problem.h"

namespace ropewalk {
namespace {

std::string error_of(std::string_view text) {
  try {
    families::parse_problem(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::vector<i64> some_numbers(Random& random) {
  std::vector<i64> numbers;
  for (u64 n = random.below(4); n > 0; --n) numbers.push_back(random.between(-5, 1'000'000'000'000));
  return numbers;
}

RotaryProblem some_problem(Random random) {
  RotaryProblem problem;
  problem.batch = random.between(0, 1 << 20);
  problem.tokens = random.between(0, 9);
  problem.heads = random.between(-1, 3);
  problem.head_dim = random.between(1, 256);
  problem.key_heads = random.between(0, 2);
  problem.rotary_dim = random.between(0, 512);
  problem.layout = random.below(2) ? RotaryLayout::Half : RotaryLayout::Interleaved;
  problem.dtype = all_dtypes()[random.below(all_dtypes().size())];
  problem.cache_dtype = all_dtypes()[random.below(all_dtypes().size())];
  problem.cache_rows = random.between(0, 2);
  problem.offset = random.between(-3, 3);
  problem.offsets = some_numbers(random);
  problem.cu_seqlens = some_numbers(random);
  problem.positions = some_numbers(random);
  problem.inplace = random.below(2);
  problem.backward = random.below(2);
  problem.row_gap = random.between(0, 1);
  problem.token_gap = random.between(0, 1);
  problem.out_gap = random.between(0, 1);
  problem.seed = random.bits();
  problem.input = random.below(2) ? "large" : "normal";
  problem.theta = random.below(2) ? 500000 : 1 / (random.unit() + 1e-9);
  problem.given_frequencies = random.below(2);
  return problem;
}

TEST(RotaryProblem, prints_what_differs_from_the_defaults) {
  RotaryProblem problem;
  problem.batch = 2;
  problem.heads = 8;
  problem.rotary_dim = 32;
  problem.dtype = Dtype::BF16;
  problem.offsets = {0, 5};
  EXPECT_EQ(text_of(problem), "rotary(B=2,T=16,H=8,D=64,rotary_dim=32,dtype=bf16,offsets=[0,5])");
}

TEST(RotaryProblem, print_can_be_given_back) {
  for (u64 seed = 0; seed < 5000; ++seed) {
    const RotaryProblem problem = some_problem(Random(seed));
    const std::string text = text_of(problem);
    ASSERT_EQ(parse_rotary(text), problem) << text;
    ASSERT_EQ(text_of(families::parse_problem(text)), text);
  }
}

TEST(RotaryProblem, blanks_do_not_count) {
  EXPECT_EQ(parse_rotary(" rotary ( B = 3 , offsets = [ 1 , 2 ] ) "), parse_rotary("rotary(B=3,offsets=[1,2])"));
  EXPECT_EQ(parse_rotary("rotary()"), RotaryProblem{});
}

TEST(RotaryProblem, errors_name_the_column_and_the_nearest_key) {
  EXPECT_EQ(error_of("rotary(B=2,rotary_dm=5)"),
            "rotary(B=2,rotary_dm=5): column 12: no field \"rotary_dm\", did you mean \"rotary_dim\"?");
  EXPECT_EQ(error_of("rotary(B=two)"), "rotary(B=two): B: column 8: \"two\" is not a whole number");
  EXPECT_EQ(error_of("rotary(layout=halve)"),
            "rotary(layout=halve): layout: column 8: \"halve\" is not a layout; did you mean \"half\"?");
  EXPECT_EQ(error_of("rotary(B=1,B=2)"), "rotary(B=1,B=2): column 12: \"B\" was given at column 8 already");
  EXPECT_NE(error_of("rotery(B=1)").find("did you mean \"rotary\"?"), std::string::npos);
  EXPECT_NE(error_of("rotary(dtype=bf61)").find("did you mean \"bf16\"?"), std::string::npos);
  EXPECT_NE(error_of("rotary(input=huge)").find("no kind of input"), std::string::npos);
}

TEST(RotaryProblem, malformed_texts_are_refused) {
  for (const char* text : {"", "rotary", "rotary(", "rotary(B)", "rotary(B=)", "rotary(B=1,)", "rotary(,B=1)",
                           "rotary(offsets=[1,2)", "rotary(offsets=1])", "rotary(offsets=[1,])", "rotary(offsets=[,])",
                           "rotary(offsets=3)", "rotary(B=1.5)", "rotary(B=99999999999999999999)", "rotary(theta=nan)",
                           "rotary(theta=inf)", "rotary(inplace=maybe)", "rotary(seed=-1)", "rotary(B=1)x"}) {
    EXPECT_NE(error_of(text), "") << text;
  }
}

TEST(RotaryProblem, an_error_is_one_line_of_bounded_length) {
  const std::string message = error_of("rotary(B=1,\nnews=2,T=" + std::string(5000, '7') + ")");
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_LT(message.size(), 1000u);
}

TEST(RotaryProblem, table_rows_are_as_many_as_the_positions_need) {
  EXPECT_EQ(parse_rotary("rotary(B=2,T=7,offset=3)").table_rows(), 10);
  EXPECT_EQ(parse_rotary("rotary(B=2,T=7,offsets=[3,9])").table_rows(), 16);
  EXPECT_EQ(parse_rotary("rotary(T=9,cu_seqlens=[0,2,9],offset=1)").table_rows(), 8);
  EXPECT_EQ(parse_rotary("rotary(T=2,positions=[5,40])").table_rows(), 41);
  EXPECT_EQ(parse_rotary("rotary(B=2,T=7,offset=-20)").table_rows(), 1);
  EXPECT_EQ(parse_rotary("rotary(B=2,T=7,cache_rows=4)").table_rows(), 4);
}

}  // namespace
}  // namespace ropewalk
