// What the virtual devices say of themselves: those of the target's family that is most used in data centres.
#pragma once
#include <string>

#include "lib/driver/options.h"

namespace ropewalk::driver {

struct DeviceInfo {
  std::string name;  // "NVIDIA A100-SXM4-80GB (virtual)"
  int major = 8, minor = 0;
  u32 multiprocessors = 0, multiprocessor_threads = 0, multiprocessor_blocks = 0;
  u64 block_shared_bytes = 0, multiprocessor_shared_bytes = 0;  // what a block can opt in to
  u64 memory_bytes = 0;
  int l2_bytes = 0, persisting_l2_bytes = 0, clock_khz = 0, memory_clock_khz = 0, bus_bits = 0;
};
DeviceInfo device_info(const Options& options);

// The value of a CUdevice_attribute; 0 for features and numbers that the device lacks.
int attribute_of(const DeviceInfo& device, u32 ordinal, int attribute);

}  // namespace ropewalk::driver
