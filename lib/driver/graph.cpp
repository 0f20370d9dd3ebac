#include "lib/driver/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "lib/driver/backlog.h"
#include "lib/driver/public_call.h"

namespace ropewalk::driver {

Graph::Graph(const Graph& other) : objects(other.objects) {
  std::map<const GraphNode*, GraphNode*> copies;
  for (const auto& node : other.nodes) {
    GraphNode* const copy = nodes.emplace_back(std::make_shared<GraphNode>(*node)).get();
    copy->original = node.get();
    if (copy->child) copy->child = std::make_shared<Graph>(*copy->child);
    copies[node.get()] = copy;
  }
  for (const auto& copy : nodes) {
    for (GraphNode*& one : copy->after) one = copies.at(one);
  }
}

u64 Graph::next_number() {
  static std::atomic<u64> last = 0;
  return ++last;
}

void EventsOfWork::add(const EventsOfWork& other) {
  recorded.insert(recorded.end(), other.recorded.begin(), other.recorded.end());
  awaited.insert(awaited.end(), other.awaited.begin(), other.awaited.end());
}

GraphNode* Graph::add(NodeKind kind, Work work, std::vector<GraphNode*> after, std::any parameters,
                      EventsOfWork events) {
  nodes.push_back(std::make_shared<GraphNode>(GraphNode{
      kind, std::move(work), std::move(after), {PublicCall::name_or("a node of a graph"), CallStack::here()}}));
  nodes.back()->parameters = std::move(parameters);
  nodes.back()->events = std::move(events);
  return nodes.back().get();
}

bool Graph::has(const GraphNode* node) const {
  return std::ranges::any_of(nodes, [&](const auto& one) { return one.get() == node; });
}

void Graph::connect(GraphNode* from, GraphNode* to) {
  // What `from` waits for goes before `to`, in the order that it has.
  std::set<const GraphNode*> before = {from};
  for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
    if (before.contains(at->get())) before.insert((*at)->after.begin(), (*at)->after.end());
  }
  to->after.push_back(from);
  if (before.contains(to)) return;  // a circle, which put_in_order finds
  const auto is_it = [&](const auto& node) { return node.get() == to; };
  std::stable_partition(std::ranges::find_if(nodes, is_it), nodes.end(),
                        [&](const auto& node) { return before.contains(node.get()); });
}

bool Graph::put_in_order() {
  std::set<const GraphNode*> done;
  const auto can_run = [&](const auto& node) {
    return std::ranges::all_of(node->after, [&](const GraphNode* one) { return done.contains(one); });
  };
  // Each turn takes all that can run, in the order that they have: one turn, where nothing is to be done.
  std::vector<std::shared_ptr<GraphNode>> ordered, left = std::move(nodes);
  for (bool goes_on = true; goes_on;) {
    std::vector<std::shared_ptr<GraphNode>> waiting;
    for (auto& node : left) {
      const bool is_next = can_run(node);
      if (is_next) done.insert(node.get());
      (is_next ? ordered : waiting).push_back(std::move(node));
    }
    goes_on = waiting.size() < left.size();
    left = std::move(waiting);
  }
  bool is_ordered = left.empty();
  ordered.insert(ordered.end(), left.begin(), left.end());
  nodes = std::move(ordered);
  for (const auto& node : nodes) {
    is_ordered &= !node->child || node->child->put_in_order();
    for (Graph* const body : node->bodies ? node->bodies->handles : std::vector<Graph*>())
      is_ordered &= body->put_in_order();
  }
  return is_ordered;
}

void Graph::remove(const GraphNode* node) {
  for (const auto& one : nodes) std::erase(one->after, node);
  std::erase_if(nodes, [&](const auto& one) { return one.get() == node; });
}

// A node goes on with the branch of one that it comes after, unless another one has.
RunnableGraph::RunnableGraph(const Graph& graph)
    : nodes(graph.nodes), handles(graph.nodes), are_off(graph.nodes.size()), objects(graph.objects) {
  std::map<const GraphNode*, u32> ends;
  u32 count = 0;
  for (const auto& node : nodes) {
    work.push_back(node->work);
    events.push_back(node->events);
    const auto goes_on = [&](const GraphNode* before) { return ends.contains(before); };
    const auto before = std::ranges::find_if(node->after, goes_on);
    const u32 branch = before == node->after.end() ? count++ : ends.extract(*before).mapped();
    branches.push_back(branch);
    ends[node.get()] = branch;
  }
  lines = std::make_shared<std::vector<Line>>(count);
}

