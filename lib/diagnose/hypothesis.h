// One hypothesis each about what went wrong: it looks at a finding and the scene and claims a cause, or does not.
#pragma once
#include <optional>
#include <vector>

#include "lib/family/family.h"
#include "lib/finding/finding.h"
#include "lib/launch/outcome.h"
#include "lib/problem/problem.h"

namespace ropewalk::diagnose {

// All that a hypothesis may look at.
struct Scene {
  const std::vector<Finding>& findings;  // of the same launch
  const Launch& launch;
  const Family* family;                     // null where the problem is not known
  const Problem* problem;                   // null with it
  const std::vector<TensorAfter>& tensors;  // of the launch, by number; empty where they are gone

  // The kernel; nullptr: its PTX is not known.
  const ptx::Function* entry() const { return launch.module ? launch.module->entry(launch.entry) : nullptr; }
};

// A guess goes through no more elements of a tensor than these.
inline constexpr i64 most_elements_of_a_guess = i64(1) << 18;

// The hypotheses that any launch is asked about; a family has more of its own. Those that predict what is touched, to
// the element, from figures of the launch: at most one of them should fit.
const std::vector<Hypothesis>& exact_hypotheses();
// Those that predict as exactly, but from so many figures that one may fit by chance: they are among the guesses, and
// where one of the exact ones fits, it is not alone if one of these does too.
const std::vector<Hypothesis>& rival_hypotheses();
// The others, which guess at tiles and the like; asked where none of the exact ones fits.
const std::vector<Hypothesis>& guessing_hypotheses();

}  // namespace ropewalk::diagnose
