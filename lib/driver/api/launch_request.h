// Launches, copies and fills out of what a program passes.
#pragma once
#include <map>
#include <string>

#include "lib/driver/api/api.h"

namespace ropewalk::driver {

// CUlaunchAttributeID and CUlaunchAttributeValue
enum class LaunchAttributeId : int {
  Cooperative = 2,
  Cluster = 4,
  ProgrammaticStreamSerialization = 6,
  ProgrammaticEvent = 7,
  LaunchCompletionEvent = 12,
  DeviceUpdatableNode = 13
};
union LaunchAttributeValue {
  char bytes[64] = {};
  int number;
  unsigned dimensions[3];
  Event* event;
};
using LaunchAttributes = std::map<LaunchAttributeId, LaunchAttributeValue>;
// Whether it is given and not zero.
bool is_set(const LaunchAttributes& attributes, LaunchAttributeId id);
// Why the virtual GPU has none that is launched so; "": it has.
std::string why_not_there(const LaunchAttributes& attributes);

struct LaunchShape {
  Kernel* kernel = nullptr;
  Dim3 grid, block;
  u64 shared_bytes = 0;
  LaunchAttributes attributes = {};
  bool is_noted = false;  // in a graph: what a launch cannot have is refused now, for it is not run

  bool is_cooperative() const { return is_set(attributes, LaunchAttributeId::Cooperative); }
};

// CUDA_KERNEL_NODE_PARAMS
struct KernelNode {
  Kernel* function;
  unsigned grid[3], block[3], shared_bytes;
  void **values, **extra;
  Kernel* kernel;
  Context* context;
};

// CUDA_MEMCPY3D
struct EndOfVolume {
  std::size_t x, y, z, level;
  int type;
  u64 host_address, device_address;
  void *array, *context;
  std::size_t pitch, height;
};
struct VolumeCopy {
  EndOfVolume from, to;
  std::size_t width, height, depth;
};

static_assert(sizeof(KernelNode) == 72 && sizeof(VolumeCopy) == 200);

// A launch as a node of a graph keeps it: the node's pointers lead to the arguments here.
struct LaunchParameters {
  std::vector<std::byte> arguments;
  std::vector<void*> values;
  KernelNode node{};
  LaunchAttributes attributes;
};
std::shared_ptr<const LaunchParameters> launch_parameters(const LaunchRequest& request, LaunchAttributes attributes);

// Copies the arguments: `values` has a pointer to each, `extra` is the other way of cuLaunchKernel.
Result make_request(Session& session, Context& context, const LaunchShape& shape, void** values, void** extra,
                    LaunchRequest* request);
// The launch as work on a stream.
Work launch_work(Session& session, Context& context, LaunchRequest request);
// The same of a copy.
Work copy_work(Session& session, const VolumeCopy& what);

}  // namespace ropewalk::driver
