// A graph as a text for Graphviz (cuGraphDebugDotPrint).
#include <fmt/format.h>

#include <fstream>

#include "lib/driver/api/graph_handles.h"
#include "lib/driver/api/launch_request.h"

namespace ropewalk::driver {

namespace {

const char* name_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::Kernel:
      return "KERNEL";
    case NodeKind::Copy:
      return "MEMCPY";
    case NodeKind::Fill:
      return "MEMSET";
    case NodeKind::Host:
      return "HOST";
    case NodeKind::Graph:
      return "GRAPH";
    case NodeKind::Empty:
      return "EMPTY";
    case NodeKind::Wait:
      return "EVENT_WAIT";
    case NodeKind::Record:
      return "EVENT_RECORD";
    case NodeKind::Allocate:
      return "MEM_ALLOC";
    case NodeKind::Free:
      return "MEM_FREE";
    case NodeKind::Condition:
      return "CONDITIONAL";
  }
  return "";
}

// A node in the format of NVIDIA's driver: its number, and what is run.
std::string shown(const GraphNode& node, u64 number) {
  const auto* const launch = std::any_cast<std::shared_ptr<const LaunchParameters>>(&node.parameters);
  const std::string what = launch       ? (*launch)->node.function->entry.name
                           : node.child ? fmt::format("graph_{}", node.child->number)
                                        : name_of(node.kind);
  return fmt::format("[style=\"{}\" shape=\"{}\" label=\"{}\n{}\n\"];\n\n", launch ? "bold" : "solid",
                     launch ? "octagon" : "rectangle", number, what);
}

void write(std::ostream& out, const Graph& graph) {
  out << fmt::format("subgraph cluster_{0} {{\nlabel=\"graph_{0}\" graph[style=\"dashed\"];\n", graph.number);
  std::map<const GraphNode*, std::string> names;
  for (const auto& node : graph.nodes) {
    const u64 number = names.size();
    const std::string name = names[node.get()] = fmt::format("\"graph_{}_node_{}\"", graph.number, number);
    out << name << shown(*node, number);
  }
  for (const auto& node : graph.nodes) {
    for (const GraphNode* before : node->after) out << fmt::format("{} -> {};\n", names[before], names[node.get()]);
  }
  out << "}\n";
  for (const auto& node : graph.nodes) {
    if (node->child) write(out, *node->child);
    for (const Graph* const body : node->bodies ? node->bodies->handles : std::vector<Graph*>()) write(out, *body);
  }
}

}  // namespace

RW_CUDA cuGraphDebugDotPrint(Graph* graph, const char* path, unsigned) {
  RW_GRAPH(graph);
  RW_NEEDS(path);
  std::ofstream out(path);
  out << "digraph dot {\n";
  write(out, *graph);
  out << "}\n";
  out.close();
  return answer(out ? Result::Success : Result::OperatingSystem);
}

}  // namespace ropewalk::driver
