// Nodes of graphs of any kind. Version 12 has the function that adds one without data of edges, and as _v2 with it;
// version 13 with it alone.
#pragma once
#include "lib/driver/runtime/types.h"

namespace ropewalk::driver::runtime {

struct AnyNode;  // cudaGraphNodeParams

int add_node(void** to, void* graph, void* const* after, const void* edges, std::size_t count, AnyNode* node);

}  // namespace ropewalk::driver::runtime
