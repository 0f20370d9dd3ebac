// A launch's module, tensors and parameters on a device, and the calls that run it.
#pragma once
#include <cstddef>
#include <vector>

#include "lib/gpu/driver.h"
#include "lib/gpu/job.h"

namespace ropewalk::gpu {

class DeviceLaunch {
 public:
  // Makes the device's context current and lets the driver compile the PTX. Throws NotAvailable where there is no such
  // device or the driver does not take the PTX (with what its compiler says), DriverError where a call fails.
  DeviceLaunch(const Driver& driver, int device, const Launch& launch);
  ~DeviceLaunch();
  DeviceLaunch(const DeviceLaunch&) = delete;
  DeviceLaunch& operator=(const DeviceLaunch&) = delete;

  // Puts the tensors on the device, each between guard zones, and fills the module's variables.
  void place(const std::vector<std::byte*>& tensors);
  // Launches on a stream of its own and waits.
  void run();
  // Copies the tensors back and looks at the guard zones.
  std::vector<GuardHit> read_back(const std::vector<std::byte*>& tensors);

 private:
  struct Placed {
    DevicePointer allocation = 0, start = 0;
    u64 bytes = 0, allocated = 0;
  };

  void load();
  void set_variable(const LaunchVariable& variable);
  std::vector<std::vector<std::byte>> parameters() const;
  void put(std::vector<std::byte>& to, u64 at, const std::variant<TensorArgument, ScalarArgument, NullArgument>& value) const;

  const Driver& driver_;
  const Launch& launch_;
  DeviceHandle device_ = 0;
  ModuleHandle module_ = nullptr;
  FunctionHandle function_ = nullptr;
  StreamHandle stream_ = nullptr;
  std::vector<Placed> placed_;
};

}  // namespace ropewalk::gpu
