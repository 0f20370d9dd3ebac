// Findings of rewritten kernels, of the machine and of a GPU.
#pragma once
#include <memory>
#include <set>
#include <vector>

#include "lib/launch/outcome.h"
#include "tests/gpu/tally.h"

namespace ropewalk {

// The checks whose findings do not depend on how anything is rounded.
CheckSet checks_of_accesses();

// Findings as texts that are the same wherever the same accesses were found.
std::set<std::string> texts_of(const std::vector<Finding>& findings);

// Runs rewritten kernels on the machine and on the GPU.
class Rewritten {
 public:
  Rewritten();
  void compare(const Launch& launch, const std::string& what, Tally& tally);

 private:
  std::unique_ptr<Executor> machine_, gpu_;
};

}  // namespace ropewalk
