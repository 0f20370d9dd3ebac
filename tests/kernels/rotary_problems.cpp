#include "tests/kernels/rotary_problems.h"

namespace ropewalk::kernels {
namespace {

// Sequences, some of them empty, that end at the last row or before it.
std::vector<i64> some_sequences(Random& random, i64 rows) {
  std::vector<i64> cu{0};
  for (i64 left = random.between(1, 4); left > 0; --left) cu.push_back(random.between(cu.back(), rows));
  if (random.below(2)) cu.back() = rows;
  return cu;
}

void add_offsets(RotaryProblem& problem, Random& random) {
  problem.offset = random.below(2) ? random.between(0, 40) : 0;
  if (random.below(2)) return;
  for (i64 n = 0; n < problem.sequences(); ++n) problem.offsets.push_back(random.between(0, 40));
}

}  // namespace

RotaryProblem good_rotary_problem(Random random, const std::string& family) {
  constexpr Dtype dtypes[] = {Dtype::F32, Dtype::F16, Dtype::BF16};
  RotaryProblem problem;
  problem.seed = random.bits();
  problem.dtype = dtypes[random.below(3)];
  problem.cache_dtype = random.below(2) ? Dtype::F32 : problem.dtype;
  problem.layout = random.below(2) ? RotaryLayout::Half : RotaryLayout::Interleaved;
  problem.batch = random.between(1, 3);
  problem.tokens = random.between(1, 20);
  problem.heads = random.between(1, 9);
  constexpr i64 head_dims[] = {2, 6, 16, 32, 64, 80, 96, 128, 256};
  problem.head_dim = head_dims[random.below(9)];
  if (random.below(2)) problem.rotary_dim = 2 * random.between(1, problem.head_dim / 2);
  if (random.below(3) == 0 && problem.head_dim >= 32) problem.rotary_dim = 16;
  if (random.below(4) == 0) problem.theta = 500000;
  if (family == "rotary/cache") {
    problem.given_frequencies = random.below(2);
    problem.tokens = random.between(1, 3000);
    return problem;
  }
  problem.backward = random.below(2);
  constexpr i64 gaps[] = {0, 0, 8, 5};
  problem.row_gap = gaps[random.below(4)];
  problem.token_gap = gaps[random.below(4)];
  if (random.below(4) == 0) problem.input = random.below(2) ? "integers" : "large";
  if (family == "rotary/qk") {
    problem.key_heads = random.between(0, 4);
    problem.offset = random.between(0, 9);
    for (i64 n = random.below(2) ? problem.batch * problem.tokens : 0; n > 0; --n) {
      problem.positions.push_back(random.between(0, 50));
    }
    return problem;
  }
  problem.inplace = random.below(2);
  if (random.below(3) == 0) problem.cu_seqlens = some_sequences(random, problem.tokens);
  add_offsets(problem, random);
  if (random.below(2)) problem.cache_rows = problem.table_rows() + random.between(0, 3);
  return problem;
}

}  // namespace ropewalk::kernels
