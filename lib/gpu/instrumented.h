// The executor that runs PTX with inline checks, on whatever executor there is.
#pragma once
#include <memory>

#include "lib/launch/outcome.h"

namespace ropewalk::gpu {

// An executor that rewrites kernels so that they check themselves and hands them to `inner`: the machine, or a GPU. Of
// the checks, bounds, fields, alignment and index are those of the rewritten code; hang, limits and outputs are left to
// `inner`; the others cannot be made this way and are not. It keeps rewritten modules from launch to launch.
// records: accesses that are kept by location; beyond that they are counted.
std::unique_ptr<Executor> make_instrumented(std::unique_ptr<Executor> inner, u32 records = 1 << 16);

// The checks that it makes, itself or through `inner`.
CheckSet instrumented_checks();

}  // namespace ropewalk::gpu
