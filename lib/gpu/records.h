// What the record buffer of an instrumented launch says, as findings.
#pragma once
#include <cstddef>
#include <vector>

#include "lib/finding/finding.h"
#include "lib/gpu/instrumented_launch.h"
#include "lib/launch/outcome.h"

namespace ropewalk::gpu {

// The findings that the machine would report of the same accesses, in its words and its order. `buffer` is the record
// buffer after the launch. Of records that found no room only the numbers are reported, with the site.
std::vector<Finding> findings_of(const std::byte* buffer, const Launch& original, const ptx::Instrumented& instrumented,
                                 const InstrumentedLaunch& run, CheckSet checks);

}  // namespace ropewalk::gpu
