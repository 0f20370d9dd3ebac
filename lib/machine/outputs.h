// Outputs after a launch: elements that nobody wrote, NaN and infinity where there should be none.
#pragma once
#include "lib/machine/launch_state.h"

namespace ropewalk::machine {

// Reports output-not-written (not where only some of the blocks ran to their end: what the others write is not known)
// and, after a run that tracked origins, nonfinite-origin.
void check_outputs(LaunchState& state, Collector& collector, bool incomplete, bool with_origins);

// Whether an output that should be finite holds NaN or infinity in bytes that can be trusted.
bool has_nonfinite_output(const Launch& launch, const Memory& memory);

}  // namespace ropewalk::machine
