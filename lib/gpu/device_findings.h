// What a device says of a launch, as findings: it knows no source line, so they speak of the kernel as a whole.
#pragma once
#include <string>
#include <vector>

#include "lib/finding/finding.h"
#include "lib/gpu/isolate.h"
#include "lib/gpu/job.h"
#include "lib/launch/outcome.h"
#include "lib/machine/code.h"

namespace ropewalk::gpu {

// How a launch failed, in a sentence.
std::string failure_text(const JobState& state, const ChildEnd& end);
// The finding for a launch that did not come to its end: an illegal or misaligned address, an assertion, a launch that
// failed, a time that ran out, a process that died. Empty where the check that it belongs to is not asked for.
std::vector<Finding> findings_of_failure(const Launch& launch, const machine::Code& code, const JobState& state,
                                         const ChildEnd& end, CheckSet checks);
// Poison beside the tensors that was overwritten, outputs that were not.
std::vector<Finding> findings_after_run(const Launch& launch, const machine::Code& code, const JobState& state,
                                        const std::vector<TensorAfter>& tensors, CheckSet checks);

}  // namespace ropewalk::gpu
