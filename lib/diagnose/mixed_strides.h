// The strides that come of taking some of another tensor's for one's own.
#pragma once
#include <string>
#include <vector>

#include "lib/launch/launch.h"

namespace ropewalk::diagnose {

struct MixedStrides {
  Strides strides;
  std::string text;  // "strides of q: [96, 24, 1] instead of [64, 16, 1]"
};

// Every choice of dimensions in which `other` differs and the tensor has more than one element. `whose`: "strides of
// q". Empty where the ranks differ.
std::vector<MixedStrides> mixed_strides(const LaunchTensor& tensor, const Strides& other, const std::string& whose);

}  // namespace ropewalk::diagnose
