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

std::string label_of(const GraphNode& node) {
  const auto* const launch = std::any_cast<std::shared_ptr<const LaunchParameters>>(&node.parameters);
  if (!launch) return name_of(node.kind);
  const KernelNode& what = (*launch)->node;
  return fmt::format("{}\\n{}\\n<<<({},{},{}),({},{},{}),{}>>>", name_of(node.kind), what.function->entry.name,
                     what.grid[0], what.grid[1], what.grid[2], what.block[0], what.block[1], what.block[2],
                     what.shared_bytes);
}

class Dot {
 public:
  explicit Dot(std::ostream& out) : out_(out) {}

  void write(const Graph& graph) {
    const u32 number = ++graphs_;
    out_ << fmt::format("subgraph cluster_{0} {{\nlabel=\"graph_{0}\"\n", number);
    std::map<const GraphNode*, std::string> names;
    for (const auto& node : graph.nodes) {
      const std::string name = names[node.get()] = fmt::format("graph_{}_node_{}", number, names.size());
      out_ << fmt::format("\"{}\" [shape=\"rectangle\" label=\"{}\"];\n", name, label_of(*node));
    }
    for (const auto& node : graph.nodes) {
      for (const GraphNode* before : node->after)
        out_ << fmt::format("\"{}\" -> \"{}\";\n", names[before], names[node.get()]);
    }
    out_ << "}\n";
    for (const auto& node : graph.nodes) {
      if (node->child) write(*node->child);
      for (const Graph* const body : node->bodies ? node->bodies->handles : std::vector<Graph*>()) write(*body);
    }
  }

 private:
  std::ostream& out_;
  u32 graphs_ = 0;
};

}  // namespace

RW_CUDA cuGraphDebugDotPrint(Graph* graph, const char* path, unsigned) {
  RW_GRAPH(graph);
  RW_NEEDS(path);
  std::ofstream out(path);
  out << "digraph dot {\n";
  Dot(out).write(*graph);
  out << "}\n";
  out.close();
  return answer(out ? Result::Success : Result::OperatingSystem);
}

}  // namespace ropewalk::driver
