#include "lib/driver/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "lib/driver/public_call.h"

namespace ropewalk::driver {

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

GraphNode* Graph::add(NodeKind kind, Work work, std::vector<GraphNode*> after) {
  nodes.push_back(std::make_shared<GraphNode>(GraphNode{
      kind, std::move(work), std::move(after), {PublicCall::name_or("a node of a graph"), CallStack::here()}}));
  return nodes.back().get();
}

// A node goes on with the branch of one that it comes after, unless another one has.
RunnableGraph::RunnableGraph(const Graph& graph) : nodes(graph.nodes) {
  std::map<const GraphNode*, u32> ends;
  u32 count = 0;
  for (const auto& node : nodes) {
    work.push_back(node->work);
    const auto goes_on = [&](const GraphNode* before) { return ends.contains(before); };
    const auto before = std::ranges::find_if(node->after, goes_on);
    const u32 branch = before == node->after.end() ? count++ : ends.extract(*before).mapped();
    branches.push_back(branch);
    ends[node.get()] = branch;
  }
  lines = std::make_shared<std::vector<Line>>(count);
}

bool RunnableGraph::exchange(const GraphNode* node, Work by) {
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].get() != node) continue;
    work[n] = std::move(by);
    return true;
  }
  return false;
}

Result RunnableGraph::run(StreamOrder& order) const {
  Line* const whole = order.is_followed() ? order.line() : nullptr;
  const Clock before = whole ? whole->clock : Clock();
  std::map<const GraphNode*, Clock> done;
  for (std::size_t n = 0; n < work.size(); ++n) {
    if (whole) {
      Line& line = (*lines)[branches[n]];
      line.name =
          lines->size() == 1 ? whole->name : fmt::format("branch {} of a graph in {}", branches[n] + 1, whole->name);
      line.clock.join(before);
      for (const GraphNode* one : nodes[n]->after) line.clock.join(done[one]);
      order.begin(&line, &nodes[n]->added);
    }
    if (const Result result = work[n] ? work[n]() : Result::Success; result != Result::Success) return result;
    if (!whole) continue;
    const Clock& clock = done[nodes[n].get()] = (*lines)[branches[n]].clock;
    if (nodes[n]->kind == NodeKind::Host) order.done(clock);  // as in submit
  }
  for (const Line& line : *lines) {
    if (whole) whole->clock.join(line.clock);
  }
  return Result::Success;
}

bool is_capturing(const Stream* stream) { return !is_default(stream) && stream->capture; }

bool is_stream(Session& session, const Stream* stream) {
  return is_default(stream) || session.contexts().owner_of(stream);
}

bool is_event(Session& session, const Event* event) {
  return std::ranges::any_of(session.contexts().all(),
                             [&](const Context* context) { return context->events.has(event); });
}

Result submit(Session& session, Stream* stream, NodeKind kind, Work work) {
  if (!is_stream(session, stream)) return Result::InvalidHandle;
  if (is_capturing(stream)) {
    GraphNode* const node = stream->capture->add(kind, std::move(work), stream->after);
    stream->after = {node};
    return Result::Success;
  }
  meet(session, stream);
  StreamOrder& order = session.order();
  if (!order.is_followed()) return work();
  Line& line = line_of(session, stream);
  order.begin(&line);
  const Result result = work();
  order.begin(nullptr);
  // What the function tells the host is not seen.
  if (kind == NodeKind::Host) order.done(line.clock);
  return result;
}

Result begin_capture(Session& session, Stream* stream) {
  if (is_default(stream)) return Result::StreamCaptureUnsupported;
  if (!is_stream(session, stream)) return Result::InvalidHandle;
  if (stream->capture) return Result::IllegalState;
  stream->capture = std::make_shared<Graph>();
  stream->is_origin = true;
  stream->after.clear();
  return Result::Success;
}

namespace {

// All that is done before one of the nodes, and these.
std::set<const GraphNode*> done_with(const std::vector<GraphNode*>& nodes) {
  std::set<const GraphNode*> out;
  std::vector<const GraphNode*> open(nodes.begin(), nodes.end());
  while (!open.empty()) {
    const GraphNode* const node = open.back();
    open.pop_back();
    if (out.insert(node).second) open.insert(open.end(), node->after.begin(), node->after.end());
  }
  return out;
}

}  // namespace

Result end_capture(Session& session, Stream* stream, std::unique_ptr<Graph>* graph) {
  if (!is_stream(session, stream)) return Result::InvalidHandle;
  if (!is_capturing(stream)) return Result::IllegalState;
  if (!stream->is_origin) return Result::StreamCaptureUnmatched;
  const std::shared_ptr<Graph> captured = stream->capture;
  const std::set<const GraphNode*> done = done_with(stream->after);
  bool is_joined = true;
  for (Context* context : session.contexts().all()) {
    for (const auto& [handle, other] : context->streams.all()) {
      if (other->capture != captured) continue;
      is_joined &= std::ranges::all_of(other->after, [&](const GraphNode* node) { return done.contains(node); });
      other->capture = nullptr;
      other->is_origin = false;
      other->after.clear();
    }
    for (const auto& [handle, event] : context->events.all()) {
      if (event->capture == captured) event->capture = nullptr;
    }
  }
  if (!is_joined) return Result::StreamCaptureUnjoined;
  *graph = std::make_unique<Graph>(*captured);
  return Result::Success;
}

Result record_event(Session& session, Stream* stream, Event* event) {
  if (!is_stream(session, stream) || !is_event(session, event)) return Result::InvalidHandle;
  const Context& home = is_default(stream) ? *session.contexts().current() : *stream->context;
  if (event->context->device != home.device) return Result::InvalidHandle;
  if (is_capturing(stream)) {
    event->capture = stream->capture;
    event->after = stream->after;
    return Result::Success;
  }
  event->capture = nullptr;
  event->is_recorded = true;
  event->seconds = now();
  if (session.order().is_followed()) event->clock = line_of(session, stream).clock;
  return Result::Success;
}

Result wait_event(Session& session, Stream* stream, Event* event) {
  if (!is_stream(session, stream) || !is_event(session, event)) return Result::InvalidHandle;
  if (event->capture) {
    if (is_default(stream)) return Result::StreamCaptureUnsupported;
    if (stream->capture && stream->capture != event->capture) return Result::StreamCaptureMerge;
    stream->capture = event->capture;
    for (GraphNode* node : event->after) {
      if (!std::ranges::count(stream->after, node)) stream->after.push_back(node);
    }
    return Result::Success;
  }
  // A graph cannot wait for what is no part of it.
  if (is_capturing(stream)) return event->is_recorded ? Result::StreamCaptureIsolation : Result::Success;
  if (session.order().is_followed()) line_of(session, stream).clock.join(event->clock);
  return Result::Success;
}

}  // namespace ropewalk::driver
