// Contexts and what lives in them: modules, streams, events.
#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "lib/driver/module.h"
#include "lib/driver/result.h"
#include "lib/driver/stream_order.h"

namespace ropewalk::driver {

struct Context;
struct CapturedGraph;
struct GraphNode;

// The default streams' handles; null is the one that the program was built for.
constexpr u64 legacy_stream = 1, per_thread_stream = 2;

// Work on it is done at once, in the order of the calls: whatever a program waits for has happened.
struct Stream {
  Context* context = nullptr;
  u32 flags = 0;
  i32 priority = 0;
  std::shared_ptr<CapturedGraph> capture;  // into which it is captured; else null
  bool is_origin = false;                  // the capture began on it
  std::vector<GraphNode*> after;           // of that graph: what the next node comes after
  Line line;
  std::map<int, std::array<std::byte, 64>>
      attributes;  // that were set (CUstreamAttrValue), of which none changes anything

  bool is_blocking() const { return !(flags & 1); }  // CU_STREAM_NON_BLOCKING
};

struct Event {
  Context* context = nullptr;
  u32 flags = 0;
  bool is_recorded = false;
  double seconds = 0;                      // when it was recorded
  std::shared_ptr<CapturedGraph> capture;  // it was recorded on a stream that is captured,
  std::vector<GraphNode*> after;           // behind these
  Clock clock;                             // what was done before it
  u64 ticket = 0;                          // of the backlog, where it was not done at once
};

// Objects that a program holds by their address.
template <class T>
class Handles {
 public:
  T* add(std::unique_ptr<T> one) {
    T* const handle = one.get();
    all_[handle] = std::move(one);
    return handle;
  }
  bool has(const void* handle) const { return all_.contains(handle); }
  bool remove(const void* handle) { return all_.erase(handle) != 0; }
  std::unique_ptr<T> take(const void* handle) {
    auto node = all_.extract(handle);
    return node ? std::move(node.mapped()) : nullptr;
  }
  const std::map<const void*, std::unique_ptr<T>>& all() const { return all_; }

 private:
  std::map<const void*, std::unique_ptr<T>> all_;
};

struct Context {
  u32 device = 0;
  u64 number = 0;  // of those that the program made; 0: it is the device's primary one
  bool is_primary = false;
  u32 flags = 0, retained = 0;     // of a primary one: how often
  Result error = Result::Success;  // once a kernel broke it, every call answers so
  Handles<Module> modules;
  Handles<Stream> streams;
  Handles<Event> events;
  u64 limits[16] = {};               // by CUlimit; 0: the usual one
  std::set<u32> peers;               // devices whose memory its kernels may touch
  Line legacy;                       // the default stream that waits for all blocking ones
  std::map<u64, Stream> of_threads;  // by number of the thread: its own default stream
  u64 threads = 0;                   // that have had one
  Clock gone, gone_blocking;         // of streams that were destroyed: all, and those that the default stream waits for

  // Calls body(stream) for those that were made and the threads' own.
  template <class Body>
  void for_each_stream(const Body& body) {
    for (auto& [thread, stream] : of_threads) body(stream);
    for (const auto& [handle, stream] : streams.all()) body(*stream);
  }
};

// Those of the process, and which are current in the calling thread. The session's mutex is held.
class Contexts {
 public:
  // Called when there is more than one: the default streams of two do not wait for each other. May be empty.
  std::function<void()> on_several;
  Context& primary(u32 device);
  bool has_primary(u32 device) const { return primaries_.contains(device); }
  Context* create(u32 device, u32 flags);
  // What lives in it is gone. It stays current to other threads, which cannot use it.
  bool destroy(Context* context);
  bool has(const Context* context) const;
  // Of the calling thread; nullptr: none, or one that was destroyed.
  Context* current() const;
  // The same, destroyed or not.
  Context* top() const;
  void set_current(Context* context);  // replaces the top of the thread's stack
  void push(Context* context);
  Context* pop();
  // Everything in it is gone. After a fault it is of no more use: an H100 is DeviceUnavailable to the process then.
  void reset(Context& context);
  // The context that a stream or a kernel belongs to, nullptr where there is no such stream.
  Context* owner_of(const Stream* stream) const;
  std::vector<Context*> all() const;

 private:
  void tell_of_several() const;

  std::map<u32, std::unique_ptr<Context>> primaries_;
  Handles<Context> others_;
  u64 made_ = 0;
  std::vector<std::unique_ptr<Context>> destroyed_;  // whose addresses are no other's from then on
};

}  // namespace ropewalk::driver
