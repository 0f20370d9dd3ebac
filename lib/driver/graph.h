// Work on streams: done at once, or noted in a graph where the stream is being captured.
#pragma once
#include <any>
#include <functional>
#include <memory>
#include <vector>

#include "lib/driver/lines.h"
#include "lib/driver/result.h"
#include "lib/driver/user_object.h"

namespace ropewalk::driver {

using Work = std::function<Result()>;

// Events that an operation on a stream records and waits for: those of a graph's nodes.
struct EventsOfWork {
  std::vector<Event*> recorded, awaited;
  void add(const EventsOfWork& other);
};

// CUgraphNodeType
enum class NodeKind : int {
  Kernel = 0,
  Copy = 1,
  Fill = 2,
  Host = 3,
  Graph = 4,
  Empty = 5,
  Wait = 6,
  Record = 7,
  Allocate = 10,
  Free = 11,
  Condition = 13
};

// Memory that a node allocates. Its address is the same in all launches, and kept as long as there is the node.
class GraphMemory {
 public:
  GraphMemory(Session& session, Allocation& allocation) : session_(session), allocation_(allocation) {}
  ~GraphMemory() { session_.memory().disown(allocation_); }
  GraphMemory(const GraphMemory&) = delete;
  Allocation& allocation() const { return allocation_; }

 private:
  Session& session_;
  Allocation& allocation_;
};

// A value on the device that decides which bodies of a node run, and how often (CUgraphConditionalHandle: its address,
// to which cudaGraphSetConditional stores).
class GraphCondition {
 public:
  // initial: what it is when the graph is launched; none: nobody has set it then.
  static std::shared_ptr<GraphCondition> make(Session& session, u32 device, std::optional<u32> initial);
  ~GraphCondition();
  GraphCondition(const GraphCondition&) = delete;
  u64 address() const { return memory_.address; }
  void begin();
  // As the current operation. A value that nobody has set is a defect.
  u32 value() const;

  bool is_used = false;  // by a node, of which there is one

 private:
  GraphCondition(Session& session, Allocation& memory, std::optional<u32> initial)
      : session_(session), memory_(memory), initial_(initial) {}

  Session& session_;
  Allocation& memory_;
  const std::optional<u32> initial_;
};

struct Graph;

// What a condition decides about.
struct GraphBodies {
  enum class Kind : int { If = 0, While = 1, Switch = 2 };  // CUgraphConditionalNodeType
  std::shared_ptr<GraphCondition> condition;
  Kind kind = Kind::If;
  std::vector<std::unique_ptr<Graph>> graphs;
  std::vector<Graph*> handles;  // the same, as the program is given them
};

struct GraphNode {
  NodeKind kind;
  Work work;
  std::vector<GraphNode*> after;  // what must be done before it
  AddedBy added;
  std::shared_ptr<GraphMemory> memory = nullptr;  // of one that allocates
  u64 frees = 0;                                  // the address, of one that frees
  std::any parameters = {};                       // the driver API's own struct, of which the work was made
  EventsOfWork events = {};
  std::shared_ptr<GraphBodies> bodies = nullptr;  // of one with a condition
  const GraphNode* original = nullptr;            // of which it is a copy, in another graph
  std::shared_ptr<Graph> child = nullptr;  // its own copy of a graph, of one that was given it; it may be changed
};

// Its nodes in an order in which they can run: a node comes after what it depends on, unless some wait for each other.
struct Graph {
  std::vector<std::shared_ptr<GraphNode>> nodes;
  std::vector<std::shared_ptr<GraphCondition>> conditions;
  ObjectReferences objects;
  u64 number = next_number();  // of all that the process made, from 1

  Graph() = default;
  // Its nodes are its own.
  Graph(const Graph& other);
  Graph(Graph&&) = default;

  GraphNode* add(NodeKind kind, Work work, std::vector<GraphNode*> after = {}, std::any parameters = {},
                 EventsOfWork events = {});
  bool has(const GraphNode* node) const;
  void connect(GraphNode* from, GraphNode* to);
  void remove(const GraphNode* node);
  // Puts the nodes in order, those of children and bodies as well. False: some wait for each other, and no order is
  // one.
  bool put_in_order();

