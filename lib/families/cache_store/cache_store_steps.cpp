#include "lib/families/cache_store/cache_store_steps.h"

#include "lib/shrink/steps.h"

namespace ropewalk::cache_store {
namespace {

using Store = CacheStoreProblem;

class StoreSteps : public shrink::ProblemSteps<Store> {
 public:
  using ProblemSteps::ProblemSteps;

  // All that is no size and no list goes at once, for the many findings that need none of it.
  void all_but_sizes() {
    Store& bare = add();
    const Store plain;
    bare.query_heads = bare.token_gap = bare.padding = bare.page_gap = 0;
    bare.dtype = plain.dtype;
    bare.cache_dtype = plain.cache_dtype;
    bare.k_scale = bare.v_scale = 1;
    bare.input = plain.input;
    bare.seed = plain.seed;
  }

  void words_and_flags() {
    clear(&Store::dtype);
    clear(&Store::layout);
    clear(&Store::k_scale);
    clear(&Store::v_scale);
    clear(&Store::input);
    clear(&Store::seed);
    if (problem_.cache_dtype) {
      Store& same = add();
      same.cache_dtype.reset();
      same.k_scale = same.v_scale = 1;
      add().cache_dtype.reset();
    }
    if (problem_.page_size) {
      Store& contiguous = add();
      contiguous.page_size = 0;
      contiguous.layout = CacheLayout::Nhd;
    }
  }

  // A token goes with its slot, or tokens become fewer and slot_mapping with them.
  void tokens() {
    const std::vector<i64>& mapping = problem_.slot_mapping;
    for (const i64 fewer : shrink::smaller_numbers(problem_.tokens, 1)) {
      Store& smaller = add();
      smaller.tokens = fewer;
      if (fewer < i64(mapping.size())) smaller.slot_mapping.resize(u64(fewer));
    }
    for (u64 n = 0; n < mapping.size() && problem_.tokens > 1; ++n) {
      Store& without = add();
      --without.tokens;
      without.slot_mapping.erase(without.slot_mapping.begin() + i64(n));
    }
  }

  void pairs() {
    for (u64 n = 0; n + 1 < problem_.copies.size(); n += 2) {
      Store& without = add();
      without.copies.erase(without.copies.begin() + i64(n), without.copies.begin() + i64(n) + 2);
    }
  }
};

}  // namespace

std::vector<CacheStoreProblem> smaller_problems_of(const CacheStoreProblem& problem) {
  StoreSteps steps(problem);
  steps.all_but_sizes();
  steps.words_and_flags();
  steps.tokens();
  steps.pairs();
  steps.number(&Store::heads, 1);
  steps.number(&Store::head_dim, 1);
  steps.number(&Store::page_size, 0);
  steps.number(&Store::slots, 0);
  steps.number(&Store::query_heads, 0);
  steps.number(&Store::padding, 0);
  steps.number(&Store::token_gap, 0);
  steps.number(&Store::page_gap, 0);
  steps.list(&Store::slot_mapping);
  steps.list(&Store::copies);
  return steps.take();
}

}  // namespace ropewalk::cache_store
