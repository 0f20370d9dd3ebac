// Caches that are wrong as a known misreading makes them, put together here. (Each seeded bug of the atlas has its
// cause as well: attn-fuzz atlas.)
#include "lib/families/cache_store/store_hypotheses.h"

#include <gtest/gtest.h>

#include "kernels/kernels.h"
#include "lib/compare/elements.h"
#include "lib/compare/expect.h"
#include "tests/lib/diagnose/mismatch_cause.h"

namespace ropewalk::cache_store {
namespace {

// The cause of a cache of f32 that holds, at [page, token, head, column], what `source` says of the value cache's own
// element number.
std::string cause_of(const char* text, const char* kernel, const std::function<double(i64, const Launch&)>& source) {
  const Problem problem = families::parse_problem(text);
  Launch launch = kernels::kernel_named(kernel).launch(problem);
  EXPECT_EQ(compare::expect_answer(kernels::kernel_named(kernel), problem, launch), "");
  std::vector<double> held;
  const LaunchTensor& cache = launch.tensors[u64(launch.tensor_named("value_cache"))];
  for (i64 n = 0; n < element_count(cache.shape); ++n) held.push_back(source(n, launch));
  return diagnose::cause_of_values(launch, problem, "value_cache", held);
}

double value_of_row(const Launch& launch, i64 token, i64 head, i64 column, i64 heads, i64 columns) {
  static const auto values = [](const Launch& of) {
    return compare::initial_values(of.tensors[u64(of.tensor_named("value"))]);
  };
  return values(launch)[u64((token * heads + head) * columns + column)];
}

// Four tokens in the four slots of one page, in order: H = 2, D = 3.
constexpr const char* one_page = "cache-store(T=4,H=2,D=3,page_size=4,slot_mapping=[0,1,2,3])";

TEST(StoreHypotheses, ReadAsAskedIsNoFinding) {
  EXPECT_EQ(cause_of(one_page, "cache-store/append",
                     [](i64 n, const Launch& launch) { return value_of_row(launch, n / 6, n / 3 % 2, n % 3, 2, 3); }),
            "none");
}

TEST(StoreHypotheses, HeadsFirstInAnNhdCache) {
  EXPECT_EQ(cause_of(one_page, "cache-store/append",
                     [](i64 n, const Launch& launch) { return value_of_row(launch, n / 3 % 4, n / 12, n % 3, 2, 3); }),
            "cache-layout");
}

TEST(StoreHypotheses, AnythingElseHasNoCause) {
  EXPECT_EQ(
      cause_of(one_page, "cache-store/append",
               [](i64 n, const Launch& launch) { return value_of_row(launch, 3 - n / 6, n / 3 % 2, n % 3, 2, 3); }),
      "");
}

TEST(StoreHypotheses, PagesThatWereNotCopied) {
  EXPECT_EQ(cause_of("cache-store(T=1,H=2,D=3,page_size=2,copies=[0,1,2,3])", "cache-store/copy",
                     [](i64 n, const Launch& launch) {
                       return compare::initial_values(launch.tensors[u64(launch.tensor_named("value_cache"))])[u64(n)];
                     }),
            "copied-pages");
}

TEST(StoreHypotheses, TouchWhatTheirNumbersSay) {
  const auto problem = parse_cache_store("cache-store(T=2,H=1,D=2,page_size=2,page_gap=3,slot_mapping=[-1,3])");
  const Launch launch = kernels::kernel_named("cache-store/append").launch(Problem(problem));
  const LaunchTensor& cache = launch.tensors[u64(launch.tensor_named("key_cache"))];
  EXPECT_EQ(touched_by(right_store(problem), cache, problem).offsets, (std::vector<i64>{9, 10}));
  EXPECT_EQ(touched_by(right_store(problem), cache, problem).strays, std::vector<i64>{});
  std::vector<std::vector<i64>> touched;
  for (const StoreHypothesis& hypothesis : wrong_stores(problem)) {
    touched.push_back(touched_by(hypothesis, cache, problem).offsets);
    EXPECT_FALSE(hypothesis.text.empty() || hypothesis.advice.empty());
  }
  // -1 is token -1 of page 0; pages that are 4 elements apart; slot 3 as page 3. One head lies as it does in
  // both layouts.
  EXPECT_EQ(touched, (std::vector<std::vector<i64>>{{-2, -1, 9, 10}, {6, 7}, {21, 22}, {9, 10}}));
}

}  // namespace
}  // namespace ropewalk::cache_store
