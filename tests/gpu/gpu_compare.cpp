// The GPU held against the machine: random programs and every kernel family bit by bit, every row of the atlas on both,
// rewritten kernels on both. Writes what was compared and what differed, with the device's name, driver and the date.
//
// gpu_compare RESULTS.json [SEEDS]: exit 0 where everything agreed, 1 where something did not, 3 where nothing could be
// run.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "kernels/atlas.h"
#include "kernels/family.h"
#include "lib/base/bits.h"
#include "lib/base/error.h"
#include "lib/generate/random_program.h"
#include "lib/gpu/gpu.h"
#include "lib/gpu/instrumented.h"
#include "lib/launch/allowed.h"
#include "lib/machine/machine.h"
#include "tests/kernels/rotary_problems.h"

namespace ropewalk {
namespace {

struct Tally {
  u64 compared = 0, not_run = 0;
  nlohmann::json differences = nlohmann::json::array(), reasons = nlohmann::json::array();
  nlohmann::json json() const {
    return {{"compared", compared}, {"not_run", not_run}, {"differences", differences}, {"not_run_reasons", reasons}};
  }
};

struct Executors {
  std::unique_ptr<Executor> machine = machine::make_machine();
  std::unique_ptr<Executor> gpu = gpu::make_gpu();
  std::unique_ptr<Executor> machine_rewritten = gpu::make_instrumented(machine::make_machine());
  std::unique_ptr<Executor> gpu_rewritten = gpu::make_instrumented(gpu::make_gpu());
};

// The first element of an output that differs; empty: none. What neither wrote is not compared.
std::string difference(const Launch& launch, const Outcome& a, const Outcome& b) {
  for (u32 n = 0; n < launch.tensors.size(); ++n) {
    const LaunchTensor& tensor = launch.tensors[n];
    std::vector<u64> meant(tensor.bytes() / 64 + 1);
    mark_allowed(tensor, nullptr, meant.data());
    for (u64 at = 0; at < tensor.bytes(); ++at) {
      const u64* written = a.tensors[n].initialized;
      if (!all_bits(meant.data(), at, at + 1) || (written && !all_bits(written, at, at + 1))) continue;
      if (a.tensors[n].bytes[at] != b.tensors[n].bytes[at]) return fmt::format("{}, byte {}", tensor.name, at);
    }
  }
  return "";
}

// Runs a launch that is in order on both and compares the bits.
void compare_bits(const Launch& launch, const std::string& what, Executor& a, Executor& b, Tally& tally) {
  RunOptions options;
  options.checks = CheckSet();
  options.contract = true;  // the driver's compiler fuses products with sums
  const Outcome on_a = a.run(launch, options), on_b = b.run(launch, options);
  if (on_a.kind == OutcomeKind::NotRun || on_b.kind == OutcomeKind::NotRun || on_b.tensors.empty()) {
    ++tally.not_run;
    tally.reasons.push_back(what + ": " + on_a.reason + on_b.reason);
    return;
  }
  ++tally.compared;
  const std::string differs = difference(launch, on_a, on_b);
  if (!differs.empty()) tally.differences.push_back(what + ": " + differs);
}

std::set<std::string> found_by(const Outcome& outcome) {
  std::set<std::string> out;
  for (const Finding& finding : outcome.findings) {
    if (finding.rule == Rule::OutputNotWritten) continue;
    out.insert(fmt::format("{} {} times {}", finding.id, name_of(finding.rule), finding.occurrences.accesses));
  }
  return out;
}

// What the rewritten kernel records on the machine and on the GPU.
void compare_findings(const Launch& launch, const std::string& what, Executors& on, Tally& tally) {
  RunOptions options;
  options.checks = gpu::instrumented_checks();
  const Outcome here = on.machine_rewritten->run(launch, options), there = on.gpu_rewritten->run(launch, options);
  if (here.kind == OutcomeKind::NotRun || there.kind == OutcomeKind::NotRun) {
    ++tally.not_run;
    tally.reasons.push_back(what + ": " + here.reason + there.reason);
    return;
  }
  ++tally.compared;
  if (found_by(here) != found_by(there)) tally.differences.push_back(what + ": the findings differ");
}

Tally random_programs(Executors& on, u64 seeds) {
  Tally tally;
  for (u64 seed = 0; seed < seeds; ++seed) {
    compare_bits(random_program(seed).launch, fmt::format("random program {}", seed), *on.machine, *on.gpu, tally);
  }
  return tally;
}

Tally families(Executors& on, u64 seeds) {
  Tally tally;
  for (const KernelFamily& family : all_families()) {
    if (!family.healthy() || family.problem_kind != "rotary") continue;
    for (u64 seed = 0; seed < seeds; ++seed) {
      for (const char* kind : {"rotary/apply", "rotary/qk", "rotary/cache"}) {
        const Problem problem = good_rotary_problem(Random(seed), kind);
        if (!family.reject(problem).empty()) continue;
        compare_bits(family.launch(problem), family.name + " on " + text_of(problem), *on.machine, *on.gpu, tally);
      }
    }
  }
  return tally;
}

Tally atlas(Executors& on) {
  Tally tally;
  for (const AtlasEntry& entry : all_atlas_entries()) {
    const KernelFamily& family = family_named(entry.family);
    const Problem problem = parse_problem(entry.problem);
    if (!family.reject(problem).empty()) continue;
    compare_findings(family.launch(problem), fmt::format("row {}: {}", entry.row, entry.family), on, tally);
  }
  return tally;
}

int run(const std::string& path, u64 seeds) {
  const gpu::DeviceInfo info = gpu::device_info();
  if (!info.unavailable.empty()) {
    fmt::print(stderr, "gpu-test: not run: {}\n", info.unavailable);
    return 3;
  }
  Executors on;
  const std::pair<const char*, Tally> parts[] = {{"random_programs", random_programs(on, seeds)},
                                                 {"kernel_families", families(on, (seeds + 9) / 10)},
                                                 {"atlas", atlas(on)}};
  const auto now = std::chrono::system_clock::now();
  nlohmann::json out = {{"schema", "ropewalk.gpu-test/1"},
                        {"device", info.name},
                        {"compute_capability", fmt::format("{}.{}", info.major, info.minor)},
                        {"driver", info.driver},
                        {"date", fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)))}};
  u64 compared = 0, differ = 0;
  for (const auto& [name, tally] : parts) {
    out[name] = tally.json();
    compared += tally.compared;
    differ += tally.differences.size();
    fmt::print("{:16} {} compared, {} differ, {} not run\n", name, tally.compared, tally.differences.size(), tally.not_run);
    for (const auto& one : tally.differences) fmt::print("  {}\n", one.get<std::string>());
  }
  std::ofstream file(path);
  file << out.dump(2) << "\n";
  if (!file) throw InputError("cannot write " + path);
  return compared == 0 ? 3 : differ ? 1 : 0;
}

}  // namespace
}  // namespace ropewalk

int main(int count, char** arguments) {
  if (count < 2) {
    fmt::print(stderr, "usage: gpu_compare RESULTS.json [SEEDS]\n");
    return 2;
  }
  try {
    return ropewalk::run(arguments[1], count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1000);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpu-test: {}\n", error.what());
    return 2;
  }
}
