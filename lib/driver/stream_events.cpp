// Events on streams, as they are done at once, captured, or nodes of a graph.
#include <chrono>

#include "lib/driver/backlog.h"
#include "lib/driver/graph.h"

namespace ropewalk::driver {

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Result add_external(Session& session, Stream* stream, NodeKind kind, Event* event) {
  return submit(session, stream, kind, event_work(session, kind, event), event, events_of(kind, event));
}

}  // namespace

Work event_work(Session& session, NodeKind kind, Event* event) {
  return [&session, kind, event] {
    if (!is_event(session, event)) return Result::InvalidHandle;
    Line* const line = session.order().line();
    if (kind == NodeKind::Record) {
      event->seconds = now();
      if (line) event->clock = line->clock;
    } else if (line) {
      line->clock.join(event->clock);
    }
    return Result::Success;
  };
}

EventsOfWork events_of(NodeKind kind, Event* event) {
  return kind == NodeKind::Record ? EventsOfWork{{event}, {}} : EventsOfWork{{}, {event}};
}

Result record_event(Session& session, Stream* stream, Event* event, bool is_external) {
  if (!is_stream(session, stream) || !is_event(session, event)) return Result::InvalidHandle;
  const Context& home = is_default(stream) ? *session.contexts().current() : *stream->context;
  if (event->context->device != home.device) return Result::InvalidHandle;
  if (const Stream* const captured = capturing(session, stream)) {
    if (captured->capture->is_invalidated) return Result::StreamCaptureInvalidated;
    if (is_external) return add_external(session, stream, NodeKind::Record, event);
    event->capture = captured->capture;
    event->after = captured->after;
    return Result::Success;
  }
  if (is_external) return Result::IllegalState;
  event->capture = nullptr;
  event->is_recorded = true;
  const StreamLine at = stream_line_of(session, stream);
  const auto record = [&session, event, at] {
    if (!is_event(session, event)) return;
    event->seconds = now();
    if (session.order().is_followed()) event->clock = line_of(at).clock;
  };
  std::vector<u64> after = tickets_before(session, at);
  event->ticket = after.empty() ? 0 : session.backlog().add(at, std::move(after), record);
  if (!event->ticket) record();
  return Result::Success;
}

Result wait_event(Session& session, Stream* stream, Event* event, bool is_external) {
  if (!is_stream(session, stream) || !is_event(session, event)) return Result::InvalidHandle;
  if (is_external) {
    return capturing(session, stream) ? add_external(session, stream, NodeKind::Wait, event) : Result::IllegalState;
  }
  if (event->capture) {
    if (is_legacy(stream)) return invalidate(*event->capture, Result::StreamCaptureUnsupported);
    if (event->capture->is_invalidated) return Result::StreamCaptureInvalidated;
    Stream& state = *state_of(session, stream);
    if (state.capture && state.capture != event->capture) {
      invalidate(*state.capture, Result::StreamCaptureMerge);
      return invalidate(*event->capture, Result::StreamCaptureMerge);
    }
    state.capture = event->capture;
    for (GraphNode* node : event->after) {
      if (!std::ranges::count(state.after, node)) state.after.push_back(node);
    }
    return Result::Success;
  }
  // A graph cannot wait for what is no part of it.
  if (const Stream* const captured = capturing(session, stream)) {
    return event->is_recorded ? invalidate(*captured->capture, Result::StreamCaptureIsolation)
                              : check_work(session, stream);
  }
  const StreamLine at = stream_line_of(session, stream);
  const auto join = [&session, event, at] {
    if (session.order().is_followed() && is_event(session, event)) line_of(at).clock.join(event->clock);
  };
  if (session.backlog().is_done(event->ticket)) {
    join();
  } else {
    std::vector<u64> after = tickets_before(session, at);
    after.push_back(event->ticket);
    session.backlog().add(at, std::move(after), join);
  }
  return Result::Success;
}

}  // namespace ropewalk::driver
