#include "lib/gpu/instrumented.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "lib/base/error.h"
#include "lib/gpu/instrumented_launch.h"
#include "lib/gpu/records.h"

namespace ropewalk::gpu {

namespace {

constexpr Check inline_checks[] = {Check::Bounds, Check::Fields, Check::Alignment, Check::Index};
constexpr Check outer_checks[] = {Check::Hang, Check::Limits, Check::Outputs};

class InstrumentedExecutor : public Executor {
 public:
  InstrumentedExecutor(std::unique_ptr<Executor> inner, u32 records) : inner_(std::move(inner)), records_(records) {}

  std::string_view name() const override { return "instrumented"; }

  Outcome run(const Launch& launch, const RunOptions& options) override {
    if (!launch.module->entry(launch.entry)) {
      throw InputError(fmt::format("{}: there is no kernel entry {}", launch.module->path, launch.entry));
    }
    const ptx::Instrumented& instrumented = rewritten(launch, options.checks);
    const InstrumentedLaunch run = instrumented_launch(launch, instrumented, records_);
    RunOptions outer = options;
    outer.coverage = false;
    outer.checks = CheckSet();
    for (const Check check : outer_checks) {
      if (options.checks.has(check)) outer.checks.add(check);
    }
    Outcome outcome = inner_->run(run.launch, outer);
    if (outcome.tensors.size() <= run.records) return outcome;
    std::vector<Finding> found =
        findings_of(outcome.tensors[run.records].bytes, launch, instrumented, run, options.checks);
    outcome.findings.insert(outcome.findings.begin(), found.begin(), found.end());
    if (!outcome.findings.empty() && outcome.kind != OutcomeKind::NotRun) outcome.kind = OutcomeKind::Found;
    outcome.tensors.resize(launch.tensors.size());
    return outcome;
  }

 private:
  struct Kept {
    std::shared_ptr<const ptx::Module> module;  // keeps the key alive
    ptx::Instrumented instrumented;
  };

  const ptx::Instrumented& rewritten(const Launch& launch, CheckSet checks) {
    const ptx::InstrumentOptions options = instrument_options(launch, checks);
    Kept& kept = kept_[{launch.module.get(), options.memory, options.alignment, options.index, options.ranges}];
    if (!kept.module) {
      kept.instrumented = ptx::instrument(*launch.module, options);
      kept.module = launch.module;
    }
    return kept.instrumented;
  }

  std::unique_ptr<Executor> inner_;
  u32 records_;
  std::map<std::tuple<const ptx::Module*, bool, bool, bool, u32>, Kept> kept_;
};

}  // namespace

std::unique_ptr<Executor> make_instrumented(std::unique_ptr<Executor> inner, u32 records) {
  return std::make_unique<InstrumentedExecutor>(std::move(inner), records);
}

CheckSet instrumented_checks() {
  CheckSet checks;
  for (const Check check : inline_checks) checks.add(check);
  for (const Check check : outer_checks) checks.add(check);
  return checks;
}

}  // namespace ropewalk::gpu
