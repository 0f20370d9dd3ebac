// A request's module, tensors and parameters on a device, and the calls that run it.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/gpu/device_memory.h"
#include "lib/gpu/device_request.h"
#include "lib/gpu/driver.h"
#include "lib/gpu/job.h"

namespace ropewalk::gpu {

class DeviceLaunch {
 public:
  // Retains the contexts of the devices that the request names (`device` where it names none) and lets the driver
  // compile the PTX for the one that is current at the launch. The request must outlive it. Throws NotAvailable where
  // there is no such device or the driver does not take the PTX (with what its compiler says), DriverError where a call
  // fails.
  DeviceLaunch(const Driver& driver, int device, const DeviceRequest& request);
  ~DeviceLaunch();
  DeviceLaunch(const DeviceLaunch&) = delete;
  DeviceLaunch& operator=(const DeviceLaunch&) = delete;

  // Puts the tensors on their device with what is wanted around them, and fills the module's variables.
  void place(const std::vector<std::byte*>& tensors, Guards wanted);
  // What lies around the tensors, in a sentence.
  std::string placement() const;
  // Launches and waits.
  void run();
  // Seconds that one launch takes: one to warm up, then so many in a row, waited for once.
  double seconds_of(u32 launches);
  // Copies the tensors back and looks at what lies around them.
  std::vector<GuardHit> read_back(const std::vector<std::byte*>& tensors);

 private:
  struct Device {
    DeviceHandle handle = 0;
    ContextHandle context = nullptr;
  };

  void retain(int number);
  void use(int number);  // makes its context current
  void load();
  void make_stream(int number);
  void prepare();
  void launch_once();
  void set_variable(const DeviceRequest::Variable& variable);
  std::optional<DevicePointer> target_of(const LaunchPointer& pointer);
  // Puts the addresses that the pointers lead to over the bytes.
  void put(std::vector<std::byte>& bytes, const std::vector<LaunchPointer>& pointers);

  const Driver& driver_;
  const DeviceRequest& request_;
  int tensors_on_ = 0, current_ = 0;  // devices by number
  std::map<int, Device> devices_;
  ModuleHandle module_ = nullptr;
  FunctionHandle function_ = nullptr;
  StreamHandle stream_ = nullptr;
  std::vector<DeviceMemory> placed_;
  std::vector<std::vector<std::byte>> values_;  // of the parameters
};

}  // namespace ropewalk::gpu
