// One case, looked at in every way: the preconditions, the checks, the reference, another order of blocks, and
// relations that need no reference.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/family/kernel.h"
#include "lib/generate/space.h"
#include "lib/launch/outcome.h"

namespace ropewalk::campaign {

// A problem for a kernel.
struct Trial {
  const Kernel& kernel;
  const std::vector<generate::Flaw>& flaws;  // what its preconditions must reject
  const Problem& problem;
  u64 blocks = 0;  // run so many of the blocks; 0: all
};

// What is done besides running once.
struct Depth {
  bool other_order = true;  // run again with the blocks in another order
  bool relations = true;    // hold the output against those of related problems
  bool reference = true;    // compare with the reference; without it nothing is compared with relations either
  bool causes = true;       // explain what is found
};

// What came of it, without the tensors.
struct Examined {
  bool rejected = false;          // by the preconditions, as it must be
  std::string not_run;            // why it did not run, or not to its end
  std::vector<Finding> findings;  // diagnosed, each defect once; without the texts that depend on the program
  Statistics statistics;
  std::string entry;               // that was launched
  std::vector<std::string> notes;  // of the executor
  BranchCoverage coverage;         // where the options ask for it
};

class Examiner {
 public:
  // `options` are those of every launch.
  Examiner(std::unique_ptr<Executor> executor, const RunOptions& options);

  Examined examine(const Trial& trial, const Depth& depth);
  Executor& executor() { return *executor_; }
  const RunOptions& options() const { return options_; }

 private:
  void run(const Trial& trial, const Depth& depth, Examined& examined);
  const std::string& hash_of(const std::shared_ptr<const ptx::Module>& module);

  std::unique_ptr<Executor> executor_;
  RunOptions options_;
  std::map<std::shared_ptr<const ptx::Module>, std::string> hashes_;
};

}  // namespace ropewalk::campaign
