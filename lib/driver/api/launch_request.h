// Launches and copies out of what a program passes.
#pragma once
#include "lib/driver/api/api.h"

namespace ropewalk::driver {

struct LaunchShape {
  Kernel* kernel = nullptr;
  Dim3 grid, block;
  u64 shared_bytes = 0;
  bool is_cooperative = false;
};

// Copies the arguments: `values` has a pointer to each, `extra` is the other way of cuLaunchKernel.
Result make_request(Session& session, Context& context, const LaunchShape& shape, void** values, void** extra,
                    LaunchRequest* request);
// The launch as work on a stream.
Work launch_work(Session& session, Context& context, LaunchRequest request);
// The same of a copy: a CUDA_MEMCPY3D.
Work copy_work(Session& session, const void* what);

}  // namespace ropewalk::driver
