#include "lib/driver/lines.h"

#include <fmt/format.h>

#include "lib/driver/backlog.h"
#include "lib/driver/public_call.h"
#include "lib/driver/this_thread.h"

namespace ropewalk::driver {

namespace {

// The context that a stream lives in; of default streams each has its own.
Context& context_of(Session& session, const Stream* stream) {
  return is_default(stream) ? *session.contexts().current() : *stream->context;
}

bool is_of_thread(const Stream* stream) {
  return u64(stream) == per_thread_stream || (!stream && PerThreadStream::is_meant());
}

std::string of_context(const Session& session, const Context& context) {
  if (context.number) return fmt::format(" of context {}", context.number);
  return session.options().devices > 1 ? fmt::format(" of device {}", context.device) : "";
}

Line& legacy_line(Session& session, Context& context) {
  if (context.legacy.name.empty()) context.legacy.name = "the default stream" + of_context(session, context);
  return context.legacy;
}

Stream& stream_of_thread(Session& session, Context& context) {
  const auto [found, is_new] = context.of_threads.try_emplace(this_thread());
  Stream& stream = found->second;
  if (is_new) {
    session.add_stream(false);  // other threads may have theirs
    stream.context = &context;
    stream.line.name = fmt::format("the default stream of thread {}", ++context.threads) + of_context(session, context);
  }
  return stream;
}

Clock clock_of(Context& context) {
  Clock out = context.gone;
  out.join(context.legacy.clock);
  context.for_each_stream([&](const Stream& stream) { out.join(stream.line.clock); });
  return out;
}

}  // namespace

bool is_legacy(const Stream* stream) { return is_default(stream) && !is_of_thread(stream); }

Stream* state_of(Session& session, Stream* stream) {
  if (!is_default(stream)) return stream;
  return is_of_thread(stream) ? &stream_of_thread(session, context_of(session, stream)) : nullptr;
}

Stream* known_state_of(Session& session, Stream* stream) {
  if (!is_default(stream)) return stream;
  Context* const context = is_of_thread(stream) ? session.contexts().current() : nullptr;
  if (!context) return nullptr;
  const auto found = context->of_threads.find(this_thread());
  return found == context->of_threads.end() ? nullptr : &found->second;
}

namespace {

// Calls body(line) for the other lines that it waits for by itself.
template <class Body>
void for_awaited(const StreamLine& at, const Body& body) {
  if (at.line != &at.context->legacy) {
    if (at.is_blocking) body(at.context->legacy);
    return;
  }
  at.context->for_each_stream([&](const Stream& other) {
    if (other.is_blocking()) body(other.line);
  });
}

}  // namespace

StreamLine stream_line_of(Session& session, Stream* stream) {
  Context& context = context_of(session, stream);
  Stream* const state = state_of(session, stream);
  if (!state) return {&context, &legacy_line(session, context), true};
  return {&context, &state->line, state->is_blocking()};
}

Line& line_of(const StreamLine& at) {
  if (at.line == &at.context->legacy) at.line->clock.join(at.context->gone_blocking);
  for_awaited(at, [&](const Line& other) { at.line->clock.join(other.clock); });
  return *at.line;
}

Line& line_of(Session& session, Stream* stream) { return line_of(stream_line_of(session, stream)); }

namespace {

// Their default streams are gone as if they were destroyed. Nothing is pending that has their lines.
void forget_ended_threads(Session& session) {
  const std::set<u64> ended = take_ended_threads();
  for (Context* context : session.contexts().all()) {
    std::erase_if(context->of_threads, [&](const auto& one) {
      if (!ended.contains(one.first) || one.second.capture) return false;
      leave(one.second);
      return true;
    });
  }
}

}  // namespace

std::vector<u64> tickets_before(Session& session, const StreamLine& at) {
  if (session.backlog().is_empty()) return {};
  std::vector<u64> out = {at.line->last};
  for_awaited(at, [&](const Line& other) { out.push_back(other.last); });
  return session.backlog().open(std::move(out));
}

void has_waited(Session& session, const Clock& clock) { session.order().done(clock, !session.backlog().is_empty()); }

void wait_for_work(Session& session, Stream* stream) {
  if (!session.backlog().is_empty()) session.backlog().wait(tickets_before(session, stream_line_of(session, stream)));
}

void wait_for(Session& session, Stream* stream) {
  wait_for_work(session, stream);
  if (session.order().is_followed()) has_waited(session, line_of(session, stream).clock);
}

void wait_for(Session& session, Context& context) {
  session.backlog().wait(session.backlog().all(&context));
  if (session.order().is_followed()) has_waited(session, clock_of(context));
  if (session.backlog().is_empty() && context.of_threads.size() > 1) forget_ended_threads(session);
}

void wait_for_all(Session& session) {
  for (Context* context : session.contexts().all()) wait_for(session, *context);
}

void begin_alone(Session& session) {
  session.backlog().wait(session.backlog().all(nullptr));
  if (!session.order().is_followed()) return;
  Line& line = line_of(session, nullptr);
  for (Context* context : session.contexts().all()) line.clock.join(clock_of(*context));
}

void end_alone(Session& session) {
  if (!session.order().is_followed()) return;
  const Clock clock = line_of(session, nullptr).clock;
  for (Context* context : session.contexts().all()) {
    context->legacy.clock.join(clock);
    context->for_each_stream([&](Stream& stream) { stream.line.clock.join(clock); });
  }
}

void leave(const Stream& stream) {
  stream.context->gone.join(stream.line.clock);
  if (stream.is_blocking()) stream.context->gone_blocking.join(stream.line.clock);
}

}  // namespace ropewalk::driver
