// Nodes that allocate and free memory, as the CUDA Programming Guide has them ("Graph Memory Nodes").
#include <algorithm>

#include "lib/driver/graph.h"
#include "lib/driver/public_call.h"

namespace ropewalk::driver {

GraphNode* add_allocation(Session& session, Graph& graph, u32 device, u64 bytes, std::vector<GraphNode*> after) {
  constexpr const char* call = "cuGraphAddMemAllocNode";
  Allocation* const at =
      session.memory().allocate({.device = device, .bytes = bytes, .call = call, .is_of_graph = true});
  if (!at) return nullptr;
  GraphNode* const node = graph.add(
      NodeKind::Allocate,
      [&session, at, name = PublicCall::name_or(call)] {
        const Result result = session.memory().make(*at, name);
        if (result == Result::Success) touch_memory(session, at->address, name.c_str(), "makes");
        return result;
      },
      std::move(after));
  node->memory = std::make_shared<GraphMemory>(session, *at);
  return node;
}

GraphNode* add_free(Session& session, Graph& graph, u64 address, std::vector<GraphNode*> after) {
  const ResolvedAddress resolved = session.memory().find(address);
  const auto frees_it = [&](const auto& node) { return node->frees == address; };
  if (!resolved.allocation || !resolved.allocation->is_of_graph || resolved.offset ||
      std::ranges::any_of(graph.nodes, frees_it)) {
    return nullptr;
  }
  GraphNode* const node = graph.add(
      NodeKind::Free,
      [&session, address, name = PublicCall::name_or("cuGraphAddMemFreeNode")] {
        touch_memory(session, address, name.c_str(), "frees");
        return session.memory().release(address, MemoryKind::Device, name);
      },
      std::move(after));
  node->frees = address;
  return node;
}

bool has_memory(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const auto& node) { return node->memory || node->frees; });
}

Result begin_launch(Session& session, const RunnableGraph& graph) {
  for (const auto& node : graph.nodes) {
    if (node->bodies) node->bodies->condition->begin();
    if (!node->memory || node->memory->allocation().freed) continue;
    if (!graph.frees_at_launch) return Result::InvalidValue;
    session.memory().release(node->memory->allocation().address, MemoryKind::Device, "cuGraphLaunch");
  }
  return Result::Success;
}

void touch_memory(Session& session, u64 address, const char* call, const char* verb) {
  const ResolvedAddress resolved = session.memory().find(address);
  if (!resolved.allocation || resolved.allocation->freed || !session.order().is_asking()) return;
  session.touch({{.allocation = resolved.allocation, .all = {.written = ByteSet(0, resolved.allocation->bytes)}}}, call,
                verb);
}

}  // namespace ropewalk::driver
