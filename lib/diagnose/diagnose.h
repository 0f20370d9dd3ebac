// Causes: the hypothesis that explains a finding's evidence, and what to do about it.
#pragma once
#include <vector>

#include "lib/family/family.h"
#include "lib/finding/finding.h"
#include "lib/launch/outcome.h"
#include "lib/problem/problem.h"

namespace ropewalk::diagnose {

// Gives each finding the one cause that its evidence supports; none where it fits no hypothesis, or several. `problem`
// is what the launch answers and `family` its family, where they are known, or both null: they allow causes that speak
// of head_dim, offsets and the like. `tensors` are the launch's after it ran, while their bytes are there: they allow
// causes of wrong outputs.
void diagnose(std::vector<Finding>& findings, const Launch& launch, const Family* family = nullptr,
              const Problem* problem = nullptr, const std::vector<TensorAfter>& tensors = {});

// The same for findings of a launch that are reported only where somebody uses what it stored; `others` are its other
// ones, with their causes.
void diagnose_stored(std::vector<Finding>& findings, const std::vector<Finding>& others, const Launch& launch);

}  // namespace ropewalk::diagnose
