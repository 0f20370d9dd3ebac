// A family of problems: what a campaign, the shrinker and the diagnosis know of rotary embedding, of attention, and of
// whatever comes next. Each stands in a folder of lib/families.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/finding/finding.h"
#include "lib/problem/problem.h"

namespace ropewalk {

struct Kernel;
struct Launch;
struct LaunchTensor;

namespace campaign {
struct Relation;
}

namespace diagnose {
struct OutputHypothesis;
struct Scene;
}  // namespace diagnose

namespace generate {
struct ProblemSpace;
}

// Looks at a finding and the scene and claims a cause, or does not.
using Hypothesis = std::optional<Cause> (*)(const Finding& finding, const diagnose::Scene& scene);

struct Family {
  std::string name;  // "rotary": the kind of its problems, the name before the bracket of their text
  // Reads the text of a problem. Throws InputError that names the nearest key.
  Problem (*parse)(std::string_view text);
  // What a campaign draws problems from. Values that the kernel has no form for (a dtype without an entry, varlen) are
  // left out: it, and its correct counterpart, is asked about them on an otherwise plain problem.
  generate::ProblemSpace (*space)(const Kernel& kernel);
  // Problems that are one step smaller than this one, in the order in which they are worth a try: a step takes a number
  // towards its least, a list entry away, or a flag or word back to its plainest, and every way that lowers one number
  // by one, drops one entry or clears one flag is among them. Steps never lead back.
  std::vector<Problem> (*smaller)(const Problem& problem);
  // Adds to a launch what each of its outputs should hold, with the bound by element, computed from what its tensors
  // hold at first. The problem is one that has an answer.
  void (*expect)(const Problem& problem, Launch& launch);
  // What the answers of related problems must have to do with each other.
  const std::vector<campaign::Relation>& (*relations)(const Launch& launch);
  // Wrong ways to understand the problem, and what each expects of this output. Empty for other tensors.
  std::vector<diagnose::OutputHypothesis> (*output_hypotheses)(const LaunchTensor& output, const Problem& problem,
                                                               const diagnose::Scene& scene);
  // Hypotheses of its own that predict what is touched, to the element.
  std::vector<Hypothesis> hypotheses;
  // They and the hypotheses say where every element of every tensor is: strides, masks and the like are not guessed at.
  bool knows_offsets = false;
};

}  // namespace ropewalk
