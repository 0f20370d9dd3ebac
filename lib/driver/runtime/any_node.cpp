#include "lib/driver/runtime/any_node.h"

#include <cstring>

#include "lib/driver/runtime/call.h"
#include "lib/driver/runtime/copy.h"
#include "lib/driver/runtime/state.h"

namespace ropewalk::driver::runtime {

// What is not named here is the same for the driver. Of the rest the driver has more behind.
struct AnyNode {
  static constexpr int is_kernel = 0, is_copy = 1;
  int type, reserved[3];
  union {
    char bytes[232];
    const void* function;  // of a kernel: by what the program knows it
    struct {
      int flags, reserved[3];
      Copy3D rows;
    } copy;
    struct {
      int flags, reserved;
      void* context;
      DriverCopy3D rows;
    } driver_copy;
  };
  long long more;
};
static_assert(sizeof(AnyNode) == 256);

}  // namespace ropewalk::driver::runtime

using namespace ropewalk::driver::runtime;

extern "C" {
int cuGraphAddNode_v2(void**, void*, void* const*, const void*, std::size_t, AnyNode*) __attribute__((weak));
int cuGraphNodeSetParams(void*, const AnyNode*) __attribute__((weak));
int cuGraphExecNodeSetParams(void*, void*, const AnyNode*) __attribute__((weak));
}

namespace {

// Calls body() with the driver's parameters. What they are given back is the program's.
template <class Body>
int with_node(const char* name, AnyNode* node, const Body& body) {
  return run(name, [&] {
    if (!node) return int(invalid_value);
    AnyNode same = *node;
    int error = success;
    if (node->type == AnyNode::is_kernel) {
      constexpr std::size_t kernel_bytes = 56;  // cudaKernelNodeParamsV2
      std::memset(same.bytes + kernel_bytes, 0, sizeof same.bytes - kernel_bytes);
      void* function = nullptr;
      error = find_function(node->function, &function);
      same.function = function;
    } else if (node->type == AnyNode::is_copy) {
      same.driver_copy = {node->copy.flags, 0, nullptr, {}};
      error = rows_of(name, &node->copy.rows, &same.driver_copy.rows);
    }
    if (!error) error = body(&same);
    if (node->type != AnyNode::is_kernel && node->type != AnyNode::is_copy) *node = same;
    return error;
  });
}

}  // namespace

int ropewalk::driver::runtime::add_node(void** to, void* graph, void* const* after, const void* edges,
                                        std::size_t count, AnyNode* node) {
  return with_node("cudaGraphAddNode", node, [&](AnyNode* same) {
    return ROPEWALK_DRIVER(cuGraphAddNode_v2, to, graph, after, edges, count, same);
  });
}
ROPEWALK_RUNTIME(cudaGraphNodeSetParams, void* at, AnyNode* node) {
  return with_node(__func__, node, [&](AnyNode* same) { return ROPEWALK_DRIVER(cuGraphNodeSetParams, at, same); });
}
ROPEWALK_RUNTIME(cudaGraphExecNodeSetParams, void* graph, void* at, AnyNode* node) {
  return with_node(__func__, node,
                   [&](AnyNode* same) { return ROPEWALK_DRIVER(cuGraphExecNodeSetParams, graph, at, same); });
}
