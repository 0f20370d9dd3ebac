#include "lib/families/rotary/rotary_parameters.h"

#include <algorithm>

#include "lib/generate/space.h"

namespace ropewalk::rotary {

using generate::drawn;
using generate::size_parameter;
using generate::word_parameter;

namespace {

using Set = std::function<void(RotaryProblem&, u32, Random&)>;

// Half of what is drawn comes in steps, as real sizes do; kernels may have an entry of their own for them.
i64 stepped(i64 number, i64 step, Random& random) {
  return random.below(2) ? (number + step - 1) / step * step : number;
}

// The width on both sides of its bounds: all of a head, one pair less, a part of it (two fifths, as Phi-2 has it, leave
// three times its pairs behind it, a third leaves four times), one pair.
RotaryParameter width() {
  return {"rotary_dim",
          {"D", "D - 2", "D / 2", "2 D / 5", "D / 3", "D / 4", "2"},
          [](RotaryProblem& problem, u32 value, Random& random) {
            const i64 head_dim = problem.head_dim;
            const i64 listed[] = {head_dim, head_dim - 2, head_dim / 2, 2 * head_dim / 5, head_dim / 3, head_dim / 4,
                                  2};
            const i64 wanted =
                value == drawn ? std::min(stepped(random.between(2, head_dim), 16, random), head_dim) : listed[value];
            const i64 even = std::max<i64>(2, wanted / 2 * 2);
            problem.rotary_dim = even == head_dim ? 0 : even;
          }};
}

RotaryParameter layout() {
  return word_parameter<RotaryProblem>("layout", {"half", "interleaved"},
                                       [](RotaryProblem& problem, u32 value) { problem.layout = RotaryLayout(value); });
}

constexpr Dtype dtypes[] = {Dtype::F32, Dtype::F16, Dtype::BF16};

RotaryParameter dtype() {
  return word_parameter<RotaryProblem>(
      "dtype", {"f32", "f16", "bf16"}, [](RotaryProblem& problem, u32 value) { problem.dtype = dtypes[value]; }, true);
}

RotaryParameter dtype_of_cache() {
  return word_parameter<RotaryProblem>(
      "cache_dtype", {"f32", "that of x"},
      [](RotaryProblem& problem, u32 value) { problem.cache_dtype = value == 0 ? Dtype::F32 : problem.dtype; }, true);
}

RotaryParameter theta() {
  return word_parameter<RotaryProblem>("theta", {"10000", "500000"}, [](RotaryProblem& problem, u32 value) {
    problem.theta = value == 0 ? 10000 : 500000;
  });
}

// Now and then so wide that 32 bits do not hold the second row; where there are few rows, as each is far from the
// others.
RotaryParameter gap(const std::string& name, i64 RotaryProblem::*field, i64 odd) {
  RotaryParameter parameter = size_parameter(name, field, {0, 8, odd}, 0, 20);
  parameter.set = [=, narrow = parameter.set](RotaryProblem& problem, u32 value, Random& random) {
    constexpr i64 wide = (i64(1) << 31) - 16, most_rows = 64;
    const bool few_rows = problem.batch * problem.tokens * std::max(problem.heads, problem.key_heads) <= most_rows;
    if (value == drawn && few_rows && random.below(8) == 0) {
      problem.*field = wide;
    } else {
      narrow(problem, value, random);
      if (value == drawn) problem.*field = stepped(problem.*field, 8, random);
    }
  };
  return parameter;
}

// Of an output that is not x, which "inplace" has set before.
RotaryParameter out_gap() {
  RotaryParameter parameter = gap("out_gap", &RotaryProblem::out_gap, 5);
  parameter.set = [any = parameter.set](RotaryProblem& problem, u32 value, Random& random) {
    if (!problem.inplace) any(problem, value, random);
  };
  return parameter;
}

// Now and then wider than a block has lanes, where there are few rows.
RotaryParameter head_dim(const std::vector<i64>& values) {
  RotaryParameter parameter = size_parameter("D", &RotaryProblem::head_dim, values, 2, 128);
  parameter.set = [narrow = parameter.set](RotaryProblem& problem, u32 value, Random& random) {
    constexpr i64 widest = 640, most_rows = 32;
    const bool few_rows = problem.batch * problem.tokens * problem.heads <= most_rows;
    if (value == drawn && few_rows && random.below(4) == 0) {
      problem.head_dim = random.between(130, widest);
    } else {
      narrow(problem, value, random);
    }
    if (value == drawn) problem.head_dim = stepped(problem.head_dim, 8, random);
  };
  return parameter;
}

RotaryParameter flag(const std::string& name, bool RotaryProblem::*field) {
  return word_parameter<RotaryProblem>(name, {"false", "true"},
                                       [=](RotaryProblem& problem, u32 value) { problem.*field = value == 1; });
}

RotaryParameter rounding() {
  return word_parameter<RotaryProblem>(
      "rounding", {"once", "steps"},
      [](RotaryProblem& problem, u32 value) { problem.rounding = RotaryRounding(value); }, true);
}

RotaryParameter input() {
  return word_parameter<RotaryProblem>("input", {"normal", "integers", "large"}, [](RotaryProblem& problem, u32 value) {
    constexpr const char* words[] = {"normal", "integers", "large"};
    problem.input = words[value];
  });
}

// One, two or three sequences of T tokens, or sequences of several lengths that lie behind each other in T rows.
RotaryParameter sequences() {
  return {"sequences",
          {"one", "two", "three", "varlen", "varlen, first empty", "varlen, one empty", "varlen, rows left over"},
          [](RotaryProblem& problem, u32 value, Random& random) {
            if (value == drawn) value = u32(random.below(7));
            const i64 rows = problem.tokens, middle = random.between(0, rows), low = random.between(0, middle);
            problem.batch = value < 3 ? i64(value) + 1 : 1;
            if (value == 3) problem.cu_seqlens = {0, low, middle, rows};
            if (value == 4) problem.cu_seqlens = {0, 0, middle, rows};
            if (value == 5) problem.cu_seqlens = {0, middle, middle, rows, rows};
            if (value == 6) problem.cu_seqlens = {0, low, middle};
          },
          true};
}

// Positions of the tokens: from 0, from elsewhere, or from elsewhere in each sequence.
RotaryParameter offset() {
  return {"offset",
          {"0", "1", "17", "one a sequence"},
          [](RotaryProblem& problem, u32 value, Random& random) {
            constexpr i64 listed[] = {0, 1, 17, 0};
            if (value == drawn) value = random.below(2) ? 3 : drawn;
            problem.offset = value == drawn ? random.between(0, 40) : listed[value];
            for (i64 n = value == 3 ? problem.sequences() : 0; n > 0; --n) {
              problem.offsets.push_back(random.between(0, 40));
            }
          },
          true};
}

// The last position is the last row of the cache, or has rows behind it.
RotaryParameter cache_rows() {
  return {"cache_rows", {"as needed", "5 to spare"}, [](RotaryProblem& problem, u32 value, Random& random) {
            const i64 spare = value == drawn ? random.between(0, 9) : value == 1 ? 5 : 0;
            problem.cache_rows = spare ? problem.table_rows() + spare : 0;
          }};
}

RotaryParameter key_heads() {
  return {"key_heads", {"1", "none", "H", "H + 1", "2"}, [](RotaryProblem& problem, u32 value, Random& random) {
            const i64 listed[] = {1, 0, problem.heads, problem.heads + 1, 2};
            problem.key_heads = value == drawn ? random.between(0, 6) : listed[value];
          }};
}

// Each token at a position of its own: in order, in reverse, all the same, or anywhere.
RotaryParameter positions() {
  return {"positions",
          {"from 0", "from 1", "in reverse", "the same", "anywhere"},
          [](RotaryProblem& problem, u32 value, Random& random) {
            if (value == drawn) value = 4;
            problem.offset = value == 1 ? 1 : 0;
            const i64 tokens = problem.batch * problem.tokens;
            for (i64 n = 0; value >= 2 && n < tokens; ++n) {
              problem.positions.push_back(value == 2 ? tokens - 1 - n : value == 3 ? 7 : random.between(0, 50));
            }
          },
          true};
}

std::vector<RotaryParameter> apply_parameters() {
  return {size_parameter("T", &RotaryProblem::tokens, {16, 1, 3, 4, 5, 17, 33}, 1, 64),
          size_parameter("H", &RotaryProblem::heads, {1, 2, 3, 5, 8, 12}, 1, 9),
          head_dim({64, 2, 16, 33, 80, 96, 128}),
          width(),
          layout(),
          dtype(),
          dtype_of_cache(),
          sequences(),
          offset(),
          cache_rows(),
          gap("row_gap", &RotaryProblem::row_gap, 5),
          gap("token_gap", &RotaryProblem::token_gap, 3),
          flag("inplace", &RotaryProblem::inplace),
          out_gap(),
          flag("backward", &RotaryProblem::backward),
          input(),
          theta(),
          rounding()};
}

std::vector<RotaryParameter> key_parameters() {
  return {size_parameter("B", &RotaryProblem::batch, {1, 2, 3}, 1, 4),
          size_parameter("T", &RotaryProblem::tokens, {16, 1, 3, 4, 5, 17}, 1, 32),
          size_parameter("H", &RotaryProblem::heads, {1, 2, 3, 5, 8}, 1, 9),
          key_heads(),
          head_dim({64, 2, 16, 33, 80, 128}),
          width(),
          layout(),
          dtype(),
          dtype_of_cache(),
          positions(),
          cache_rows(),
          gap("row_gap", &RotaryProblem::row_gap, 5),
          gap("token_gap", &RotaryProblem::token_gap, 3),
          flag("backward", &RotaryProblem::backward),
          input(),
          theta()};
}

std::vector<RotaryParameter> cache_parameters() {
  return {size_parameter("T", &RotaryProblem::tokens, {16, 1, 3, 5, 33, 129, 300}, 1, 400),
          head_dim({64, 2, 16, 34, 80, 128, 256}),
          width(),
          word_parameter<RotaryProblem>(
              "cache_dtype", {"f32", "f16", "bf16"},
              [](RotaryProblem& problem, u32 value) { problem.cache_dtype = dtypes[value]; }, true),
          size_parameter("offset", &RotaryProblem::offset, {0, 1, 40}, 0, 100),
          flag("given_frequencies", &RotaryProblem::given_frequencies),
          theta()};
}

}  // namespace

std::vector<RotaryParameter> rotary_parameters(RotaryTask task) {
  switch (task) {
    case RotaryTask::Apply:
      return apply_parameters();
    case RotaryTask::Keys:
      return key_parameters();
    case RotaryTask::Cache:
      return cache_parameters();
  }
  return {};
}

}  // namespace ropewalk::rotary
