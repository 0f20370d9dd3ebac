#include "tests/mutants/run.h"

#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "lib/base/error.h"
#include "reports/glob.h"
#include "tests/mutants/trial.h"

namespace ropewalk::mutants {
namespace {

std::vector<const KernelFamily*> families_of(const Options& options) {
  std::vector<const KernelFamily*> families;
  for (const std::string& name : options.kernels) families.push_back(&family_named(name));
  if (!families.empty()) return families;
  for (const KernelFamily& family : all_families()) {
    if (family.healthy() && family.problem_kind == "rotary") families.push_back(&family);
  }
  return families;
}

struct Tried {
  const Target* target = nullptr;
  Mutant mutant;
  Verdict verdict;
};

std::vector<Tried> chosen_mutants(const Options& options, const std::vector<Target>& targets) {
  std::vector<Tried> chosen;
  u64 n = 0;
  for (const Target& target : targets) {
    for (Mutant& mutant : mutants_of(*target.module, target.entry)) {
      if (!glob_matches(options.only, mutant.name())) continue;
      if (n++ % options.every == 0) chosen.push_back({&target, std::move(mutant), {}});
    }
  }
  return chosen;
}

void print(const Tried& tried) {
  const Verdict& verdict = tried.verdict;
  const std::string what = verdict.killed_by             ? std::string(name_of(*verdict.killed_by))
                           : !verdict.not_run.empty() ? "not run: " + verdict.not_run
                                                      : "SURVIVES";
  fmt::print("{:<60} {:<28} {:<44} {:<24} {:>5} {:>7.1f} ms  {}\n", tried.mutant.name(), tried.mutant.source,
             tried.mutant.instruction, what, verdict.cases, 1000 * verdict.seconds, tried.mutant.what);
}

void try_all(std::vector<Tried>& all, u32 jobs) {
  std::atomic<u64> next = 0;
  const auto work = [&] {
    for (u64 n = next++; n < all.size(); n = next++) all[n].verdict = try_mutant(*all[n].target, all[n].mutant);
  };
  std::vector<std::jthread> threads;
  for (u32 n = 1; n < jobs; ++n) threads.emplace_back(work);
  work();
}

}  // namespace

int run(const Options& options) {
  if (options.help) {
    fmt::print("{}", help_text());
    return 0;
  }
  const std::vector<Target> targets = targets_of(families_of(options), options.entries, options.seed, options.cases);
  std::vector<Tried> all = chosen_mutants(options, targets);
  if (all.empty()) throw InputError("no mutant has such a name");
  if (options.list) {
    for (const Tried& one : all) {
      fmt::print("{:<60} {:<28} {:<44} {}\n", one.mutant.name(), one.mutant.source, one.mutant.instruction, one.mutant.what);
    }
    fmt::print("{} mutants\n", all.size());
    return 0;
  }
  try_all(all, options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency()));
  u64 killed = 0;
  for (const Tried& one : all) {
    print(one);
    killed += one.verdict.killed_by.has_value();
  }
  fmt::print("{} of {} mutants are found\n", killed, all.size());
  return killed == all.size() ? 0 : 1;
}

}  // namespace ropewalk::mutants
