// The executor that runs launches on a GPU, through the CUDA driver.
#pragma once
#include <memory>
#include <string>

#include "lib/gpu/guards.h"
#include "lib/launch/outcome.h"

namespace ropewalk::gpu {

// What is known of the GPU here.
struct DeviceInfo {
  std::string unavailable;   // why nothing can be run; empty: it can
  std::string name, driver;  // "NVIDIA H100", "12.4"
  int major = 0, minor = 0;  // compute capability
  int count = 0;             // of devices
};

// Asked in a child process, because a process that started the driver cannot pass it on to others. `device` is the
// number that ROPEWALK_CUDA_DEVICE gives, else 0.
DeviceInfo device_info();

// Launches run in a process of their own, which ends with the first that fails: what a kernel breaks there is a
// finding, and the next launch does not know of it. Where a launch names a device it runs there, else on the one that
// ROPEWALK_CUDA_DEVICE names. The checks that it makes: limits, hang, outputs, alignment and, as far as the device and
// what lies around the tensors tell, bounds.
CheckSet gpu_checks();

struct GpuOptions {
  double start_seconds = 30;  // for the driver, its compiler and the copies, beside what the launch itself may take
  Guards guards = Guards::End;
};
std::unique_ptr<Executor> make_gpu(const GpuOptions& options = {});

}  // namespace ropewalk::gpu
