// Outputs after a launch: elements that nobody wrote, NaN and infinity where there should be none.
#pragma once
#include "lib/machine/launch_state.h"

namespace ropewalk::machine {

// Reports output-not-written (not where only some of the blocks ran to their end: what the others write is not known)
// and, after a run that tracked origins, nonfinite-origin.
void check_outputs(LaunchState& state, Collector& collector, bool incomplete, bool with_origins);

// Reports output-not-written for the elements of an output whose bits of window.initialized are not set.
void check_written(const LaunchTensor& tensor, const Window& window, Collector& collector);

// Whether an output that should be finite holds NaN or infinity in bytes that can be trusted.
bool has_nonfinite_output(const Launch& launch, const Memory& memory);

}  // namespace ropewalk::machine
