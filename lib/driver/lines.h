// Streams as lines of operations: what each waits for by itself, and what the host waits for.
#pragma once
#include "lib/driver/context.h"

namespace ropewalk::driver {

inline bool is_default(const Stream* stream) { return u64(stream) <= per_thread_stream; }

// The default stream that waits for all blocking streams of its context, and they for it.
bool is_legacy(const Stream* stream);

// A stream that was made, or the calling thread's own default one, which begins to be where it is first given work.
// nullptr: it is the legacy default stream.
Stream* state_of(Session& session, Stream* stream);
// The same without beginning one. nullptr: there is none.
Stream* known_state_of(Session& session, Stream* stream);

// Where work of a stream is done.
struct StreamLine {
  Context* context = nullptr;
  Line* line = nullptr;
  bool is_blocking = false;  // it waits for the default stream, or is that
};
StreamLine stream_line_of(Session& session, Stream* stream);
// Its line. The clock has what must be done before it goes on: the default stream waits for blocking streams, and they
// for it.
Line& line_of(const StreamLine& at);
// What it waits for by itself and has not been done.
std::vector<u64> tickets_before(Session& session, const StreamLine& at);

// The line of a stream, or of a default stream of the current context.
Line& line_of(Session& session, Stream* stream);

// Until what the stream has been given is done, which says nothing of an order.
void wait_for_work(Session& session, Stream* stream);
// The host waits for what the stream has been given, for all streams of the context, for all of all contexts.
void wait_for(Session& session, Stream* stream);
void wait_for(Session& session, Context& context);
void wait_for_all(Session& session);
// What is given to the default stream next comes after all of all streams, and they go on after it.
void begin_alone(Session& session);
void end_alone(Session& session);
// The host has waited for what the clock has.
void has_waited(Session& session, const Clock& clock);
// The stream is destroyed; its work is done nevertheless.
void leave(const Stream& stream);

}  // namespace ropewalk::driver
