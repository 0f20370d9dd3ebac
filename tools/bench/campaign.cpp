#include <algorithm>
#include <chrono>
#include <thread>

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
  const auto start = std::chrono::steady_clock::now();
  const CampaignResult result = run_campaign(options);
  const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {options.jobs, result.cases, spent, result.findings.size() + result.not_run.size()};
}

}  // namespace ropewalk
