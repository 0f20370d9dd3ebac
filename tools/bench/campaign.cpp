#include "lib/campaign/campaign.h"

#include <algorithm>
#include <atomic>

#include "kernels/kernels.h"
#include "lib/base/cores.h"
#include "lib/base/stopwatch.h"
#include "lib/campaign/subject.h"
#include "lib/machine/machine.h"
#include "lib/problem/attention.h"
#include "lib/problem/rotary.h"
#include "tools/bench/measure.h"

namespace ropewalk::tools {

using campaign::Subject;

CampaignSpeed campaign_speed(const std::string& family, double seconds) {
  campaign::Options options;
  for (const Kernel& kernel : kernels::all_kernels()) {
    if (kernel.is_correct() && kernel.family->name == family) options.kernels.push_back(&kernel);
  }
  options.seconds = seconds;
  options.jobs = threads_for(0);
  options.run.threads = 1;
  options.run.coverage = true;
  options.make_executor = machine::make_machine;
  options.replay = [](const Kernel& kernel, const Problem&, u64, bool) { return kernel.name; };
  const Stopwatch watch;
  const campaign::Result result = campaign::run(options);
  const double spent = watch.seconds();
  return {options.jobs, result.cases, spent, result.findings.size() + result.not_run.size()};
}

namespace {

// What people write tests of: up to 64 tokens, heads of up to 128 columns (64 of attention), and no tensor of more than
// a megabyte with what lies between its rows.
bool is_small(const Kernel& kernel, const Problem& problem) {
  constexpr u64 most_bytes = 1 << 20;
  if (const auto* rotary = problem.as<RotaryProblem>()) {
    if (rotary->tokens > 64 || rotary->head_dim > 128) return false;
  } else {
    const auto& attention = problem.get<AttentionProblem>();
    if (attention.query_tokens > 64 || attention.key_tokens > 64 || attention.head_dim != 64) return false;
    if (attention.sequences() > 1 || attention.heads > 1) return false;
  }
  if (!kernel.reject(problem).empty()) return false;
  const Launch launch = kernel.launch(problem);
  return std::ranges::all_of(launch.tensors, [](const LaunchTensor& tensor) { return tensor.bytes() <= most_bytes; });
}

struct SmallCase {
  const Subject* subject;
  u64 number;
  Problem problem;
};

// The first so many of a campaign's own cases that are small, kernel by kernel in turn.
std::vector<SmallCase> small_cases(const std::vector<std::unique_ptr<Subject>>& subjects, u64 count) {
  const std::unique_ptr<Executor> executor = machine::make_machine();
  std::vector<SmallCase> cases;
  for (u64 n = 0; cases.size() < count; ++n) {
    for (const std::unique_ptr<Subject>& subject : subjects) {
      generate::PlannedCase planned = subject->case_at(n, *executor);
      if (is_small(subject->kernel(), planned.problem)) cases.push_back({subject.get(), n, std::move(planned.problem)});
    }
  }
  return cases;
}

}  // namespace

CampaignSpeed small_cases_speed(const std::string& family, double seconds) {
  std::vector<std::unique_ptr<Subject>> subjects;
  for (const Kernel& kernel : kernels::all_kernels()) {
    const bool meant = kernel.family->name == "rotary" || kernel.name == "attention/forward";
    if (kernel.is_correct() && kernel.family->name == family && meant) {
      subjects.push_back(std::make_unique<Subject>(kernel, 1));
    }
  }
  const std::vector<SmallCase> cases = small_cases(subjects, 4'000);
  CampaignSpeed speed;
  speed.jobs = threads_for(0);
  std::atomic<u64> next = 0, findings = 0;
  RunOptions options;
  options.threads = 1;
  options.coverage = true;
  const Stopwatch watch;
  on_workers(speed.jobs, [&](u32) {
    const BusyCore busy;
    campaign::Examiner examiner(machine::make_machine(), options);
    while (watch.seconds() < seconds) {
      const SmallCase& one = cases[next++ % cases.size()];
      const campaign::Trial trial{one.subject->kernel(), one.subject->plan().space().flaws, one.problem, 0};
      const campaign::Examined examined = examiner.examine(trial, one.subject->depth_of(one.number));
      findings += examined.findings.size() + !examined.not_run.empty();
    }
  });
  speed.cases = next;
  speed.seconds = watch.seconds();
  speed.findings = findings;
  return speed;
}

}  // namespace ropewalk::tools
