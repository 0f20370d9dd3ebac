// Which nodes a graph has, and what they wait for.
#include <algorithm>
#include <span>

#include "lib/driver/api/graph_handles.h"

namespace ropewalk::driver {

namespace {

using Nodes = std::vector<GraphNode*>;

Nodes nodes_of(const Graph& graph) {
  Nodes out;
  for (const auto& node : graph.nodes) out.push_back(node.get());
  return out;
}

// What waits for the node.
Nodes behind(GraphNode* node) {
  Nodes out = nodes_of(*graph_of(node));
  std::erase_if(out, [&](const GraphNode* one) { return std::ranges::find(one->after, node) == one->after.end(); });
  return out;
}

// Their number where the program asks for that alone, else as many as it has room for; what is left of that is null.
int hand_out(const Nodes& nodes, GraphNode** to, std::size_t* count) {
  if (!count) return invalid_value;
  if (to) {
    const std::size_t room = *count, given = std::min(room, nodes.size());
    std::fill(std::copy_n(nodes.begin(), given, to), to + room, nullptr);
    *count = given;
  } else {
    *count = nodes.size();
  }
  return success;
}

void write_usual(EdgeData* data, const std::size_t* count) {
  if (data) std::fill_n(data, *count, EdgeData{});
}

}  // namespace

bool are_usual(const EdgeData* data, std::size_t count) {
  if (!data || std::ranges::all_of(std::span(data, count), &EdgeData::is_usual)) return true;
  Held()->unsupported("an edge of a graph for a programmatic launch");
  return false;
}

bool are_nodes_of(const Graph& graph, GraphNode* const* nodes, std::size_t count) {
  return has_list(nodes, count) &&
         std::ranges::all_of(std::span(nodes, count), [&](auto* one) { return graph.has(one); });
}

RW_CUDA cuGraphGetNodes(Graph* graph, GraphNode** nodes, std::size_t* count) {
  RW_GRAPH(graph);
  return hand_out(nodes_of(*graph), nodes, count);
}

RW_CUDA cuGraphGetRootNodes(Graph* graph, GraphNode** nodes, std::size_t* count) {
  RW_GRAPH(graph);
  Nodes roots = nodes_of(*graph);
  std::erase_if(roots, [](const GraphNode* node) { return !node->after.empty(); });
  return hand_out(roots, nodes, count);
}

RW_CUDA cuGraphNodeGetDependencies(GraphNode* node, GraphNode** nodes, std::size_t* count) {
  RW_NODE(node);
  return hand_out(node->after, nodes, count);
}
RW_CUDA cuGraphNodeGetDependencies_v2(GraphNode* node, GraphNode** nodes, EdgeData* data, std::size_t* count) {
  const int result = cuGraphNodeGetDependencies(node, nodes, count);
  if (result == success && nodes) write_usual(data, count);
  return result;
}

RW_CUDA cuGraphNodeGetDependentNodes(GraphNode* node, GraphNode** nodes, std::size_t* count) {
  RW_NODE(node);
  return hand_out(behind(node), nodes, count);
}
RW_CUDA cuGraphNodeGetDependentNodes_v2(GraphNode* node, GraphNode** nodes, EdgeData* data, std::size_t* count) {
  const int result = cuGraphNodeGetDependentNodes(node, nodes, count);
  if (result == success && nodes) write_usual(data, count);
  return result;
}

RW_CUDA cuGraphGetEdges(Graph* graph, GraphNode** from, GraphNode** to, std::size_t* count) {
  RW_GRAPH(graph);
  if (!count || !from != !to) return invalid_value;
  Nodes starts, ends;
  for (const auto& node : graph->nodes) {
    starts.insert(starts.end(), node->after.begin(), node->after.end());
    ends.resize(starts.size(), node.get());
  }
  std::size_t room = *count;
  hand_out(starts, from, count);
  return hand_out(ends, to, &room);
}
RW_CUDA cuGraphGetEdges_v2(Graph* graph, GraphNode** from, GraphNode** to, EdgeData* data, std::size_t* count) {
  const int result = cuGraphGetEdges(graph, from, to, count);
  if (result == success && from) write_usual(data, count);
  return result;
}

RW_CUDA cuGraphAddDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to, std::size_t count) {
  RW_GRAPH(graph);
  if (!are_nodes_of(*graph, from, count) || !are_nodes_of(*graph, to, count)) return invalid_value;
  for (std::size_t n = 0; n < count; ++n) {
    if (std::ranges::find(to[n]->after, from[n]) != to[n]->after.end()) return invalid_value;
    graph->connect(from[n], to[n]);  // a circle is refused when the graph is instantiated
  }
  return success;
}
RW_CUDA cuGraphAddDependencies_v2(Graph* graph, GraphNode* const* from, GraphNode* const* to, const EdgeData* data,
                                  std::size_t count) {
  if (!are_usual(data, count)) return answer(Result::NotSupported);
  return cuGraphAddDependencies(graph, from, to, count);
}

RW_CUDA cuGraphRemoveDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to, std::size_t count) {
  RW_GRAPH(graph);
  if (!are_nodes_of(*graph, from, count) || !are_nodes_of(*graph, to, count)) return invalid_value;
  for (std::size_t n = 0; n < count; ++n) {
    if (!std::erase(to[n]->after, from[n])) return invalid_value;
  }
  return success;
}
RW_CUDA cuGraphRemoveDependencies_v2(Graph* graph, GraphNode* const* from, GraphNode* const* to, const EdgeData* data,
                                     std::size_t count) {
  if (!are_usual(data, count)) return answer(Result::NotSupported);
  return cuGraphRemoveDependencies(graph, from, to, count);
}

RW_CUDA cuGraphDestroyNode(GraphNode* node) {
  RW_NODE(node);
  if (node->memory || node->frees) return answer(Result::NotSupported);  // as on a GPU
  graph_of(node)->remove(node);
  return success;
}

RW_CUDA cuGraphNodeGetType(GraphNode* node, int* type) {
  RW_NODE(node);
  RW_NEEDS(type);
  *type = int(node->kind);
  return success;
}

}  // namespace ropewalk::driver
