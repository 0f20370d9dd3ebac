// Captures of streams: how they begin and end, and what they prohibit, as the CUDA Programming
// Guide has it ("Prohibited and Unhandled Operations", "Invalidation").
#include <algorithm>
#include <set>

#include "lib/driver/graph.h"
#include "lib/driver/this_thread.h"

namespace ropewalk::driver {

namespace {

// Invalidates the captures of the context's streams for which this holds.
template <class Holds>
Result invalidate_all(Context& context, Result result, const Holds& holds) {
  Result out = Result::Success;
  context.for_each_stream([&](const Stream& stream) {
    if (!stream.capture || !holds(stream)) return;
    invalidate(*stream.capture, result);
    out = result;
  });
  return out;
}

}  // namespace

Result invalidate(CapturedGraph& capture, Result result) {
  if (capture.is_invalidated) return Result::StreamCaptureInvalidated;
  capture.is_invalidated = true;
  return result;
}

CaptureMode& capture_mode_of_thread() {
  thread_local CaptureMode mode = CaptureMode::Global;
  return mode;
}

Stream* capturing(Session& session, Stream* stream) {
  Stream* const state = known_state_of(session, stream);
  return state && state->capture ? state : nullptr;
}

Result check_wait(Session& session, Stream* stream) {
  Stream* const captured = capturing(session, stream);
  if (!captured) return Result::Success;
  captured->capture->is_invalidated = true;
  return Result::StreamCaptureUnsupported;
}

Result check_wait(const Event& event) {
  return event.capture ? invalidate(*event.capture, Result::CapturedEvent) : Result::Success;
}

Result check_wait(Context& context) {
  return invalidate_all(context, Result::StreamCaptureUnsupported, [](const Stream&) { return true; });
}

Result check_unsafe(Session& session) {
  const auto is_prohibited = [mode = capture_mode_of_thread()](const Stream& stream) {
    const CapturedGraph& capture = *stream.capture;
    if (mode == CaptureMode::Relaxed || capture.mode == CaptureMode::Relaxed) return false;
    const bool is_own = capture.thread == this_thread();
    return is_own || (mode == CaptureMode::Global && capture.mode == CaptureMode::Global);
  };
  Result out = Result::Success;
  for (Context* context : session.contexts().all()) {
    const Result result = invalidate_all(*context, Result::StreamCaptureUnsupported, is_prohibited);
    if (result != Result::Success) out = result;
  }
  return out;
}

Result check_work(Session& session, Stream* stream) {
  if (const Stream* const captured = capturing(session, stream)) {
    return captured->capture->is_invalidated ? Result::StreamCaptureInvalidated : Result::Success;
  }
  Context* const context = session.contexts().current();
  if (!context || !is_legacy(stream)) return Result::Success;
  return invalidate_all(*context, Result::StreamCaptureImplicit,
                        [](const Stream& other) { return other.is_blocking(); });
}

Result begin_capture(Session& session, Stream* stream, CaptureMode mode) {
  if (is_legacy(stream)) return Result::StreamCaptureUnsupported;
  if (!is_stream(session, stream)) return Result::InvalidHandle;
  Stream& state = *state_of(session, stream);
  if (state.capture) return Result::IllegalState;
  state.capture = std::make_shared<CapturedGraph>();
  state.capture->mode = mode;
  state.capture->thread = this_thread();
  state.is_origin = true;
  state.after.clear();
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
  const Stream* const origin = capturing(session, stream);
  if (!origin) return Result::IllegalState;
  const std::shared_ptr<CapturedGraph> captured = origin->capture;
  if (!origin->is_origin) {
    captured->is_invalidated = true;
    return Result::StreamCaptureUnmatched;
  }
  const std::set<const GraphNode*> done = done_with(origin->after);
  bool is_joined = true;
  for (Context* context : session.contexts().all()) {
    context->for_each_stream([&](Stream& other) {
      if (other.capture != captured) return;
      is_joined &= std::ranges::all_of(other.after, [&](const GraphNode* node) { return done.contains(node); });
      other.capture = nullptr;
      other.is_origin = false;
      other.after.clear();
    });
    for (const auto& [handle, event] : context->events.all()) {
      if (event->capture == captured) event->capture = nullptr;
    }
  }
  // The capture is over, too.
  if (captured->mode != CaptureMode::Relaxed && captured->thread != this_thread())
    return Result::StreamCaptureWrongThread;
  if (captured->is_invalidated) return Result::StreamCaptureInvalidated;
  if (!is_joined) return Result::StreamCaptureUnjoined;
  // The nodes stay what the program knows: it may have added some, and have conditions of theirs.
  *graph = std::move(captured->graph);
  return Result::Success;
}

}  // namespace ropewalk::driver
