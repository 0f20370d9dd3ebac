// Work on streams: done at once, or noted in a graph where the stream is being captured.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "lib/driver/lines.h"
#include "lib/driver/result.h"

namespace ropewalk::driver {

using Work = std::function<Result()>;

// CUgraphNodeType
enum class NodeKind : int { Kernel = 0, Copy = 1, Fill = 2, Host = 3, Graph = 4, Empty = 5, Wait = 6, Record = 7 };

struct GraphNode {
  NodeKind kind;
  Work work;
  std::vector<GraphNode*> after;  // what must be done before it
  AddedBy added;
};

// Its nodes in an order in which they can run: a node comes after what it depends on.
struct Graph {
  std::vector<std::shared_ptr<GraphNode>> nodes;

  GraphNode* add(NodeKind kind, Work work, std::vector<GraphNode*> after = {});
};

// A graph that is ready to run: what the graph was when it was instantiated. Its nodes' work may be exchanged.
struct RunnableGraph {
  explicit RunnableGraph(const Graph& graph);
  std::vector<std::shared_ptr<GraphNode>> nodes;
  std::vector<Work> work;     // by node
  std::vector<u32> branches;  // by node: nodes of one are done one after the other
  // Those of all launches, for they do not overlap.
  std::shared_ptr<std::vector<Line>> lines;

  // False: it has no such node.
  bool exchange(const GraphNode* node, Work by);
  // As the current operation.
  Result run(StreamOrder& order) const;
};

// Whether there is such a stream: a default one, or one that somebody made and did not destroy.
bool is_stream(Session& session, const Stream* stream);

// Does the work, or notes it where the stream is being captured. InvalidHandle where there is no such stream.
Result submit(Session& session, Stream* stream, NodeKind kind, Work work);

Result begin_capture(Session& session, Stream* stream);
// Gives the graph to the caller, who deletes it.
Result end_capture(Session& session, Stream* stream, std::unique_ptr<Graph>* graph);
bool is_capturing(const Stream* stream);

// An event on a stream. Where the stream is captured, so is from now on every stream that waits for the event.
Result record_event(Session& session, Stream* stream, Event* event);
Result wait_event(Session& session, Stream* stream, Event* event);
bool is_event(Session& session, const Event* event);

}  // namespace ropewalk::driver
