// The parts of the comparison of a GPU with the machine.
#pragma once
#include "tests/gpu/tally.h"

namespace ropewalk {

struct CompareOptions {
  u64 seeds = 300;                   // random programs of each kind
  u64 cases = 20;                    // of a campaign on each kernel
  u64 most_bytes = u64(1536) << 20;  // of a campaign's launch; rows of the atlas may have eight times as many
  u32 jobs = 4;                      // launches at a time, on one device
};

// Random programs whose bits are defined: the machine, the GPU, and rewritten on the GPU.
Tally compare_random_programs(const CompareOptions& options);
// Random programs with stores out of bounds: the records of the machine's rewritten kernel and of the GPU's.
Tally compare_stray_programs(const CompareOptions& options);
// Approximate instructions on the GPU within the error that PTX states.
Tally compare_approximate_programs(const CompareOptions& options);
// Each of them on its whole range. Measured: the largest error of each, as a share of the error that is allowed.
Tally compare_approximate_ranges(const CompareOptions& options);
// A campaign on every healthy kernel of both programs, as it is and rewritten: every finding is a difference, and so is
// every other bit where bits are defined.
Tally compare_healthy_kernels(const CompareOptions& options);
Tally compare_rewritten_kernels(const CompareOptions& options);
// A campaign on every seeded bug: the findings of the rewritten kernel on the machine and on the GPU.
Tally compare_faulty_kernels(const CompareOptions& options);
// Every row of the atlas of both programs: the same.
Tally compare_atlas(const CompareOptions& options);

}  // namespace ropewalk