bool RunnableGraph::exchange(const GraphNode* handle, NodeKind kind, Work by, EventsOfWork its_events) {
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (handles[n].get() != handle || handle->kind != kind) continue;
    work[n] = std::move(by);
    events[n] = std::move(its_events);
    return true;
  }
  return false;
}

void RunnableGraph::update(RunnableGraph other) {
  other.handles = std::move(handles);
  other.are_off = std::move(are_off);
  other.flags = flags;
  other.frees_at_launch = frees_at_launch;
  *this = std::move(other);
}

EventsOfWork RunnableGraph::all_events() const {
  EventsOfWork out;
  for (const EventsOfWork& one : events) out.add(one);
  return out;
}

Result RunnableGraph::run(StreamOrder& order) const {
  Line* const whole = order.is_followed() ? order.line() : nullptr;
  const AddedBy* const added = order.node();
  const Clock before = whole ? whole->clock : Clock();
  std::map<const GraphNode*, Clock> done;
  Clock before_host;  // what was done before host functions
  for (std::size_t n = 0; n < work.size(); ++n) {
    if (whole) {
      Line& line = (*lines)[branches[n]];
      line.name =
          lines->size() == 1 ? whole->name : fmt::format("branch {} of a graph in {}", branches[n] + 1, whole->name);
      line.clock.join(before);
      for (const GraphNode* one : nodes[n]->after) line.clock.join(done[one]);
    }
    order.begin(whole ? &(*lines)[branches[n]] : nullptr, &nodes[n]->added);
    const Result result = work[n] && !are_off[n] ? work[n]() : Result::Success;
    if (result != Result::Success) {
      order.begin(whole, added);
      return result;
    }
    if (!whole) continue;
    const Clock& clock = done[nodes[n].get()] = (*lines)[branches[n]].clock;
    if (nodes[n]->kind == NodeKind::Host) before_host.join(clock);
  }
  if (whole) {
    for (const Line& line : *lines) whole->clock.join(line.clock);
    order.done(before_host);  // as in submit; nodes of the graph are ordered by its edges alone
  }
  order.begin(whole, added);  // a node that runs a graph goes on: a loop runs it again
  return Result::Success;
}

bool is_stream(Session& session, const Stream* stream) {
  return is_default(stream) || session.contexts().owner_of(stream);
}

bool is_event(Session& session, const Event* event) {
  return std::ranges::any_of(session.contexts().all(),
                             [&](const Context* context) { return context->events.has(event); });
}

namespace {

// As the next operation of the stream. host: what the host had waited for when it gave the work.
Result do_in_order(Session& session, const StreamLine& at, const Clock& host, const Work& work) {
  StreamOrder& order = session.order();
  if (!order.is_followed()) return work();
  Line& line = line_of(at);
  line.clock.join(host);
  order.begin(&line);
  const Result result = work();
  order.begin(nullptr);
  return result;
}

void note_recorded(Session& session, const EventsOfWork& events, u64 ticket) {
  for (Event* event : events.recorded) {
    if (!is_event(session, event)) continue;
    event->capture = nullptr;
    event->is_recorded = true;
    event->ticket = ticket;
  }
}

}  // namespace

Result submit(Session& session, Stream* stream, NodeKind kind, Work work, std::any parameters, EventsOfWork events) {
  if (!is_stream(session, stream)) return Result::InvalidHandle;
  if (const Result result = check_work(session, stream); result != Result::Success) return result;
  if (Stream* const captured = capturing(session, stream)) {
    GraphNode* const node =
        captured->capture->graph->add(kind, std::move(work), captured->after, std::move(parameters), std::move(events));
    captured->after = {node};
    return Result::Success;
  }
  const StreamLine at = stream_line_of(session, stream);
  std::vector<u64> after = tickets_before(session, at);
  for (const Event* event : events.awaited) {
    if (is_event(session, event) && !session.backlog().is_done(event->ticket)) after.push_back(event->ticket);
  }
  const Clock host = session.order().host();
  if (kind == NodeKind::Host) {
    session.backlog().call(at, std::move(after), work, [&session, at, host] {
      // What the function tells the host is not seen.
      do_in_order(session, at, host, [] { return Result::Success; });
      has_waited(session, at.line->clock);
    });
    return Result::Success;
  }
  if (after.empty()) {
    note_recorded(session, events, 0);
    return do_in_order(session, at, host, work);
  }
  const auto later = [&session, at, host, work = std::move(work)] { do_in_order(session, at, host, work); };
  note_recorded(session, events, session.backlog().add(at, std::move(after), later));
  return Result::Success;
}

}  // namespace ropewalk::driver
