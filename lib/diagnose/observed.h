// What a launch left in a tensor, as numbers.
#pragma once
#include <vector>

#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// Row-major, without gaps. Elements that hold nothing, or whose value was lost by a finding, are not known.
struct Observed {
  std::vector<double> value;
  std::vector<bool> known;
};

// nullopt where the scene has no tensors, or this one has more than 2^18 elements.
std::optional<Observed> observed(const LaunchTensor& tensor, const Scene& scene);

// What was expected of it; null: nothing, or only what has no bound by element.
const Expectation* expectation_of(const LaunchTensor& tensor, const Launch& launch);

}  // namespace ropewalk::diagnose
