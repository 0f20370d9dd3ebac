#include "lib/campaign/subject.h"

#include <map>
#include <tuple>

namespace ropewalk::campaign {

generate::Guidance guidance_of(const Kernel& kernel, const generate::CasePlan& plan, Executor& executor) {
  RunOptions options;
  options.checks = parse_checks("bounds,hang");  // an access outside must not end the program
  options.threads = 1;
  options.coverage = true;
  std::map<std::tuple<std::string, u32, bool>, generate::Guidance::Side> sides;
  for (u64 n = 0; n < plan.guiding_cases(); ++n) {
    const generate::PlannedCase planned = plan.at(n);
    if (planned.choice.empty() || !kernel.reject(planned.problem).empty()) continue;
    const Launch launch = kernel.launch(planned.problem);
    for (const BranchCoverage::Branch& branch : executor.run(launch, options).coverage.branches) {
      if (branch.taken) sides[{launch.entry, branch.ptx_line, true}].cases.push_back(n);
      if (branch.not_taken) sides[{launch.entry, branch.ptx_line, false}].cases.push_back(n);
    }
  }
  generate::Guidance guidance;
  for (auto& [key, side] : sides) guidance.sides.push_back(std::move(side));
  return guidance;
}

generate::PlannedCase Subject::case_at(u64 n, Executor& executor) const {
  if (n < plan_.first_random()) return plan_.at(n);
  std::call_once(guided_, [&] { guidance_ = guidance_of(kernel_, plan_, executor); });
  return plan_.at(n, &guidance_);
}

Depth Subject::depth_of(u64 n) const {
  const bool early = n < plan_.guiding_cases();
  return {early || n % 16 == 3, early || n % 16 == 11};
}

}  // namespace ropewalk::campaign
