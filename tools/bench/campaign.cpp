#include "lib/campaign/campaign.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "lib/base/random.h"
#include "lib/base/stopwatch.h"
#include "lib/campaign/examine.h"
#include "lib/generate/spaces.h"
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

namespace {

// One head of up to 64 queries and keys of 64 columns, with any of the features.
Problem small_problem(u64 n) {
  Random random = Random(1).split(n);
  constexpr Dtype dtypes[] = {Dtype::F32, Dtype::F16, Dtype::BF16};
  AttentionProblem problem;
  problem.query_tokens = random.between(1, 64);
  problem.key_tokens = random.between(1, 64);
  problem.dtype = dtypes[random.below(3)];
  problem.causal = Causal(random.below(3));
  if (random.below(4) == 0) problem.window = {random.between(-1, 32), random.between(-1, 32)};
  if (random.below(4) == 0) problem.softcap = 30;
  problem.alibi = random.below(4) == 0;
  problem.sink = random.below(4) == 0;
  problem.seed = n;
  return problem;
}

}  // namespace

CampaignSpeed small_cases_speed(double seconds) {
  const KernelFamily& family = family_named("attention/forward");
  const std::vector<Flaw> flaws = space_of(family).flaws;
  CampaignSpeed speed;
  speed.jobs = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<u64> next = 0, done = 0, findings = 0;
  RunOptions options;
  options.threads = 1;
  const Stopwatch watch;
  const auto work = [&] {
    Examiner examiner(machine::make_machine(), options);
    while (watch.seconds() < seconds) {
      const Problem problem = small_problem(next++);
      const Examined examined =
          examiner.examine({family, flaws, problem, 0}, {.other_order = false, .relations = false});
      findings += examined.findings.size() + !examined.not_run.empty();
      ++done;
    }
  };
  std::vector<std::jthread> threads;
  for (u32 n = 1; n < speed.jobs; ++n) threads.emplace_back(work);
  work();
  threads.clear();  // joins
  speed.cases = done;
  speed.seconds = watch.seconds();
  speed.findings = findings;
  return speed;
}

}  // namespace ropewalk
