#include "lib/driver/graph.h"

#include <algorithm>
#include <chrono>

namespace ropewalk::driver {

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

GraphNode* Graph::add(NodeKind kind, Work work, std::vector<GraphNode*> after) {
  nodes.push_back(std::make_shared<GraphNode>(GraphNode{kind, std::move(work), std::move(after)}));
  return nodes.back().get();
}

bool RunnableGraph::exchange(const GraphNode* node, Work by) {
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].get() != node) continue;
    work[n] = std::move(by);
    return true;
  }
  return false;
}

Result RunnableGraph::run() const {
  for (const Work& one : work) {
    if (!one) continue;
    if (const Result result = one(); result != Result::Success) return result;
  }
  return Result::Success;
}

bool is_stream(Session& session, const Stream* stream) {
  return is_default(stream) || session.contexts().owner_of(stream);
}

bool is_event(Session& session, const Event* event) {
  return std::ranges::any_of(session.contexts().all(),
                             [&](const Context* context) { return context->events.has(event); });
}

bool is_capturing(const Stream* stream) { return !is_default(stream) && stream->capture; }

Result submit(Session& session, Stream* stream, NodeKind kind, Work work) {
  if (!is_stream(session, stream)) return Result::InvalidHandle;
  if (!is_capturing(stream)) return work();
  Graph& graph = *stream->capture;
  std::vector<GraphNode*> after;
  if (stream->last) after.push_back(stream->last);
  stream->last = graph.add(kind, std::move(work), std::move(after));
  return Result::Success;
}

Result begin_capture(Session& session, Stream* stream) {
  if (is_default(stream)) return Result::StreamCaptureUnsupported;
  if (!is_stream(session, stream)) return Result::InvalidHandle;
  if (stream->capture) return Result::IllegalState;
  stream->capture = std::make_shared<Graph>();
  stream->last = nullptr;
  return Result::Success;
}

Result end_capture(Session& session, Stream* stream, std::unique_ptr<Graph>* graph) {
  if (!is_stream(session, stream)) return Result::InvalidHandle;
  if (!is_capturing(stream)) return Result::IllegalState;
  const std::shared_ptr<Graph> captured = stream->capture;
  for (Context* context : session.contexts().all()) {
    for (const auto& [handle, other] : context->streams.all()) {
      if (other->capture != captured) continue;
      other->capture = nullptr;
      other->last = nullptr;
    }
    for (const auto& [handle, event] : context->events.all()) {
      if (event->capture == captured) event->capture = nullptr;
    }
  }
  *graph = std::make_unique<Graph>(*captured);
  return Result::Success;
}

Result record_event(Session& session, Stream* stream, Event* event) {
  if (!is_stream(session, stream) || !is_event(session, event)) return Result::InvalidHandle;
  if (is_capturing(stream)) {
    event->capture = stream->capture;
    return Result::Success;
  }
  event->capture = nullptr;
  event->is_recorded = true;
  event->seconds = now();
  return Result::Success;
}

Result wait_event(Session& session, Stream* stream, Event* event) {
  if (!is_stream(session, stream) || !is_event(session, event)) return Result::InvalidHandle;
  if (event->capture && !is_default(stream)) stream->capture = event->capture;
  return Result::Success;
}

}  // namespace ropewalk::driver