 private:
  static u64 next_number();
};

// CUstreamCaptureMode: whom a capture prohibits calls that may be unsafe while it goes on.
enum class CaptureMode : int { Global = 0, ThreadLocal = 1, Relaxed = 2 };
// That of the calling thread's own calls.
CaptureMode& capture_mode_of_thread();

// A graph that is being captured.
struct CapturedGraph {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();  // which the end of the capture hands out
  CaptureMode mode = CaptureMode::Global;
  u64 thread = 0;               // that began it
  Graph* into = nullptr;        // the nodes are added to this graph in the end; null: to a new one
  bool is_invalidated = false;  // by a call that it prohibits: no graph comes of it
};

// A graph that is ready to run: what the graph was when it was instantiated. Its nodes' work may be exchanged.
struct RunnableGraph {
  explicit RunnableGraph(const Graph& graph);
  std::vector<std::shared_ptr<GraphNode>> nodes;
  std::vector<std::shared_ptr<GraphNode>> handles;  // by node: its handle, which an update leaves as it was
  std::vector<Work> work;                           // by node
  std::vector<EventsOfWork> events;                 // by node
  std::vector<u32> branches;                        // by node: nodes of one are done one after the other
  std::vector<bool> are_off;                        // by node: nothing is done
  ObjectReferences objects;
  // Those of all launches, for they do not overlap.
  std::shared_ptr<std::vector<Line>> lines;
  u64 flags = 0;                 // that it was instantiated with
  bool frees_at_launch = false;  // what the launch before left of its memory

  // False: it has no such node of this kind.
  bool exchange(const GraphNode* handle, NodeKind kind, Work by, EventsOfWork events = {});
  // From here on its work is that of the other, which has the same nodes.
  void update(RunnableGraph other);
  EventsOfWork all_events() const;
  // As the current operation.
  Result run(StreamOrder& order) const;
};

// Whether there is such a stream: a default one, or one that somebody made and did not destroy.
bool is_stream(Session& session, const Stream* stream);

// Does the work, or notes it where the stream is being captured. InvalidHandle where there is no such stream.
// parameters: of the node that is noted.
Result submit(Session& session, Stream* stream, NodeKind kind, Work work, std::any parameters = {},
              EventsOfWork events = {});

Result begin_capture(Session& session, Stream* stream, CaptureMode mode);
// Gives the graph to the caller, who deletes it.
Result end_capture(Session& session, Stream* stream, std::unique_ptr<Graph>* graph);
// The stream with its capture (state_of); nullptr where it is not being captured.
Stream* capturing(Session& session, Stream* stream);

// No graph comes of the capture any more. The answer of the call that is at fault; where another one was, that it is
// so.
Result invalidate(CapturedGraph& capture, Result result);
// Calls that a capture prohibits: it is invalidated, and they answer so. Success where nothing prohibits them.
// To wait for the stream, or to ask whether it is done; the same of an event, and of all that a context does.
Result check_wait(Session& session, Stream* stream);
Result check_wait(const Event& event);
Result check_wait(Context& context);
// To make or free memory at once, which may be unsafe.
Result check_unsafe(Session& session);
// Work on the stream: the legacy default stream would have to wait for blocking streams that are being captured.
Result check_work(Session& session, Stream* stream);

// An event on a stream. Where the stream is captured, so is from now on every stream that waits for the event; an
// external event gets a node of the graph instead, which records it, or waits for it, at each launch.
Result record_event(Session& session, Stream* stream, Event* event, bool is_external = false);
Result wait_event(Session& session, Stream* stream, Event* event, bool is_external = false);
bool is_event(Session& session, const Event* event);
// What a node does that records an event or waits for it, as the current operation, and whose event it is.
Work event_work(Session& session, NodeKind kind, Event* event);
EventsOfWork events_of(NodeKind kind, Event* event);

// A node that allocates memory on the device, or frees what one of a graph's nodes allocates; nullptr where there is
// not so much memory, and where the address is none of a graph, or freed by another node of this one.
GraphNode* add_allocation(Session& session, Graph& graph, u32 device, u64 bytes, std::vector<GraphNode*> after);
GraphNode* add_free(Session& session, Graph& graph, u64 address, std::vector<GraphNode*> after);
bool has_memory(const Graph& graph);
bool has_conditions(const Graph& graph);
// Whether a body has a node of a kind that none may have: what waits for the host, memory, events.
bool has_unfit_bodies(const Graph& graph);
// Runs the bodies, which are ready to run, as the condition says.
Result run_bodies(StreamOrder& order, const GraphBodies& bodies, const std::vector<RunnableGraph>& ready);
// The graph is to be launched: InvalidValue where memory of the launch before is still there.
Result begin_launch(Session& session, const RunnableGraph& graph);
// Memory that is made or freed in the order of a stream, as the current operation: whoever uses it must come after the
// one and before the other.
void touch_memory(Session& session, u64 address, const char* call, const char* verb);

}  // namespace ropewalk::driver
