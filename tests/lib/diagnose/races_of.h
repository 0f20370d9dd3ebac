// The causes of the races of a launch.
#pragma once
#include <string>
#include <vector>

#include "lib/diagnose/diagnose.h"

namespace ropewalk::diagnose {

// Of all its races in order, errors and warnings; one without a cause has an empty id.
std::vector<Cause> causes_of_races_of(const Launch& launch);

// A launch of the kernel "k" of a module's text, with these tensors as its arguments.
Launch launch_of(const std::string& ptx, std::vector<LaunchTensor> tensors, u32 blocks = 1, u32 threads = 64);

}  // namespace ropewalk::diagnose
