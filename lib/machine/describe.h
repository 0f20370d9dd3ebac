// From what was collected to findings: locations, tensors, elements, distances, sentences.
#pragma once
#include <vector>

#include "lib/finding/finding.h"
#include "lib/launch/outcome.h"
#include "lib/machine/collector.h"
#include "lib/machine/memory.h"

namespace ropewalk::machine {

// In a fixed order: by severity, rule, location and tensor. The windows are those that occurrences name.
std::vector<Finding> describe(const Collector& collector, const Launch& launch, const Code& code,
                              const std::vector<Window>& windows);
Finding describe(const Collected& collected, const Launch& launch, const Code& code,
                 const std::vector<Window>& windows);
// Why a launch was not run to its end.
std::string describe_refusal(const std::string& why, u32 step, const Code& code);

}  // namespace ropewalk::machine
