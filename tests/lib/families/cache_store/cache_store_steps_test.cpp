// Smaller problems of writing to a KV cache.
#include "lib/families/cache_store/cache_store_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "kernels/kernels.h"
#include "lib/generate/case_plan.h"
#include "lib/shrink/shrink.h"

namespace ropewalk::cache_store {
namespace {

bool can_become(const char* from, const char* to) {
  const auto smaller = smaller_problems_of(parse_cache_store(from));
  return std::ranges::find(smaller, parse_cache_store(to)) != smaller.end();
}

TEST(CacheStoreSteps, a_token_goes_with_its_slot) {
  const char* const three = "cache-store(T=3,page_size=4,slot_mapping=[5,-1,2])";
  EXPECT_TRUE(can_become(three, "cache-store(T=2,page_size=4,slot_mapping=[5,2])"));
  EXPECT_TRUE(can_become(three, "cache-store(T=1,page_size=4,slot_mapping=[5])"));
  EXPECT_TRUE(can_become(three, "cache-store(T=3,page_size=4)"));
  EXPECT_TRUE(can_become(three, "cache-store(T=3,slot_mapping=[5,-1,2])"));
  EXPECT_TRUE(can_become(three, "cache-store(T=3,page_size=4,slot_mapping=[4,-1,2])"));
}

TEST(CacheStoreSteps, a_pair_of_pages_goes) {
  EXPECT_TRUE(can_become("cache-store(T=1,copies=[0,3,1,2])", "cache-store(T=1,copies=[1,2])"));
  EXPECT_TRUE(can_become("cache-store(T=1,copies=[0,3])", "cache-store(T=1,copies=[0,2])"));
}

TEST(CacheStoreSteps, scales_go_with_the_dtype_of_the_cache) {
  EXPECT_TRUE(can_become("cache-store(cache_dtype=f8e4m3,k_scale=0.5,v_scale=2)", "cache-store()"));
  EXPECT_TRUE(
      can_become("cache-store(cache_dtype=f8e4m3,k_scale=0.5,v_scale=2)", "cache-store(cache_dtype=f8e4m3,v_scale=2)"));
}

// What every step must make less: entries of lists first, then numbers by their distance from the least, then words.
std::vector<double> size_of_problem(const CacheStoreProblem& p) {
  const CacheStoreProblem plain;
  const auto far = [](i64 value, i64 least) { return double(std::abs(value - least)); };
  double numbers = far(p.tokens, 1) + far(p.heads, 1) + far(p.head_dim, 1);
  for (const i64 number : {p.query_heads, p.token_gap, p.padding, p.slots, p.page_size, p.page_gap})
    numbers += far(number, 0);
  for (const auto* list : {&p.slot_mapping, &p.copies}) {
    for (const i64 entry : *list) numbers += far(entry, 0);
  }
  const int words = (p.dtype != plain.dtype) + (p.cache_dtype != plain.cache_dtype) + (p.layout != plain.layout) +
                    (p.k_scale != 1) + (p.v_scale != 1) + (p.seed != 1) + (p.input != plain.input);
  return {double(p.slot_mapping.size() + p.copies.size()), numbers, double(words)};
}

TEST(CacheStoreSteps, never_lead_back) {
  u64 steps = 0;
  for (const char* kernel : {"cache-store/append", "cache-store/copy"}) {
    const generate::CasePlan plan(kernels::kernel_named(kernel), 1);
    for (u64 n = 0; n < 300; ++n) {
      const auto problem = plan.at(n).problem.get<CacheStoreProblem>();
      const std::vector<double> size = size_of_problem(problem);
      for (const CacheStoreProblem& smaller : smaller_problems_of(problem)) {
        const std::vector<double> less = size_of_problem(smaller);
        bool any_less = false;
        for (u64 part = 0; part < 3; ++part) {
          EXPECT_LE(less[part], size[part]) << text_of(problem) << " becomes " << text_of(smaller);
          any_less |= less[part] < size[part];
        }
        EXPECT_TRUE(any_less) << text_of(problem) << " becomes " << text_of(smaller);
        ++steps;
      }
    }
  }
  EXPECT_GT(steps, 10000u);
}

TEST(CacheStoreSteps, reach_the_least) {
  const std::pair<const char*, const char*> least[] = {{"cache-store/append", "cache-store(T=1,H=1,D=1)"},
                                                       {"cache-store/copy", "cache-store(T=1,H=1,D=1,copies=[0,1])"}};
  for (const auto& [name, smallest] : least) {
    const Kernel& kernel = kernels::kernel_named(name);
    const generate::CasePlan plan(kernel, 3);
    u64 shrunk = 0;
    for (u64 n = 0; n < 200; ++n) {
      const Problem problem = plan.at(n).problem;
      if (!kernel.reject(problem).empty()) continue;
      const shrink::Shrunk small = shrink::shrink(
          *kernel.family, problem, [&](const Problem& one) { return kernel.reject(one).empty(); }, 100000);
      EXPECT_TRUE(small.minimal);
      // A copy may end the other way round.
      const std::string end = text_of(small.problem);
      EXPECT_TRUE(end == smallest || end == "cache-store(T=1,H=1,D=1,copies=[1,0])") << text_of(problem) << ": " << end;
      ++shrunk;
    }
    EXPECT_GT(shrunk, 100u);
  }
}

}  // namespace
}  // namespace ropewalk::cache_store
