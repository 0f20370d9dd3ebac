// The causes of the races of a launch.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "lib/diagnose/diagnose.h"

namespace ropewalk::diagnose {

// Of all its races in order, errors and warnings; one without a cause has an empty id.
std::vector<Cause> causes_of_races_of(const Launch& launch);

// A launch of the kernel "k" of a module's text, with these tensors as its arguments.
Launch launch_of(const std::string& ptx, std::vector<LaunchTensor> tensors, u32 blocks = 1, u32 threads = 64);

// `blocks` of 64 threads, with %r1 the thread's number, [%r3] its word of the shared tile, [%r4] another thread's, and
// [%rd3] and [%rd4] the same of the tensor, which both parameters are.
Launch launch_of_body(const std::string& body, u32 blocks = 1);

// "id: text" of each cause, once.
using Texts = std::set<std::string>;
Texts texts_of(const std::vector<Cause>& causes);
Texts causes_of_body(const std::string& body, u32 blocks = 1);

}  // namespace ropewalk::diagnose
