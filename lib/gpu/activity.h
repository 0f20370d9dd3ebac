// What CUPTI recorded of a kernel that ran in this process.
#pragma once
#include <string>
#include <vector>

#include "lib/gpu/device_request.h"
#include "lib/launch/outcome.h"

namespace ropewalk::gpu {

// Whether ROPEWALK_CUDA_ACTIVITY asks for the records.
bool wants_activity();

class ActivityLog {
 public:
  // Begins to record, before the driver is started. One log a process.
  ActivityLog();
  // The record of the one launch that was made: its kernel's name, grid, block and dynamic shared bytes must be those
  // of the request, else a record is not believed. `why_not` says why there is none.
  std::optional<DeviceRun> take(const DeviceRequest& request, std::string& why_not);

 private:
  std::string problem_;
};

}  // namespace ropewalk::gpu
