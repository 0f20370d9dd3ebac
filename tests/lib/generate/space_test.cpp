#include "lib/generate/space.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/kernels.h"
#include "lib/generate/case_plan.h"
#include "lib/problem/rotary.h"

namespace ropewalk::generate {

using kernels::kernel_named;

namespace {

ProblemSpace space_of(const Kernel& kernel) { return kernel.family->space(kernel); }

const Parameter& parameter(const ProblemSpace& space, const std::string& name) {
  const auto at = std::find_if(space.parameters.begin(), space.parameters.end(),
                               [&](const Parameter& one) { return one.name == name; });
  if (at == space.parameters.end()) throw std::runtime_error("no parameter " + name);
  return *at;
}

Choice any_choice(const ProblemSpace& space, Random& random) {
  Choice choice;
  for (const Parameter& one : space.parameters) {
    choice.push_back(random.below(4) == 0 ? drawn : u32(random.below(one.values.size())));
  }
  return choice;
}

// What is good by construction has no flaw, and the preconditions agree.
TEST(Space, good_problems_are_taken) {
  for (const Kernel& kernel : kernels::all_kernels()) {
    const ProblemSpace space = kernel.family->space(kernel);
    Random random(3);
    for (u64 n = 0; n < 400; ++n) {
      const Problem problem = space.problem(any_choice(space, random), random.split(n));
      for (const Flaw& flaw : space.flaws) {
        EXPECT_FALSE(flaw.is_in(problem)) << flaw.name << " in " << text_of(problem);
      }
      EXPECT_EQ(unanswerable(kernel, problem), std::vector<std::string>{}) << kernel.name << " " << text_of(problem);
    }
  }
}

TEST(Space, broken_problems_are_rejected_by_healthy_kernels) {
  for (const Kernel& kernel : kernels::all_kernels()) {
    if (!kernel.is_correct()) continue;
    const ProblemSpace space = kernel.family->space(kernel);
    for (const Flaw& flaw : space.flaws) {
      Random random(5);
      u64 broken = 0;
      for (u64 n = 0; n < 200; ++n) {
        Problem problem = space.problem(any_choice(space, random), random.split(n));
        if (!flaw.breaks(problem, random)) continue;
        ++broken;
        EXPECT_TRUE(flaw.is_in(problem)) << flaw.name << " is not in " << text_of(problem);
        EXPECT_FALSE(kernel.reject(problem).empty())
            << kernel.name << " takes " << flaw.name << ": " << text_of(problem);
      }
      EXPECT_GT(broken, 0u) << flaw.name << " breaks no problem of " << kernel.name;
    }
  }
}

TEST(Space, holds_what_the_family_has_a_form_for) {
  const ProblemSpace apply = space_of(kernel_named("rotary/apply"));
  EXPECT_EQ(parameter(apply, "dtype").values, (std::vector<std::string>{"f32", "f16", "bf16"}));
  EXPECT_EQ(parameter(apply, "cache_dtype").values.size(), 2u);
  EXPECT_EQ(parameter(apply, "sequences").values.size(), 7u);
  EXPECT_EQ(apply.extremes.size(), 29u);
  const auto narrow = std::count_if(apply.extremes.begin(), apply.extremes.end(), [](const Extreme& extreme) {
    return extreme.problem.get<RotaryProblem>().dtype == Dtype::BF16;
  });
  EXPECT_EQ(narrow, 13) << "each extreme but those of counts, for the widest elements and for the narrowest";
  EXPECT_EQ(space_of(kernel_named("rotary/cache")).extremes.size(), 5u);
  // Entries for f32 and bf16 with an f32 cache alone.
  const ProblemSpace few = space_of(kernel_named("faulty/rotary-apply-row-mask"));
  EXPECT_EQ(parameter(few, "dtype").values, (std::vector<std::string>{"f32", "bf16"}));
  EXPECT_EQ(parameter(few, "cache_dtype").values, (std::vector<std::string>{"f32"}));
  // No cu_seqlens.
  const ProblemSpace batches = space_of(kernel_named("faulty/rotary-apply-grid-z"));
  EXPECT_EQ(parameter(batches, "sequences").values, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_THROW(parameter(space_of(kernel_named("rotary/cache")), "H"), std::runtime_error);
  EXPECT_EQ(parameter(space_of(kernel_named("rotary/qk")), "key_heads").values.size(), 5u);
}

TEST(Space, widths_stand_on_both_sides_of_their_bounds) {
  const ProblemSpace space = space_of(kernel_named("rotary/apply"));
  bool full = false, below = false, above = false, odd = false, model = false, last_row = false;
  const CasePlan plan(kernel_named("rotary/apply"), 1);
  for (u64 n = 0; n < plan.guiding_cases(); ++n) {
    const auto problem = plan.at(n).problem.get<RotaryProblem>();
    full |= problem.width() == problem.head_dim;
    below |= problem.width() == problem.head_dim - 2;
    above |= problem.width() == problem.head_dim + 2;
    odd |= problem.width() == problem.head_dim + 1;
    model |= problem.heads > 2 && problem.width() == problem.heads * problem.head_dim;
    last_row |= problem.cache_rows == 0 && problem.offset > 0;
  }
  EXPECT_TRUE(full && below && above && odd && model && last_row);
}

}  // namespace
}  // namespace ropewalk::generate
