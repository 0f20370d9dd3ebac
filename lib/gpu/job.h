// One launch on one device: what goes there and what comes back, in memory that processes can share.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "lib/gpu/device_request.h"
#include "lib/gpu/driver_api.h"
#include "lib/gpu/guards.h"
#include "lib/launch/launch.h"

namespace ropewalk::gpu {

// Bytes outside of a tensor that a kernel wrote to.
struct GuardHit {
  u32 tensor = 0;
  i64 first = 0;  // of them, from the tensor's start
  u64 bytes = 0;  // how many differ
};

// What is asked beside the request, and how far the launch came. Plain data: it lies in shared memory.
struct JobState {
  enum class Stage : u32 {
    Waiting,       // nothing happened yet, or the process ended on the way
    NotAvailable,  // no driver, no device, PTX that this driver does not take; `text` says which
    Failed,        // a call of the driver failed with `code`; `text` says which
    Done
  };
  static constexpr u32 most_hits = 64;
  int device = 0;  // where the launch names none
  Guards guards = Guards::End;
  u64 request_bytes = 0;  // behind this struct
  Stage stage = Stage::Waiting;
  Result code = success;
  char text[6000] = "";
  char placement[600] = "";  // what lay around the tensors
  bool launching = false;    // the driver was asked to launch, and has not said that the kernel ended
  double seconds = 0;        // of the launch alone
  // What the device's own records tell of the launch, beside what is known of it.
  struct Activity {
    bool is_recorded = false;
    char missing[400] = "";  // why not, where that was asked for
    u32 registers = 0, local_bytes = 0, static_shared_bytes = 0, device = 0, stream = 0;
    u64 start_ns = 0, end_ns = 0;
  };
  Activity activity;
  u32 hits = 0;
  GuardHit hit[most_hits];
};

// One launch's request, its tensors as bytes and its state, in one piece of memory that processes share.
class Job {
 public:
  // Makes the contents of the tensors, for a launch on that device unless it names one. Throws NotAvailable where they
  // are too large to be held here, InputError where the module has no such entry.
  Job(const Launch& launch, int device, Guards guards);
  // The same job in another process, by a descriptor of its memory, which is taken over.
  explicit Job(int descriptor);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  int descriptor() const { return descriptor_; }
  const DeviceRequest& request() const { return request_; }
  JobState& state() { return *state_; }
  std::byte* tensor(u32 n) { return tensors_[n]; }
  // Runs it in this process. Never throws: the state tells.
  void run() noexcept;

 private:
  void map();
  void place_tensors(u64 request_bytes);
  void run_on_device();

  int descriptor_ = -1;
  DeviceRequest request_;
  u64 bytes_ = 0;
  void* memory_ = nullptr;
  JobState* state_ = nullptr;
  std::vector<std::byte*> tensors_;
};

}  // namespace ropewalk::gpu
