// How far each stream is known to have come: what synchronisations, queries and events showed.
#pragma once
#include <atomic>
#include <deque>
#include <nlohmann/json.hpp>

#include "lib/trace/recorder/call_parameters.h"
#include "lib/trace/recorder/quick_table.h"

namespace ropewalk::trace {

// A stream of a context. The legacy default stream is 0; a thread's own default stream is 2, with the thread's number.
struct StreamKey {
  u64 context = 0, handle = 0, thread = 0;
  auto operator<=>(const StreamKey&) const = default;
  u64 hash() const { return spread(handle ^ context << 32 ^ thread << 8); }
};

// "Order" is the number of a call in the order in which calls began (a launch has a second one, as it returned). All
// work whose call had returned by the order `done` is known to be complete; `done_operation`: an operation that stood
// on the stream at that order is.
struct Stream {
  StreamKey key;
  u32 number = 0;  // in the record
  bool non_blocking = false;
  std::atomic<u64> done{0}, done_operation{0};
  std::atomic<u64> lost{0};  // the last launch that went out of the ring before it was known to be complete
};

class Streams {
 public:
  // The stream as a call names it.
  Stream& of(u32 context, Handle handle, bool per_thread);
  void created(u32 context, Handle handle, u32 flags);
  void destroyed(Handle handle);
  // All streams of the context have done what was put on them up to `order`.
  void context_done(u32 context, u64 order);
  void event_recorded(Handle event, const Stream& stream, u64 order);
  // The event has happened, and with it what stood on its stream before it.
  void event_done(Handle event, u64 begun);
  // From `order` on, `stream` does nothing before the event has happened.
  void waits(Stream& stream, Handle event, u64 order);
  nlohmann::ordered_json json();

 private:
  struct Point {
    Stream* stream = nullptr;
    u64 order = 0;
  };
  struct Wait {
    Point at, source;
  };
  QuickTable<StreamKey, Stream> table_;
  std::mutex mutex_;  // of what follows
  std::map<Handle, u32> flags_;
  std::map<Handle, Point> events_;
  std::deque<Wait> waits_;
  std::atomic<u32> count_{0};
};

// Makes `value` at least `least`.
inline void raise(std::atomic<u64>& value, u64 least) {
  u64 seen = value.load();
  while (seen < least && !value.compare_exchange_weak(seen, least)) {
  }
}

}  // namespace ropewalk::trace
