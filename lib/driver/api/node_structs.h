// What a node of a graph is to do, as programs say it.
#pragma once
#include "lib/driver/api/launch_request.h"

namespace ropewalk::driver {

// CUDA_MEMSET_NODE_PARAMS
struct FillNode {
  DevicePointer to;
  std::size_t pitch;
  unsigned value, element_bytes;
  std::size_t width, height;
};
// Whether rows of `count` elements of `width` bytes fit into their pitch.
constexpr bool has_room(u64 pitch, u64 width, u64 count, u64 rows) { return rows <= 1 || count <= pitch / width; }
// CUDA_HOST_NODE_PARAMS
struct HostNode {
  void (*function)(void*);
  void* user;
};
// CUDA_CHILD_GRAPH_NODE_PARAMS
struct ChildNode {
  Graph* graph;
  int ownership;  // 0: it is copied
};
// CUDA_EVENT_RECORD_NODE_PARAMS, CUDA_EVENT_WAIT_NODE_PARAMS
struct RecordNode {
  Event* event;
};
struct WaitNode {
  Event* event;
};
// CUDA_MEM_ALLOC_NODE_PARAMS
struct MemoryNode {
  int type, handles, location_type, device;  // CUmemPoolProps
  char of_pool[72];
  const void* access;
  std::size_t access_count, bytes;
  DevicePointer address;
};
static_assert(sizeof(FillNode) == 40 && sizeof(MemoryNode) == 120);
// CUDA_CONDITIONAL_NODE_PARAMS
struct ConditionalNode {
  u64 condition;
  GraphBodies::Kind kind;
  unsigned count;
  Graph** bodies;  // given back
};

// CUgraphNodeParams: one of them, by CUgraphNodeType.
struct AnyNode {
  NodeKind kind;
  int reserved[3];
  union {
    long long words[29];
    KernelNode kernel;
    struct {
      int flags, reserved;
      Context* context;
      VolumeCopy rows;
    } copy;
    FillNode fill;
    HostNode host;
    ChildNode child;
    RecordNode record;
    WaitNode wait;
    MemoryNode memory;
    DevicePointer freed;
    ConditionalNode conditional;
  };
  long long more;
};
static_assert(sizeof(AnyNode) == 256);

}  // namespace ropewalk::driver
