// One kernel of a campaign: its plan, and what guides it.
#pragma once
#include <mutex>

#include "lib/campaign/examine.h"
#include "lib/generate/case_plan.h"

namespace ropewalk::campaign {

class Subject {
 public:
  Subject(const Kernel& kernel, u64 seed) : kernel_(kernel), plan_(kernel, seed) {}

  const Kernel& kernel() const { return kernel_; }
  const generate::CasePlan& plan() const { return plan_; }
  // Case n of this kernel. The first that is drawn at random runs the guiding cases for their branches alone, with
  // `executor`: every worker and every shard comes to the same.
  generate::PlannedCase case_at(u64 n, Executor& executor) const;
  // How closely case n is looked at: the first ones in every way, later ones now and then, as what these ways find
  // shows soon.
  Depth depth_of(u64 n) const;

 private:
  const Kernel& kernel_;
  generate::CasePlan plan_;
  mutable std::once_flag guided_;
  mutable generate::Guidance guidance_;
};

// What the guiding cases of a plan show.
generate::Guidance guidance_of(const Kernel& kernel, const generate::CasePlan& plan, Executor& executor);

}  // namespace ropewalk::campaign
