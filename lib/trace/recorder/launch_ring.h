// The last launches, each with a copy of its arguments. Written by the threads that launch, without a lock.
#pragma once
#include <sys/mman.h>

#include <atomic>
#include <memory>

#include "lib/gpu/driver_api.h"
#include "lib/trace/recorder/functions.h"
#include "lib/trace/recorder/streams.h"

namespace ropewalk::trace {

// A launch as the call gave it.
struct LaunchShape {
  const char* kind = "kernel";  // "kernel", "cooperative", "graph"
  Handle function = nullptr, stream = nullptr;
  u32 grid[3] = {}, block[3] = {}, shared_bytes = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
};

struct LaunchSlot {
  std::atomic<u64> number{0};  // of the launch, 1 for the first; 0: nothing here, or being written
  LaunchShape shape;           // its parameters are not read after the call
  const Function* function = nullptr;
  Stream* stream = nullptr;
  u64 order = 0;                        // of the call as it began
  std::atomic<u64> returned{0};         // the order in which it returned; 0: it has not
  u32 bytes = 0;                        // of the arguments that were copied
  const char* unknown = "";             // why there are none
  bool captured = false;                // into a graph, not run
  std::atomic<gpu::Result> result{-1};  // -1: the call has not returned
  std::byte* arguments = nullptr;
};

class LaunchRing {
 public:
  static constexpr u32 most_argument_bytes = 32768;  // 32,764 is the most that CUDA 12.1 and later take

  // Keeps that many launches, or some more: a power of two.
  explicit LaunchRing(u64 least);
  // Notes a launch whose call begins. `order`: of the call.
  LaunchSlot& begin(const LaunchShape& shape, const Function* function, Stream& stream, u64 order);
  // The slot of the launch, or null where it is no longer kept.
  LaunchSlot* find(u64 number);
  // How many of those that are kept nothing showed to be complete.
  u64 unwaited();
  u64 count() const { return count_.load(); }
  u64 kept() const { return keep_; }

 private:
  u64 keep_;
  std::unique_ptr<LaunchSlot[]> slots_;
  std::byte* arguments_ = nullptr;
  std::atomic<u64> count_{0};
};

}  // namespace ropewalk::trace
