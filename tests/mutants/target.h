// What mutants are made of and tried on: the entries that families launch, and for each the cases that launch it.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "kernels/family.h"
#include "lib/campaign/subject.h"

namespace ropewalk::mutants {

// A case of a campaign, and how closely the campaign looks at it.
struct TargetCase {
  PlannedCase planned;
  Depth depth;
};

struct Target {
  std::shared_ptr<const Subject> subject;  // the healthy family
  std::shared_ptr<const ptx::Module> module;
  std::string entry;
  std::vector<TargetCase> cases;  // in the campaign's order, but those of a sample of blocks, which take longest, last
};

// The entries of healthy families whose names fit one of the patterns ('*' and '?'; none: all), each with the family
// that launches it most often, and the first `cases` of that family's campaign that launch it.
std::vector<Target> targets_of(const std::vector<const KernelFamily*>& families,
                               const std::vector<std::string>& entries, u64 seed, u64 cases);

// What the family is with another module in place of the target's.
KernelFamily with_module(const Target& target, const std::shared_ptr<const ptx::Module>& module);

}  // namespace ropewalk::mutants
