#include <algorithm>
#include <thread>

#include "lib/base/stopwatch.h"
#include "lib/campaign/campaign.h"
#include "lib/machine/machine.h"
#include "tools/bench/measure.h"

namespace ropewalk {

CampaignSpeed campaign_speed(const std::string& problem_kind, double seconds) {
  CampaignOptions options;
  for (const KernelFamily& family : all_families()) {
    if (family.healthy() && family.problem_kind == problem_kind) options.families.push_back(&family);
  }
  options.seconds = seconds;
  options.jobs = std::max(1u, std::thread::hardware_concurrency());
  options.run.threads = 1;
  options.run.coverage = true;
  options.make_executor = machine::make_machine;
  options.replay = [](const KernelFamily& family, const Problem&, u64, bool) { return family.name; };
  const Stopwatch watch;
  const CampaignResult result = run_campaign(options);
  const double spent = watch.seconds();
  return {options.jobs, result.cases, spent, result.findings.size() + result.not_run.size()};
}

}  // namespace ropewalk
