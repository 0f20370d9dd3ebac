// The memory of one tensor on a device, with what lies around it.
#pragma once
#include <cstddef>
#include <string>

#include "lib/gpu/driver.h"
#include "lib/gpu/guards.h"

namespace ropewalk::gpu {

class DeviceMemory {
 public:
  // Room for `bytes` on the device, whose context is current. Where pages were asked for and cannot be had, there are
  // zones. Throws DriverError where there is no room at all. alignment: of the tensor's start, a power of two; more
  // than that is not kept where the address can be chosen.
  DeviceMemory(const Driver& driver, DeviceHandle device, u64 bytes, u32 alignment, Guards wanted);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  DevicePointer start() const { return begin_ + before_; }     // of the tensor
  DevicePointer begin() const { return begin_; }               // of all that can be touched
  u64 size() const { return size_; }                           // of that
  u64 before() const { return before_; }                       // bytes of it before the tensor's start
  Guards guards() const { return guards_; }                    // what there is
  const std::string& why_zones() const { return why_zones_; }  // instead of pages; empty: pages, or none were wanted

 private:
  bool map(DeviceHandle device, u64 bytes, u32 alignment, Guards wanted);
  void give_back();
  bool worked(Result result, const char* call);

  const Driver* driver_;
  Guards guards_;
  DevicePointer begin_ = 0;
  u64 size_ = 0, before_ = 0;
  DevicePointer reserved_ = 0;  // 0: allocated, not mapped
  u64 reserved_bytes_ = 0;
  bool is_mapped_ = false;
  std::string why_zones_;
};

}  // namespace ropewalk::gpu
