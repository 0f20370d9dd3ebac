// A launch on the virtual GPU: it runs at once, checked, and its findings go to the session.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/driver/kernel.h"
#include "lib/driver/result.h"
#include "lib/driver/session.h"
#include "lib/driver/view.h"

namespace ropewalk::driver {

struct LaunchRequest {
  Kernel* kernel = nullptr;
  Dim3 grid, block;
  u64 shared_bytes = 0;  // dynamic
  bool is_cooperative = false;
  bool must_be_resident = false;  // it is refused where the device cannot hold all of its blocks at once
  bool may_overlap = false;       // with the kernel before it in its stream (programmatic stream serialization)
  u32 device = 0;
  const std::set<u32>* peers = nullptr;  // devices whose memory it may touch besides; null: all
  std::vector<std::byte> parameters;     // kernel->parameter_bytes, each parameter at its offset
  // What a program in another language knows besides; all may be empty.
  std::vector<std::string> names;  // of the parameters
  std::vector<TensorView> views;
  std::vector<std::string>
      stack;  // where the launch was made, a line a frame; else the process's own stack is reported
};

// The parameter block that cuLaunchKernel's kernelParams stand for.
std::vector<std::byte> pack_parameters(const Kernel& kernel, void** values);

// A pointer in the parameters, of those that lead to memory.
struct PointerArgument {
  u32 parameter = 0, offset = 0;  // where it stands
  ResolvedAddress resolved;
};
std::vector<PointerArgument> pointers_of(Session& session, const LaunchRequest& request);
// What people call it: the parameter's name, with the byte in it where that is not the first.
std::string name_of(const PointerArgument& pointer, const LaunchRequest& request);

// Runs it. A device's error that ends the context is answered as on a GPU: Assert, LaunchFailed (a trap). Findings, and
// what could not run, are reported to the session. The session's mutex is held.
//
// fault: what a GPU ends the context with where the kernel surely faults there (IllegalAddress, MisalignedAddress),
// else unchanged, as it is where faults end no context. The launch goes on without the access, so that more is found.
Result launch(Session& session, const LaunchRequest& request, Result* fault = nullptr);

// Memory that the kernel has a pointer to, or may find one to in memory, and that its device may not touch.
struct OwnerOfMemory {
  u32 device = 0;
  std::string name;  // what the kernel calls it
  std::optional<i64> argument;
};
using OutOfReach = std::map<const Allocation*, OwnerOfMemory>;
OutOfReach out_of_reach(Session& session, const LaunchRequest& request);

// The launch as the machine runs it, in place on the session's memory: without what is out of reach, whose addresses
// lead nowhere.
Launch launch_of(Session& session, const LaunchRequest& request, const OutOfReach& unreached = {});

}  // namespace ropewalk::driver
