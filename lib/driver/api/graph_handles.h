// The graphs that programs made.
#pragma once
#include "lib/driver/api/api.h"

namespace ropewalk::driver {

Handles<Graph>& graphs();
Handles<RunnableGraph>& runnables();
// Whose node it is; null: nobody's.
Graph* graph_of(const GraphNode* node);
// What the graph is by now, ready to run.
RunnableGraph runnable_of(Session& session, const Graph& graph);

// A call on a graph, which it leaves where there is none.
#define RW_GRAPH(graph) \
  RW_CALL(call);        \
  if (!graphs().has(graph)) return answer(Result::InvalidHandle)

// The same on a node of one, and on a graph that is ready to run.
#define RW_NODE(node) \
  RW_CALL(call);      \
  if (!graph_of(node)) return answer(Result::InvalidHandle)
#define RW_RUNNABLE(runnable) \
  RW_CALL(call);              \
  if (!runnables().has(runnable)) return answer(Result::InvalidHandle)

}  // namespace ropewalk::driver
