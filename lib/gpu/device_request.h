// What is asked of a device, as plain data: a launch without its reader, its checks and its expectations. It travels to
// the process that has the device.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lib/launch/launch.h"

namespace ropewalk::gpu {

struct DeviceRequest {
  struct Tensor {
    u64 bytes = 0;
    u32 alignment = 0;  // of its start
    std::vector<LaunchPointer> pointers;
  };
  // A parameter's bytes, and the addresses of tensors that are put over them.
  struct Parameter {
    std::vector<std::byte> bytes;
    std::vector<LaunchPointer> pointers;
  };
  struct Variable {
    std::string name;
    std::vector<std::byte> bytes;
    std::vector<LaunchPointer> pointers;
  };

  std::string path, version, target;  // of the module, for messages
  std::string text, entry;            // its PTX, and the kernel in it
  Dim3 grid, block;
  u64 dynamic_shared_bytes = 0;
  LaunchLocation location;
  std::vector<Tensor> tensors;
  std::vector<Parameter> parameters;
  std::vector<Variable> variables;
};

// Throws InputError where the module has no such entry.
DeviceRequest request_of(const Launch& launch);

std::vector<std::byte> bytes_of(const DeviceRequest& request);
// The request of such bytes, which this process or its parent made.
DeviceRequest request_in(std::span<const std::byte> bytes);

}  // namespace ropewalk::gpu
