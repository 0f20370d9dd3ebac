// Nodes of graphs that allocate and free memory.
#include "lib/driver/api/graph_handles.h"
#include "lib/driver/api/node_structs.h"

namespace ropewalk::driver {

RW_CUDA cuGraphAddMemAllocNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                               MemoryNode* what) {
  RW_NEW_NODE(node, graph, after, count);
  if (!what || !what->bytes || !call->options().has_device(what->device)) return invalid_value;
  *node = add_allocation(*call, *graph, u32(what->device), what->bytes, {after, after + count});
  if (!*node) return answer(Result::OutOfMemory);
  what->address = (*node)->memory->allocation().address;
  return success;
}

RW_CUDA cuGraphAddMemFreeNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                              DevicePointer address) {
  RW_NEW_NODE(node, graph, after, count);
  *node = add_free(*call, *graph, address, {after, after + count});
  return *node ? success : invalid_value;
}

RW_CUDA cuGraphMemAllocNodeGetParams(GraphNode* node, MemoryNode* what) {
  RW_NODE(node);
  RW_NEEDS(what);
  if (!node->memory) return invalid_value;
  const Allocation& at = node->memory->allocation();
  *what = {};
  what->type = what->location_type = 1;  // pinned, of a device
  what->device = int(at.device);
  what->bytes = at.bytes;
  what->address = at.address;
  return success;
}

RW_CUDA cuGraphMemFreeNodeGetParams(GraphNode* node, DevicePointer* address) {
  RW_NODE(node);
  RW_NEEDS(address);
  if (!node->frees) return invalid_value;
  *address = node->frees;
  return success;
}

static int graph_bytes(int device, DeviceMemory::GraphBytes** bytes) {
  const Held held;
  if (!held->options().has_device(device)) return answer(Result::InvalidDevice);
  *bytes = &held->memory().graph_bytes(u32(device));
  return success;
}

RW_CUDA cuDeviceGraphMemTrim(int device) {
  DeviceMemory::GraphBytes* bytes = nullptr;
  if (const int error = graph_bytes(device, &bytes)) return error;
  bytes->reserved = bytes->used;
  return success;
}

// CUgraphMem_attribute: used, the most used, reserved, the most reserved.
RW_CUDA cuDeviceGetGraphMemAttribute(int device, int attribute, u64* value) {
  DeviceMemory::GraphBytes* bytes = nullptr;
  if (const int error = graph_bytes(device, &bytes)) return error;
  const u64 values[] = {bytes->used, bytes->most_used, bytes->reserved, bytes->most_reserved};
  if (!value || attribute < 0 || attribute > 3) return invalid_value;
  *value = values[attribute];
  return success;
}

// The most so far begins again.
RW_CUDA cuDeviceSetGraphMemAttribute(int device, int attribute, const u64* value) {
  DeviceMemory::GraphBytes* bytes = nullptr;
  if (const int error = graph_bytes(device, &bytes)) return error;
  if (!value || *value || (attribute != 1 && attribute != 3)) return invalid_value;
  if (attribute == 1)
    bytes->most_used = bytes->used;
  else
    bytes->most_reserved = bytes->reserved;
  return success;
}

}  // namespace ropewalk::driver
