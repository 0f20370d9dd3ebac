#include <fmt/format.h>

#include <functional>

#include "lib/compare/judge.h"
#include "lib/generate/approximate_program.h"
#include "lib/generate/random_program.h"
#include "lib/gpu/gpu.h"
#include "lib/gpu/instrumented.h"
#include "lib/machine/machine.h"
#include "tests/gpu/both.h"
#include "tests/gpu/findings.h"
#include "tests/gpu/parts.h"

namespace ropewalk {

namespace {

RunOptions bare() {
  RunOptions options;
  options.checks = CheckSet();
  options.contract = true;  // the driver's compiler fuses products with sums
  return options;
}

// What is compared for each seed.
Tally for_seeds(u64 seeds, const std::function<void(u64, Tally&)>& compare) {
  Tally tally;
  for (u64 seed = 0; seed < seeds; ++seed) compare(seed, tally);
  return tally;
}

bool did_run(const Outcome& outcome, Tally& tally) {
  if (outcome.kind != OutcomeKind::NotRun) return true;
  tally.leave_out(outcome.reason);
  return false;
}

void compare_bits(const Launch& launch, const std::string& what, const Outcome& here, const Outcome& there,
                  Tally& tally) {
  if (!did_run(here, tally) || !did_run(there, tally)) return;
  ++tally.compared;
  if (there.tensors.size() != here.tensors.size()) {
    tally.differences.push_back(what + ": " + there.findings.at(0).message);
    return;
  }
  const std::string differs = difference(launch, here, there);
  if (!differs.empty()) tally.differences.push_back(what + ": other bits in " + differs);
}

}  // namespace

Tally compare_random_programs(const CompareOptions& options) {
  const auto machine = machine::make_machine(), gpu = gpu::make_gpu(),
             rewritten = gpu::make_instrumented(gpu::make_gpu());
  return for_seeds(options.seeds, [&](u64 seed, Tally& tally) {
    const Launch launch = random_program(seed).launch;
    const Outcome here = machine->run(launch, bare());
    compare_bits(launch, fmt::format("random program {}", seed), here, gpu->run(launch, bare()), tally);
    RunOptions checked = bare();
    checked.checks = gpu::instrumented_checks();
    compare_bits(launch, fmt::format("random program {}, rewritten", seed), here, rewritten->run(launch, checked),
                 tally);
  });
}

Tally compare_stray_programs(const CompareOptions& options) {
  Rewritten rewritten;
  return for_seeds(options.seeds, [&](u64 seed, Tally& tally) {
    rewritten.compare(random_program(seed, true).launch, fmt::format("random program {} with a stray store", seed),
                      tally);
  });
}

Tally compare_approximate_programs(const CompareOptions& options) {
  const auto gpu = gpu::make_gpu();
  return for_seeds(options.seeds, [&](u64 seed, Tally& tally) {
    const Launch launch = approximate_program(seed).launch;
    Outcome there = gpu->run(launch, bare());
    if (!did_run(there, tally)) return;
    ++tally.compared;
    judge_outputs(launch, there);
    for (const Finding& finding : there.findings) {
      tally.differences.push_back(fmt::format("approximate program {}: {}", seed, finding.message));
    }
  });
}

}  // namespace ropewalk
