#include "tests/mutants/target.h"

#include <algorithm>
#include <map>

#include "lib/machine/machine.h"
#include "reports/glob.h"

namespace ropewalk::mutants {
namespace {

// Cases of a campaign that are looked through for those that launch one entry.
constexpr u64 most_looked_through = 40000;

class Finder {
 public:
  Finder(const Kernel& kernel, const std::vector<std::string>& entries, u64 seed)
      : subject_(std::make_shared<campaign::Subject>(kernel, seed)),
        entries_(entries),
        executor_(machine::make_machine()) {}

  // Goes on until every entry has so many cases, or none came up for long.
  void look(u64 cases) {
    u64 last_wanted = 0;
    for (u64 n = 0; n < most_looked_through && n < 2 * last_wanted + 500; ++n) {
      ++looked_through_;
      generate::PlannedCase planned = subject_->case_at(n, *executor_);
      if (!subject_->kernel().reject(planned.problem).empty()) continue;
      const Launch launch = subject_->kernel().launch(planned.problem);
      if (!wanted(launch.entry)) continue;
      Target& target = targets_[launch.entry];
      ++launches_[launch.entry];
      if (target.cases.size() == cases) continue;
      last_wanted = n;
      target.module = launch.module;
      target.entry = launch.entry;
      target.subject = subject_;
      target.cases.push_back({std::move(planned), subject_->depth_of(n)});
    }
  }

  // Of the cases looked through, the part that launches the entry.
  double share(const std::string& entry) const {
    const auto found = launches_.find(entry);
    return found == launches_.end() ? 0 : double(found->second) / double(looked_through_);
  }
  std::map<std::string, Target>& targets() { return targets_; }

 private:
  bool wanted(const std::string& entry) const {
    return entries_.empty() || std::any_of(entries_.begin(), entries_.end(),
                                           [&](const std::string& one) { return reports::glob_matches(one, entry); });
  }

  std::map<std::string, Target> targets_;
  std::map<std::string, u64> launches_;
  u64 looked_through_ = 0;
  std::shared_ptr<campaign::Subject> subject_;
  std::vector<std::string> entries_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace

std::vector<Target> targets_of(const std::vector<const Kernel*>& kernels, const std::vector<std::string>& entries,
                               u64 seed, u64 cases) {
  std::vector<Finder> finders;
  for (const Kernel* kernel : kernels) finders.emplace_back(*kernel, entries, seed).look(cases);
  std::vector<Target> all;
  for (Finder& finder : finders) {
    for (auto& [entry, target] : finder.targets()) {
      bool is_best = true;
      for (const Finder& other : finders) {
        const double here = finder.share(entry), there = other.share(entry);
        if (there > here || (there == here && &other < &finder)) is_best = false;
      }
      if (!is_best) continue;
      std::stable_partition(target.cases.begin(), target.cases.end(),
                            [](const TargetCase& one) { return one.planned.blocks == 0; });
      all.push_back(std::move(target));
    }
  }
  return all;
}

Kernel with_module(const Target& target, const std::shared_ptr<const ptx::Module>& module) {
  Kernel kernel = target.subject->kernel();
  kernel.launch = [healthy = kernel.launch, original = target.module, module](const Problem& problem) {
    Launch launch = healthy(problem);
    if (launch.module == original) launch.module = module;
    return launch;
  };
  return kernel;
}

}  // namespace ropewalk::mutants
