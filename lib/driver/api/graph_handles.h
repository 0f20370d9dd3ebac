// The graphs that programs made.
#pragma once
#include "lib/driver/api/api.h"

namespace ropewalk::driver {

Handles<Graph>& graphs();
Handles<RunnableGraph>& runnables();
// Whether it is one that the program made, or a body of a node.
bool is_graph(const Graph* graph);
// Whose node it is; null: nobody's.
Graph* graph_of(const GraphNode* node);
// Whether that is a list, and each is a node of the graph.
bool are_nodes_of(const Graph& graph, GraphNode* const* nodes, std::size_t count);
// What the graph is by now, ready to run.
RunnableGraph runnable_of(Session& session, const Graph& graph);

// Data of edges (CUgraphEdgeData) says of usual ones nothing; others are those of programmatic launches.
struct EdgeData {
  unsigned char from_port, to_port, type, reserved[5];
  bool is_usual() const { return !from_port && !to_port && !type; }
};
// False: some edge is not, which is reported.
bool are_usual(const EdgeData* data, std::size_t count);

// A call on a graph, which it leaves where there is none.
#define RW_GRAPH(graph) \
  RW_CALL(call);        \
  RW_NEEDS(graph);      \
  if (!is_graph(graph)) return answer(Result::InvalidHandle)

// A call that adds a node to a graph, behind a list of others of it.
#define RW_NEW_NODE(node, graph, after, count) \
  RW_GRAPH(graph);                             \
  if (!has_all(node) || !are_nodes_of(*graph, after, count)) return invalid_value

// The same on a node of one, and on a graph that is ready to run.
#define RW_NODE(node) \
  RW_CALL(call);      \
  RW_NEEDS(node);     \
  if (!graph_of(node)) return answer(Result::InvalidHandle)
#define RW_RUNNABLE(runnable) \
  RW_CALL(call);              \
  RW_NEEDS(runnable);         \
  if (!runnables().has(runnable)) return answer(Result::InvalidHandle)

}  // namespace ropewalk::driver
