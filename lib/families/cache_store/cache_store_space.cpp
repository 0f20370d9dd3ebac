#include "lib/families/cache_store/cache_store_space.h"

#include <memory>

#include "lib/base/error.h"
#include "lib/families/cache_store/cache_store_flaws.h"
#include "lib/families/cache_store/cache_store_parameters.h"

namespace ropewalk::cache_store {
namespace {

// Strides beyond what 32 bits hold, with few elements that are touched.
std::vector<generate::Extreme> wide_stores(const Kernel& kernel, const CacheStoreProblem& plain) {
  std::vector<generate::Extreme> all;
  const auto add = [&](const std::string& name, i64 CacheStoreProblem::*gap, i64 page_size, CacheLayout layout) {
    CacheStoreProblem problem = plain;
    problem.tokens = 8;
    problem.heads = problem.head_dim = 2;
    problem.page_size = page_size;
    problem.layout = layout;
    problem.*gap = i64(1) << 30;
    if (unanswerable(kernel, problem).empty()) all.push_back({name, problem, 0});
  };
  add("token strides that 32 bits do not hold", &CacheStoreProblem::token_gap, 0, CacheLayout::Nhd);
  add("slot strides that 32 bits do not hold", &CacheStoreProblem::page_gap, 0, CacheLayout::Nhd);
  add("page strides that 32 bits do not hold", &CacheStoreProblem::page_gap, 2, CacheLayout::Nhd);
  add("page strides that 32 bits do not hold, heads first", &CacheStoreProblem::page_gap, 2, CacheLayout::Hnd);
  return all;
}

}  // namespace

generate::ProblemSpace cache_store_space(const Kernel& kernel) {
  CacheStoreProblem plain;
  if (!unanswerable(kernel, plain).empty()) plain.copies = {0, 3, 1, 2};
  if (!unanswerable(kernel, plain).empty()) throw InternalError(kernel.name + " takes no plain cache-store problem");
  std::vector<Dtype> dtypes;
  for (const Dtype dtype : {Dtype::F32, Dtype::F16, Dtype::BF16}) {
    CacheStoreProblem problem = plain;
    problem.dtype = dtype;
    if (unanswerable(kernel, problem).empty()) dtypes.push_back(dtype);
  }
  const auto parameters = std::make_shared<const std::vector<CacheStoreParameter>>(
      plain.is_copy() ? copy_parameters(dtypes) : append_parameters(dtypes));
  generate::ProblemSpace space;
  for (const CacheStoreParameter& parameter : *parameters)
    space.parameters.push_back({parameter.name, parameter.values});
  space.problem = [parameters, tokens = plain.is_copy() ? 1 : plain.tokens](const generate::Choice& choice,
                                                                            Random random) {
    CacheStoreProblem problem;
    problem.tokens = tokens;
    return Problem(generate::chosen(problem, *parameters, choice, random));
  };
  space.flaws = plain.is_copy() ? copy_flaws() : append_flaws();
  space.extremes = wide_stores(kernel, plain);
  return space;
}

}  // namespace ropewalk::cache_store
