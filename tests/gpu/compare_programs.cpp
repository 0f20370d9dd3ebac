#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>

#include "lib/base/cores.h"
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
  options.fp_contract = true;  // the driver's compiler fuses products with sums
  return options;
}

// Compares one seed, with executors of its own.
using CompareSeed = std::function<void(u64, Tally&)>;

// Every seed, on several threads; reported in the order of the seeds.
Tally for_seeds(const CompareOptions& options, const std::function<CompareSeed()>& make_compare) {
  std::vector<Tally> tallies(options.seeds);
  std::atomic<u64> next = 0;
  on_workers(options.jobs, [&](u32) {
    const CompareSeed compare = make_compare();
    for (u64 seed = next++; seed < options.seeds; seed = next++) compare(seed, tallies[seed]);
  });
  Tally all;
  for (const Tally& tally : tallies) all.add(tally);
  return all;
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
  return for_seeds(options, []() -> CompareSeed {
    const std::shared_ptr<Executor> machine = machine::make_machine(), gpu = gpu::make_gpu(),
                                    rewritten = gpu::make_instrumented(gpu::make_gpu());
    return [=](u64 seed, Tally& tally) {
      const Launch launch = generate::random_program(seed).launch;
      const Outcome here = machine->run(launch, bare());
      compare_bits(launch, fmt::format("random program {}", seed), here, gpu->run(launch, bare()), tally);
      RunOptions checked = bare();
      checked.checks = gpu::instrumented_checks();
      compare_bits(launch, fmt::format("random program {}, rewritten", seed), here, rewritten->run(launch, checked),
                   tally);
    };
  });
}

Tally compare_stray_programs(const CompareOptions& options) {
  return for_seeds(options, []() -> CompareSeed {
    return [rewritten = std::make_shared<Rewritten>()](u64 seed, Tally& tally) {
      rewritten->compare(generate::random_program(seed, true).launch,
                         fmt::format("random program {} with a stray store", seed), tally);
    };
  });
}

Tally compare_approximate_programs(const CompareOptions& options) {
  return for_seeds(options, []() -> CompareSeed {
    return [gpu = std::shared_ptr<Executor>(gpu::make_gpu())](u64 seed, Tally& tally) {
      const Launch launch = generate::approximate_program(seed).launch;
      Outcome there = gpu->run(launch, bare());
      if (!did_run(there, tally)) return;
      ++tally.compared;
      compare::judge_outputs(launch, there);
      for (const Finding& finding : there.findings) {
        tally.differences.push_back(fmt::format("approximate program {}: {}", seed, finding.message));
      }
    };
  });
}

namespace {

// The largest |there - expected| / bound of what is bounded.
double largest_share(const Launch& launch, const Outcome& there) {
  const Expectation& expected = launch.expectations.at(0);
  const auto* values = reinterpret_cast<const float*>(there.tensors.at(expected.tensor).bytes);
  double largest = 0;
  for (i64 n = 0; n < i64(launch.tensors[expected.tensor].bytes() / sizeof(float)); ++n) {
    const double bound = expected.bound->at(n), error = std::fabs(double(values[n]) - expected.values->at(n));
    if (std::isfinite(bound) && bound > 0 && std::isfinite(error)) largest = std::max(largest, error / bound);
  }
  return largest;
}

}  // namespace

Tally compare_approximate_ranges(const CompareOptions&) {
  const std::unique_ptr<Executor> gpu = gpu::make_gpu();
  Tally tally;
  for (const generate::ApproximateForm& form : generate::approximate_forms()) {
    const Launch launch = generate::whole_range_program(form).launch;
    Outcome there = gpu->run(launch, bare());
    if (!did_run(there, tally)) continue;
    ++tally.compared;
    tally.measured[form.opcode] = largest_share(launch, there);
    compare::judge_outputs(launch, there);
    for (const Finding& finding : there.findings)
      tally.differences.push_back(fmt::format("{}: {}", form.opcode, finding.message));
  }
  return tally;
}

}  // namespace ropewalk
