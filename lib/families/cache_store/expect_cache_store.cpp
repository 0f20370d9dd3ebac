#include "lib/families/cache_store/expect_cache_store.h"

#include "lib/compare/elements.h"
#include "lib/compare/named_tensors.h"
#include "reference/cache_store.h"

namespace ropewalk::cache_store {

void expect_answer_of(const CacheStoreProblem& p, Launch& launch) {
  const reference::CacheShape shape{p.pages(), p.tokens_of_page(), p.heads, p.head_dim, p.layout == CacheLayout::Hnd};
  const auto expect_cache = [&](const char* cache, const char* tokens, double scale) {
    const std::vector<double> before =
        compare::initial_values(compare::tensor_of(launch, p.is_copy() ? cache : tokens));
    std::optional<float> divisor;
    if (p.dtype_of_cache() != p.dtype) divisor = float(scale);
    compare::expect_of(launch, cache, [&](reference::ExpectedValues out) {
      if (p.is_copy()) return reference::cache_after_copy(shape, p.copies, before.data(), out);
      reference::cache_after_store(shape, p.slots_of_tokens(), divisor, before.data(), out);
    });
  };
  expect_cache("key_cache", "key", p.k_scale);
  expect_cache("value_cache", "value", p.v_scale);
}

}  // namespace ropewalk::cache_store
