// What libcudart.so.13 has of its own.
#include "lib/driver/runtime/any_node.h"
#include "lib/driver/runtime/call.h"
#include "lib/driver/runtime/graph_edges.h"
#include "lib/driver/runtime/versions.h"

using namespace ropewalk::driver::runtime;

ROPEWALK_RUNTIME(cudaRuntimeGetVersion, int* version) {
  *version = 13000;
  return remember(success);
}

ROPEWALK_RUNTIME(cudaGetDeviceProperties, void* to, int device) {
  return run(__func__, [&] { return write_properties(to, device, 13); });
}

ROPEWALK_RUNTIME(cudaGraphAddNode, void** to, void* graph, void* const* after, const void* edges, std::size_t count,
                 AnyNode* node) {
  return add_node(to, graph, after, edges, count, node);
}

ROPEWALK_EDGE_FUNCTIONS()
