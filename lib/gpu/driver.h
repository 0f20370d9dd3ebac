// The CUDA driver, opened at run time.
#pragma once
#include <stdexcept>
#include <string>

#include "lib/gpu/driver_api.h"

namespace ropewalk::gpu {

// A reason why nothing can be run on a GPU here: no driver, no device, a driver too old.
class NotAvailable : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A call of the driver that failed.
class DriverError : public std::runtime_error {
 public:
  DriverError(Result code, const std::string& what) : std::runtime_error(what), code(code) {}
  Result code;
};

class Driver {
 public:
  // The library that ROPEWALK_CUDA_DRIVER names ("self": what is linked into this program), else libcuda.so.1. Throws
  // NotAvailable where it cannot be opened, lacks a function, or has no device.
  static const Driver& open();

  // Throws DriverError where `result` is not success: the call, the error's name and text.
  void check(Result result, const char* call) const;
  std::string name_of(Result result) const;
  // Whether the driver and this device let memory be mapped by hand.
  bool maps_memory(DeviceHandle device) const;
  // "12.4"
  std::string version() const;

#define ROPEWALK_DECLARE(member, symbol, parameters) Result(*member) parameters = nullptr;
  ROPEWALK_DRIVER_FUNCTIONS(ROPEWALK_DECLARE)
  ROPEWALK_MAPPING_FUNCTIONS(ROPEWALK_DECLARE)
#undef ROPEWALK_DECLARE

 private:
  Driver();
};

// Calls a function of the driver and checks its result: ROPEWALK_CUDA(driver, allocate, &address, bytes).
#define ROPEWALK_CUDA(driver, function, ...) (driver).check((driver).function(__VA_ARGS__), #function)

}  // namespace ropewalk::gpu
