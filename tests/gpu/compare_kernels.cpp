#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "kernels/atlas.h"
#include "kernels/kernels.h"
#include "lib/campaign/campaign.h"
#include "lib/gpu/gpu.h"
#include "lib/gpu/instrumented.h"
#include "lib/machine/machine.h"
#include "tests/gpu/both.h"
#include "tests/gpu/findings.h"
#include "tests/gpu/parts.h"

namespace ropewalk {

namespace {

campaign::Options campaign_on(const Kernel& kernel, const CompareOptions& options) {
  campaign::Options campaign;
  campaign.kernels = {&kernel};
  campaign.cases = options.cases;
  campaign.jobs = options.jobs;
  campaign.most_trials = 0;
  campaign.run.fp_contract = true;
  campaign.run.threads = 1;
  campaign.replay = [](const Kernel& kernel, const Problem& problem, u64, bool) {
    return kernel.name + " on " + text_of(problem);
  };
  return campaign;
}

using MakeExecutor = std::function<std::unique_ptr<Executor>()>;

// Every finding of a campaign on a healthy kernel is one too many.
Tally compare_campaigns(const CompareOptions& options, CheckSet checks, const MakeExecutor& make_gpu) {
  SharedTally shared_tally;
  for (const Kernel& kernel : kernels::all_kernels()) {
    if (!kernel.is_correct()) continue;
    campaign::Options campaign = campaign_on(kernel, options);
    campaign.run.checks = checks;
    campaign.make_executor = [&] { return make_both(make_gpu(), options.most_bytes, shared_tally); };
    for (const Finding& finding : campaign::run(campaign).findings) {
      shared_tally.tally.differences.push_back(
          fmt::format("{}: {} ({})", kernel.name, finding.message, finding.replay));
    }
  }
  return std::move(shared_tally.tally);
}

}  // namespace

Tally compare_healthy_kernels(const CompareOptions& options) {
  return compare_campaigns(options, gpu::gpu_checks(), [] { return gpu::make_gpu(); });
}

Tally compare_rewritten_kernels(const CompareOptions& options) {
  return compare_campaigns(options, gpu::instrumented_checks(), [] { return gpu::make_instrumented(gpu::make_gpu()); });
}

namespace {

// A rewritten kernel's executor that leaves out what is too large, or meant to run in part.
class Bounded : public Executor {
 public:
  Bounded(std::unique_ptr<Executor> inner, u64 most_bytes) : inner_(std::move(inner)), most_bytes_(most_bytes) {}
  std::string_view name() const override { return inner_->name(); }
  Outcome run(const Launch& launch, const RunOptions& options) override {
    u64 bytes = 0;
    for (const LaunchTensor& tensor : launch.tensors) bytes += tensor.bytes();
    if (bytes <= most_bytes_ && !launch.blocks.count) return inner_->run(launch, options);
    Outcome outcome;
    outcome.kind = OutcomeKind::NotRun;
    outcome.reason = "too large, or only some of its blocks are meant to run";
    return outcome;
  }

 private:
  std::unique_ptr<Executor> inner_;
  u64 most_bytes_;
};

}  // namespace

Tally compare_faulty_kernels(const CompareOptions& options) {
  Tally tally;
  for (const Kernel& kernel : kernels::all_kernels()) {
    if (kernel.is_correct()) continue;
    campaign::Options campaign = campaign_on(kernel, options);
    campaign.run.checks = checks_of_accesses();
    const auto run_with = [&](const MakeExecutor& make) {
      campaign.make_executor = [&] {
        return std::make_unique<Bounded>(gpu::make_instrumented(make()), options.most_bytes);
      };
      return campaign::run(campaign);
    };
    const campaign::Result here = run_with(machine::make_machine), there = run_with([] { return gpu::make_gpu(); });
    tally.compared += there.cases;
    for (const auto& left : there.not_run) {
      tally.compared -= left.cases;
      tally.not_run += left.cases;
      tally.reasons[left.reason] += left.cases;
    }
    const auto ours = texts_of(here.findings), theirs = texts_of(there.findings);
    if (ours == theirs) continue;
    tally.differences.push_back(
        fmt::format("{}: the machine's kernel records {}; the GPU's {}", kernel.name, ours, theirs));
  }
  return tally;
}

namespace {

u64 free_memory() { return u64(sysconf(_SC_AVPHYS_PAGES)) * u64(sysconf(_SC_PAGESIZE)); }

}  // namespace

Tally compare_atlas(const CompareOptions& options) {
  Tally tally;
  Rewritten rewritten;
  for (const kernels::AtlasEntry& entry : kernels::all_atlas_entries()) {
    const Kernel& kernel = kernels::kernel_named(entry.kernel);
    const Problem problem = families::parse_problem(entry.problem);
    if (!kernel.reject(problem).empty()) {
      tally.leave_out("its preconditions reject the problem");
      continue;
    }
    const Launch launch = kernel.launch(problem);
    u64 bytes = 0;
    for (const LaunchTensor& tensor : launch.tensors) bytes += tensor.bytes();
    if (bytes > 8 * options.most_bytes) {
      tally.leave_out(fmt::format("more than {} MiB", 8 * options.most_bytes >> 20));
      continue;
    }
    // Here once with what goes there and once with what comes back, and on the machine.
    if (bytes > free_memory() / 4) {
      tally.leave_out("more than a quarter of the free memory");
      continue;
    }
    rewritten.compare(launch, fmt::format("row {}: {}", entry.row, entry.kernel), tally);
  }
  return tally;
}

}  // namespace ropewalk
