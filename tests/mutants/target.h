// What mutants are made of and tried on: the entries that kernels launch, and for each the cases that launch it.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "lib/campaign/subject.h"
#include "lib/family/kernel.h"

namespace ropewalk::mutants {

// A case of a campaign, and how closely the campaign looks at it.
struct TargetCase {
  generate::PlannedCase planned;
  campaign::Depth depth;
};

struct Target {
  std::shared_ptr<const campaign::Subject> subject;  // the healthy kernel
  std::shared_ptr<const ptx::Module> module;
  std::string entry;
  std::vector<TargetCase> cases;  // in the campaign's order, but those of a sample of blocks, which take longest, last
};

// The entries of healthy kernels whose names fit one of the patterns ('*' and '?'; none: all), each with the kernel
// that launches it most often, and the first `cases` of that kernel's campaign that launch it.
std::vector<Target> targets_of(const std::vector<const Kernel*>& kernels, const std::vector<std::string>& entries,
                               u64 seed, u64 cases);

// What the kernel is with another module in place of the target's.
Kernel with_module(const Target& target, const std::shared_ptr<const ptx::Module>& module);

}  // namespace ropewalk::mutants
