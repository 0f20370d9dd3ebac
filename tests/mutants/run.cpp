#include "tests/mutants/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "kernels/kernels.h"
#include "lib/base/cores.h"
#include "lib/base/error.h"
#include "reports/glob.h"
#include "tests/mutants/results.h"

namespace ropewalk::mutants {
namespace {

std::vector<const Kernel*> families_of(const Options& options) {
  std::vector<const Kernel*> kernels;
  for (const std::string& name : options.kernels) kernels.push_back(&kernels::kernel_named(name));
  if (!kernels.empty()) return kernels;
  for (const Kernel& kernel : kernels::all_kernels()) {
    if (kernel.is_correct()) kernels.push_back(&kernel);
  }
  return kernels;
}

std::vector<Result> chosen_mutants(const Options& options, const std::vector<Target>& targets) {
  std::vector<Result> chosen;
  u64 n = 0;
  for (const Target& target : targets) {
    for (Mutant& mutant : mutants_of(*target.module, target.entry)) {
      if (!reports::glob_matches(options.only, mutant.name())) continue;
      if (n++ % options.every == 0) chosen.push_back({&target, std::move(mutant)});
    }
  }
  return chosen;
}

void try_all(std::vector<Result>& results, u32 jobs) {
  std::atomic<u64> next = 0;
  on_workers(jobs, [&](u32) {
    const BusyCore busy;
    for (u64 n = next++; n < results.size(); n = next++) {
      const Verdict verdict = results[n].verdict = try_mutant(*results[n].target, results[n].mutant);
      // Most survivors take as long as all others: they are reported at once, before their arguments are looked up.
      if (!verdict.killed_by) fmt::print(stderr, "not found: {}\n", line_of(results[n].mutant));
    }
  });
}

}  // namespace

int run(const Options& options) {
  const std::vector<Target> targets = targets_of(families_of(options), options.entries, options.seed, options.cases);
  std::vector<Result> results = chosen_mutants(options, targets);
  if (results.empty()) throw InputError("no mutant has such a name");
  if (options.list) {
    for (const Result& result : results) fmt::print("{}\n", line_of(result.mutant));
    fmt::print("{} mutants\n", results.size());
    return 0;
  }
  const std::vector<Argued> argued = read_argued(options.argued);
  try_all(results, threads_for(options.jobs));
  hold_against(argued, results);
  // What a part of the mutants does not need, another may.
  const bool all = options.every == 1 && options.only == "*";
  return tell(results, all ? unneeded(argued, results) : std::vector<std::string>{}, options.report) ? 0 : 1;
}

}  // namespace ropewalk::mutants
