#include "lib/trace/recorder/streams.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace ropewalk::trace {

namespace {

// CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, CU_STREAM_NON_BLOCKING
constexpr u64 legacy_handle = 1, per_thread_handle = 2;
constexpr u32 non_blocking_flag = 1;
constexpr std::size_t most_waits = 1024;

u64 thread_number() {
  thread_local const u64 number = u64(syscall(SYS_gettid));
  return number;
}

}  // namespace

Stream& Streams::of(u32 context, Handle handle, bool per_thread) {
  StreamKey key{context, reinterpret_cast<u64>(handle), 0};
  if (key.handle == 0 && per_thread) key.handle = per_thread_handle;
  if (key.handle == legacy_handle) key.handle = 0;
  if (key.handle == per_thread_handle) key.thread = thread_number();
  return table_.get(key, [&](const StreamKey&) {
    auto stream = std::make_unique<Stream>();
    stream->key = key;
    stream->number = count_++;
    const std::lock_guard lock(mutex_);
    const auto flags = flags_.find(handle);
    stream->non_blocking = flags != flags_.end() && flags->second & non_blocking_flag;
    return stream;
  });
}

void Streams::created(u32, Handle handle, u32 flags) {
  const std::lock_guard lock(mutex_);
  flags_[handle] = flags;
}

void Streams::destroyed(Handle handle) {
  const u64 number = reinterpret_cast<u64>(handle);
  table_.forget([&](const StreamKey& key) { return key.handle == number; });
}

void Streams::context_done(u32 context, u64 order) {
  table_.for_all([&](Stream& stream) {
    if (stream.key.context == context) raise(stream.done, order);
  });
}

void Streams::event_recorded(Handle event, const Stream& stream, u64 order) {
  const std::lock_guard lock(mutex_);
  events_[event] = {const_cast<Stream*>(&stream), order};
}

void Streams::event_done(Handle event, u64 begun) {
  const std::lock_guard lock(mutex_);
  const auto at = events_.find(event);
  // Recorded again in the meantime, by another thread: it is not known which of the two has happened.
  if (at != events_.end() && at->second.order < begun) raise(at->second.stream->done_operation, at->second.order);
}

void Streams::waits(Stream& stream, Handle event, u64 order) {
  const std::lock_guard lock(mutex_);
  const auto at = events_.find(event);
  if (at == events_.end()) return;
  waits_.push_back({{&stream, order}, at->second});
  if (waits_.size() > most_waits) waits_.pop_front();
}

nlohmann::ordered_json Streams::json() {
  nlohmann::ordered_json streams = nlohmann::ordered_json::array(), waits = nlohmann::ordered_json::array();
  table_.for_all([&](Stream& stream) {
    streams.push_back({{"context", stream.key.context},
                       {"handle", stream.key.handle},
                       {"thread", stream.key.thread},
                       {"non_blocking", stream.non_blocking},
                       {"done", stream.done.load()},
                       {"done_operation", stream.done_operation.load()},
                       {"lost", stream.lost.load()}});
  });
  const std::lock_guard lock(mutex_);
  for (const Wait& wait : waits_) {
    waits.push_back({wait.at.stream->number, wait.at.order, wait.source.stream->number, wait.source.order});
  }
  return {{"streams", streams}, {"waits", waits}};
}

}  // namespace ropewalk::trace
